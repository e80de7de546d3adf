import { didYouMean } from "../../diagnostics/suggest.js";
import type { DocumentPath } from "../../document-path.js";
import { isObject } from "../../json.js";
import { knownActions, knownPhases } from "../../kinds/policy/known-words.js";
import { limits } from "../../limits.js";
import { parseJson } from "../../parse-json.js";
import { findJsonMistake } from "../../json-mistake.js";
import type { FileTree } from "../file-tree.js";
import type { ManifestCheck, ManifestProblem, ParsedManifest, PolicyField, ReportProblem } from "../parsed-manifest.js";
import { placeInText } from "./text-places.js";
import { pathInPolicy, policyDocument } from "./policy-fields.js";

/** A traffic policy is a JSON object. Unknown phases and actions are warnings, never errors. */
export const trafficPolicies: ManifestCheck = (manifest, report, { tree }, policies) => {
  for (const field of policies) {
    const document = policyDocument(field);
    if (isObject(document)) checkPhases(field, document, report);
    else report({ code: "policy-json", path: field.path, ...notAnObject(field, document, manifest, tree) });
  }
};

type PolicyMistake = Omit<ManifestProblem, "code" | "path">;

function notAnObject(field: PolicyField, document: unknown, manifest: ParsedManifest, tree: FileTree): PolicyMistake {
  const { file, value } = field;
  const what = file === null ? "the traffic policy" : `"${file}"`;
  if (typeof value !== "string" || document !== undefined) {
    const remedy = Array.isArray(document) ? "Write the object alone, without the brackets of a list around it." : null;
    return { message: `${what} is ${Array.isArray(document) ? "a list, not an" : "not an"} object of phases`, remedy };
  }
  if (isTooDeep(value)) return { message: `${what} is nested more than ${limits.depth} deep`, remedy: null };
  if (/^[\w./-]+\.(?:json|ya?ml)$/u.test(value))
    return { message: `${what} is the name of a file, not JSON`, remedy: `Write {file: ${value}}.` };
  if (/^\s*(?:#.*\n\s*)*[A-Za-z_]\w*:(?:\s|$)/u.test(value)) {
    const remedy =
      file === null
        ? "Remove what follows `value:` in its line, such as |, so that the policy is an object of the manifest."
        : "Name the file .yaml.";
    return { message: `${what} is YAML, but a policy that is a text must be JSON`, remedy };
  }
  const mistake = findJsonMistake(value);
  if (mistake === null) return { message: `${what} is not JSON` };
  const place = placeInText(value, mistake.index, { written: file, manifest, tree });
  return { ...place, message: `${what} is not JSON: ${mistake.message}`, remedy: mistake.remedy };
}

function isTooDeep(policy: string): boolean {
  const parsed = parseJson(policy);
  return "problem" in parsed && parsed.problem === "depth";
}

function checkPhases(field: PolicyField, document: { readonly [phase: string]: unknown }, report: ReportProblem): void {
  const foreign = field.field.foreignPhases;
  for (const phase of Object.keys(document)) {
    if (!knownPhases.includes(phase)) {
      const message = `edgewise does not know the phase ${JSON.stringify(phase)}`;
      const path = pathInPolicy(field, [phase]);
      report({ code: "policy-phase", message, ...remedyFor(phase, knownPhases), path, at: "key" });
    } else if (foreign?.phases.test(phase) === true) {
      const message = `the phase ${phase} belongs to ${foreign.owner}; it does nothing here`;
      const path = pathInPolicy(field, [phase]);
      report({ code: "policy-phase-misplaced", message, path, at: "key" });
    }
    checkActions(document[phase], (type, path) => {
      const message = `edgewise does not know the action ${JSON.stringify(type)}`;
      const at = pathInPolicy(field, [phase, ...path]);
      report({ code: "policy-action", message, ...remedyFor(type, knownActions), path: at });
    });
  }
}

function remedyFor(word: string, known: readonly string[]): { readonly remedy?: string } {
  const remedy = didYouMean(word, known);
  return remedy === null ? {} : { remedy };
}

/** Calls `unknown` for each action of a type that is not known. Most rules have one action, and of a known type. */
function checkActions(rules: unknown, unknown: (type: string, path: DocumentPath) => void): void {
  if (!Array.isArray(rules)) return;
  for (let r = 0; r < rules.length; r++) {
    const rule: unknown = rules[r];
    const actions = isObject(rule) ? rule["actions"] : null;
    if (!Array.isArray(actions)) continue;
    for (let a = 0; a < actions.length; a++) {
      const action: unknown = actions[a];
      const type = isObject(action) ? action["type"] : null;
      if (typeof type === "string" && !knownActions.includes(type)) unknown(type, [r, "actions", a, "type"]);
    }
  }
}
