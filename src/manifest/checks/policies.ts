import { didYouMean } from "../../diagnostics/suggest.js";
import type { DocumentPath } from "../../core/document-path.js";
import { isObject } from "../../core/json.js";
import { limits } from "../../core/limits.js";
import { parseJson } from "../../core/parse-json.js";
import { knownActions, knownPhases } from "../../kinds/policy/known-words.js";
import { documentOf } from "../../kinds/policy/policy-codec.js";
import type { ManifestCheck, ManifestProblem, ParsedManifest, PolicyField, ReportProblem } from "../parsed-manifest.js";
import { namedFile } from "../resolve-spec.js";
import { policiesOf, specValueAt } from "../spec-fields.js";

/** The traffic policies that a manifest has. */
export function policyFieldsOf({ kind, spec, value }: ParsedManifest): readonly PolicyField[] {
  return policiesOf(kind).flatMap(({ field, inDocument, path }) => {
    const policy = specValueAt(spec, path) ?? null;
    if (policy === null) return [];
    const written = specValueAt(value["spec"], path);
    const file = namedFile(written);
    return [{ path: inDocument, field, value: policy, file, isInline: typeof written === "object" && file === null }];
  });
}

/** The policy as an object; undefined for a text that is not JSON. */
export function policyDocument({ value }: PolicyField): unknown {
  return typeof value === "string" ? documentOf(value) : value;
}

/** The path of something inside a policy. Problems inside a file or a text are shown at the whole field. */
export function pathInPolicy({ isInline, path }: PolicyField, inside: DocumentPath): DocumentPath {
  return isInline ? [...path, ...inside] : path;
}

/** A traffic policy is a JSON object. Unknown phases and actions are warnings, never errors. */
export const trafficPolicies: ManifestCheck = (_manifest, report, _options, policies) => {
  for (const field of policies) {
    const document = policyDocument(field);
    if (isObject(document)) checkPhases(field, document, report);
    else report({ code: "policy-json", path: field.path, ...notAnObject(field, document) });
  }
};

function notAnObject({ file, value }: PolicyField, document: unknown): Pick<ManifestProblem, "message" | "remedy"> {
  const what = file === null ? "the traffic policy" : `"${file}"`;
  if (typeof value !== "string" || document !== undefined) {
    const isList = Array.isArray(document);
    const remedy = isList ? "Write the object alone, without the brackets of a list around it." : null;
    return { message: `${what} is ${isList ? "a list, not an" : "not an"} object of phases`, remedy };
  }
  const parsed = parseJson(value);
  if ("problem" in parsed && parsed.problem === "depth")
    return { message: `${what} is nested more than ${limits.depth} deep`, remedy: null };
  if (/^[\w./-]+\.(?:json|ya?ml)$/u.test(value))
    return { message: `${what} is the name of a file, not JSON`, remedy: `Write {file: ${value}}.` };
  const remedy =
    file === null
      ? "Write it as an object of the manifest: below `value:`, without quotes and without |."
      : `\`jq . ${file}\` shows where; a policy in YAML needs a file name that ends in .yaml.`;
  return { message: `${what} is not JSON`, remedy };
}

function checkPhases(field: PolicyField, document: { readonly [phase: string]: unknown }, report: ReportProblem): void {
  const foreign = field.field.foreignPhases;
  for (const [phase, rules] of Object.entries(document)) {
    const path = pathInPolicy(field, [phase]);
    if (!knownPhases.includes(phase)) {
      const message = `edgewise does not know the phase ${JSON.stringify(phase)}`;
      report({ code: "policy-phase", message, ...meant(phase, knownPhases), path, at: "key" });
    } else if (foreign?.phases.test(phase) === true) {
      const message = `the phase ${phase} belongs to ${foreign.owner}; it does nothing here`;
      report({ code: "policy-phase-misplaced", message, path, at: "key" });
    }
    if (phase.startsWith("on_"))
      checkRules(rules, (code, message, inside, more) =>
        report({ code, message, ...more, path: pathInPolicy(field, [phase, ...inside]) }),
      );
  }
}

function meant(word: string, known: readonly string[]): { readonly remedy?: string } {
  const remedy = didYouMean(word, known);
  return remedy === null ? {} : { remedy };
}

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
    checkMembers(rule, "rule", [r], report);
    if (!isObject(rule)) continue;
    const { actions } = rule;
    if (!Array.isArray(actions)) {
      report("policy-shape", "the rule has no list of actions", actions === undefined ? [r] : [r, "actions"]);
      continue;
    }
    for (const [a, action] of (actions as readonly unknown[]).entries()) {
      const at = [r, "actions", a];
      checkMembers(action, "action", at, report);
      if (!isObject(action)) continue;
      const { type } = action;
      if (typeof type !== "string") report("policy-shape", "the action has no type", at);
      else if (!knownActions.includes(type)) {
        const message = `edgewise does not know the action ${JSON.stringify(type)}`;
        report("policy-action", message, [...at, "type"], meant(type, knownActions));
      }
    }
  }
}

const knownMembers = { rule: ["name", "expressions", "actions"], action: ["type", "config"] };

function checkMembers(value: unknown, what: "rule" | "action", at: DocumentPath, report: ReportDoubt): void {
  if (!isObject(value)) return report("policy-shape", `the ${what} is not an object`, at);
  for (const member of Object.keys(value)) {
    if (knownMembers[what].includes(member)) continue;
    const message = `edgewise does not know the member ${JSON.stringify(member)} of the ${what}`;
    report("policy-shape", message, [...at, member], { at: "key", ...meant(member, knownMembers[what]) });
  }
}
