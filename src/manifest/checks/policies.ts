import { didYouMean } from "../../diagnostics/suggest.js";
import { type DocumentPath, valueAt } from "../../core/document-path.js";
import { isObject } from "../../core/json.js";
import type { Field } from "../../kinds/kind.js";
import { knownActions, knownPhases } from "../../kinds/policy/known-words.js";
import { documentOf } from "../../kinds/policy/policy-codec.js";
import { kinds } from "../../kinds/registry.js";
import type { ManifestCheck, ParsedManifest } from "../manifest.js";
import { namedFile } from "../resolve-spec.js";

interface PolicyField {
  readonly path: DocumentPath;
  readonly field: Field;
  readonly value: unknown;
  /** Undefined for a text that is not JSON. */
  readonly document: unknown;
  readonly file: string | null;
  readonly isInline: boolean;
}

export function policyFieldsOf({ kind, spec, value }: ParsedManifest): readonly PolicyField[] {
  return kinds[kind].specFields.flatMap(({ field, path: inSpec }) => {
    const policy = field.content === "policy" ? (valueAt(spec, inSpec) ?? null) : null;
    if (policy === null) return [];
    const path = ["spec", ...inSpec];
    const written = valueAt(value, path);
    const file = namedFile(written);
    const document = typeof policy === "string" ? documentOf(policy) : policy;
    return [{ path, field, value: policy, document, file, isInline: typeof written === "object" && file === null }];
  });
}

/** Problems inside a file or a text are shown at the whole field. */
export function pathInPolicy({ isInline, path }: PolicyField, inside: DocumentPath): DocumentPath {
  return isInline ? [...path, ...inside] : path;
}

/** Unknown phases and actions are warnings, never errors. */
export const trafficPolicies: ManifestCheck = (manifest, report) => {
  for (const policy of policyFieldsOf(manifest)) {
    const { document, field, file, path, value } = policy;
    if (!isObject(document)) {
      const what = file === null ? "the traffic policy" : `"${file}"`;
      const is = typeof value === "string" && document === undefined ? "not JSON" : "not an object of phases";
      report({ code: "policy-json", message: `${what} is ${is}`, path });
      continue;
    }
    for (const [phase, rules] of Object.entries(document)) {
      const at = pathInPolicy(policy, [phase]);
      if (!knownPhases.includes(phase)) {
        const message = `edgewise does not know the phase ${JSON.stringify(phase)}`;
        report({ code: "policy-phase", message, ...meant(phase, knownPhases), path: at, at: "key" });
      } else if (field.foreignPhases?.phases.test(phase) === true) {
        const message = `the phase ${phase} belongs to ${field.foreignPhases.owner}; it does nothing here`;
        report({ code: "policy-phase-misplaced", message, path: at, at: "key" });
      }
      if (!phase.startsWith("on_")) continue;
      for (const { type, path: inside } of actionsIn(rules)) {
        if (knownActions.includes(type)) continue;
        const message = `edgewise does not know the action ${JSON.stringify(type)}`;
        const action = pathInPolicy(policy, [phase, ...inside]);
        report({ code: "policy-action", message, ...meant(type, knownActions), path: action });
      }
    }
  }
};

function meant(word: string, known: readonly string[]): { readonly remedy?: string } {
  const remedy = didYouMean(word, known);
  return remedy === null ? {} : { remedy };
}

function actionsIn(rules: unknown): readonly { readonly type: string; readonly path: DocumentPath }[] {
  return listOf(rules).flatMap((rule, r) =>
    listOf(isObject(rule) ? rule["actions"] : null).flatMap((action, a) => {
      const type = isObject(action) ? action["type"] : null;
      return typeof type === "string" ? [{ type, path: [r, "actions", a, "type"] }] : [];
    }),
  );
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
