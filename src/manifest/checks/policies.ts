import { didYouMean } from "../../diagnostics/suggest.js";
import { type DocumentPath, valueAt } from "../../core/document-path.js";
import { type Value, isObject } from "../../core/json.js";
import { listOf } from "../../kinds/codecs.js";
import type { Field } from "../../kinds/kind.js";
import { documentOf, knownActions, knownPhases } from "../../kinds/policy.js";
import { kinds } from "../../kinds/registry.js";
import type { ManifestCheck, ParsedManifest } from "../manifest.js";
import { namedFile } from "../resolve-spec.js";

type PolicyField = Readonly<{
  path: DocumentPath;
  field: Field;
  value: unknown;
  document: unknown;
  file: string | null;
  isInline: boolean;
}>;

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

/** What is inside a file or a text is shown at the field. */
export function pathInPolicy({ isInline, path }: PolicyField, inside: DocumentPath): DocumentPath {
  return isInline ? [...path, ...inside] : path;
}

export const trafficPolicies: ManifestCheck = (manifest, report) => {
  for (const policy of policyFieldsOf(manifest)) {
    const { document, field, file, path, value } = policy;
    if (!isObject(document)) {
      const what = file === null ? "the traffic policy" : `"${file}"`;
      const is = typeof value === "string" && document === undefined ? "not JSON" : "not an object of phases";
      report({ code: "policy-json", message: `${what} is ${is}`, path });
      continue;
    }
    const unknown = (what: "phase" | "action", word: string, known: readonly string[], inside: DocumentPath): void => {
      const message = `edgewise does not know the ${what} ${JSON.stringify(word)}`;
      const remedy = didYouMean(word, known) ?? undefined;
      const at = what === "phase" ? "key" : "value";
      report({ code: `policy-${what}`, message, remedy, path: pathInPolicy(policy, inside), at });
    };
    for (const [phase, rules] of Object.entries(document)) {
      if (!knownPhases.includes(phase)) unknown("phase", phase, knownPhases, [phase]);
      else if (field.foreignPhases?.phases.test(phase) === true) {
        const message = `the phase ${phase} belongs to ${field.foreignPhases.owner}; it does nothing here`;
        report({ code: "policy-phase-misplaced", message, path: pathInPolicy(policy, [phase]), at: "key" });
      }
      if (!phase.startsWith("on_")) continue;
      for (const [r, rule] of listOf(rules as Value).entries()) {
        for (const [a, action] of listOf(isObject(rule) ? rule["actions"] : null).entries()) {
          const type = isObject(action) ? action["type"] : null;
          if (typeof type === "string" && !knownActions.includes(type))
            unknown("action", type, knownActions, [phase, r, "actions", a, "type"]);
        }
      }
    }
  }
};
