import { didYouMean } from "../../diagnostics/suggest.js";
import type { DocumentPath } from "../../core/document-path.js";
import { isObject } from "../../core/json.js";
import { knownActions, knownPhases } from "../../kinds/policy/known-words.js";
import { limits } from "../../core/limits.js";
import { parseJson } from "../../core/parse-json.js";
import { jsonHint } from "./json-hints.js";
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
  const mistake = jsonHint(value);
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
    if (phase.startsWith("on_"))
      checkRules(document[phase], (code, message, path, more) =>
        report({ code, message, ...more, path: pathInPolicy(field, [phase, ...path]) }),
      );
  }
}

function remedyFor(word: string, known: readonly string[]): { readonly remedy?: string } {
  const remedy = didYouMean(word, known);
  return remedy === null ? {} : { remedy };
}

const ruleMembers = ["name", "expressions", "actions"];
const actionMembers = ["type", "config"];

/** Takes what is doubtful in a phase. */
type ReportDoubt = (
  code: "policy-shape" | "policy-action",
  message: string,
  path: DocumentPath,
  more?: Pick<ManifestProblem, "at" | "remedy">,
) => void;

/** Checks that a phase is a list of rules, and a rule has a list of actions, whose types are known. */
function checkRules(rules: unknown, report: ReportDoubt): void {
  if (!Array.isArray(rules)) return report("policy-shape", "the phase is not a list of rules", []);
  for (const [r, rule] of (rules as readonly unknown[]).entries()) {
    checkMembers(rule, { what: "rule", known: ruleMembers, at: [r] }, report);
    if (!isObject(rule)) continue;
    const { actions } = rule;
    if (!Array.isArray(actions)) {
      report("policy-shape", "the rule has no list of actions", actions === undefined ? [r] : [r, "actions"]);
      continue;
    }
    for (const [a, action] of (actions as readonly unknown[]).entries()) {
      const at = [r, "actions", a];
      checkMembers(action, { what: "action", known: actionMembers, at }, report);
      const type = isObject(action) ? action["type"] : "";
      if (typeof type !== "string") report("policy-shape", "the action has no type", at);
      else if (type !== "" && !knownActions.includes(type)) {
        const message = `edgewise does not know the action ${JSON.stringify(type)}`;
        report("policy-action", message, [...at, "type"], remedyFor(type, knownActions));
      }
    }
  }
}

function checkMembers(
  value: unknown,
  { what, known, at }: { readonly what: string; readonly known: readonly string[]; readonly at: DocumentPath },
  report: ReportDoubt,
): void {
  if (!isObject(value)) return report("policy-shape", `the ${what} is not an object`, at);
  for (const member of Object.keys(value)) {
    if (known.includes(member)) continue;
    const message = `edgewise does not know the member ${JSON.stringify(member)} of the ${what}`;
    report("policy-shape", message, [...at, member], { at: "key", ...remedyFor(member, known) });
  }
}
