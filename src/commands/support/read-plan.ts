import { validatePlan } from "../../schema/validate-plan.js";
import { EdgewiseError } from "../../core/errors.js";
import { isObject } from "../../core/json.js";
import { isAtLeast } from "../../kinds/impact.js";
import { limits } from "../../core/limits.js";
import { canonicalJson, hashPlan } from "../../plan/canonical-json.js";
import { type Change, type Plan, summaryOf, worstImpact } from "../../plan/plan-format.js";
import { shellWord } from "../../core/shell-word.js";
import { cut } from "../../text/layout.js";
import { version } from "../../core/version.js";
import { readJsonFile } from "./json-file.js";

const anyPlan = "`edgewise plan --out FILE` saves a plan.";

const planFormat = "edgewise.plan/v1";

/** The largest saved plan that is read, in bytes. */
const most = 256 * 1024 * 1024;

/** A plan nests values of manifests and live resources. */
const deepest = limits.depth + 20;

/**
 * Reads a saved plan and checks that it is complete and was not edited.
 * @param file absolute, or relative to `cwd`
 * @throws EdgewiseError `plan-file`
 */
export async function readPlan(file: string, cwd: string): Promise<Plan> {
  refuseManifest(file);
  const parsed = await parse(file, cwd);
  if (!isObject(parsed) || typeof parsed["format"] !== "string")
    throw planUnusable(file, "it is not a saved plan", anyPlan);
  const { format } = parsed;
  if (format !== planFormat) {
    const shown = JSON.stringify(cut(format, 100));
    const isPlan = /^edgewise\.plan\/v\d+$/u.test(format);
    const why = isPlan
      ? `another version of edgewise saved it: its format is ${shown}, and edgewise ${version} reads ${planFormat}`
      : `it is not a saved plan: its format is ${shown}, not ${planFormat}`;
    throw planRefused(file, why, isPlan ? `Use the edgewise that saved it. Or: ${newPlan(file)}` : anyPlan);
  }
  if (hashPlan(asPlan(parsed)) !== parsed["hash"]) {
    throw planRefused(file, "it was changed after it was saved: its checksum does not match");
  }
  const problem = validatePlan(parsed);
  if (problem !== null) throw planUnusable(file, problem);
  const plan = asPlan(parsed);
  if (contradictsItself(plan)) throw planRefused(file, "its summary contradicts its changes");
  return plan;
}

/**
 * Refuses the name of a manifest where a saved plan belongs, as kubectl's `apply FILE` makes people type it.
 * @throws EdgewiseError `plan-file`
 */
export function refuseManifest(file: string): void {
  if (/\.ya?ml$/iu.test(file)) throw notAPlan(file, "a manifest");
}

function notAPlan(file: string, what: "a manifest" | "a directory"): EdgewiseError {
  const message =
    what === "a directory"
      ? `${file} is a directory, and a saved plan is one JSON file`
      : `${file} is not a saved plan, which is one JSON file`;
  return new EdgewiseError("plan-file", message, {
    remedy: `For the manifests there, use -f: \`edgewise plan -f ${shellWord(file)}\`, then \`edgewise apply -f ${shellWord(file)}\`.`,
  });
}

/** People read the summary first, so it must match the changes. */
function contradictsItself({ changes, summary }: Plan): boolean {
  const understated = (change: Change): boolean => !isAtLeast(change.impact, worstImpact(change.fields).impact);
  return canonicalJson(summaryOf(changes, summary.unchanged)) !== canonicalJson(summary) || changes.some(understated);
}

async function parse(file: string, cwd: string): Promise<unknown> {
  const parsed = await readJsonFile(file, cwd, { most, deepest });
  if ("value" in parsed) return parsed.value;
  if (parsed.problem === "unread") {
    const isDirectory = parsed.why === "it is a directory";
    throw isDirectory ? notAPlan(file, "a directory") : planUnusable(file, parsed.why, newPlan(file), parsed.cause);
  }
  throw planUnusable(
    file,
    parsed.problem === "depth" ? "it is nested deeper than any plan" : parsed.why,
    parsed.problem === "syntax" && parsed.isCut ? newPlan(file) : anyPlan,
  );
}

/** Only for values that match schemas/plan.schema.json, or that are only hashed. */
function asPlan(value: unknown): Plan {
  return value as Plan;
}

/** The error for a plan that must not be applied: it exits like a stale plan. */
function planRefused(file: string, why: string, remedy = newPlan(file)): EdgewiseError {
  return new EdgewiseError("plan-file", `${file} can't be used: ${why}`, { remedy, exit: 4 });
}

function planUnusable(file: string, why: string, remedy = newPlan(file), cause?: unknown): EdgewiseError {
  return new EdgewiseError("plan-file", `${file} can't be used: ${why}`, {
    remedy,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Not for a file that holds something else, which it would overwrite. */
function newPlan(file: string): string {
  const target = file.startsWith("/dev/") || file.startsWith("/proc/") ? "FILE" : shellWord(file);
  return `\`edgewise plan --out ${target}\` saves a new one.`;
}
