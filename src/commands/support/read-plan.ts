import { EdgewiseError } from "../../errors.js";
import { isObject } from "../../json.js";
import { isAtLeast } from "../../kinds/impact.js";
import { limits } from "../../limits.js";
import { canonicalJson, hashPlan } from "../../plan/canonical-json.js";
import { type Change, type Plan, summaryOf, worstImpact } from "../../plan/plan-format.js";
import { cut } from "../../text/layout.js";
import { readLargeJson } from "./large-json-file.js";

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
  const parsed = await parse(file, cwd);
  if (!isObject(parsed) || typeof parsed["format"] !== "string") throw planUnusable(file, "it is not a saved plan");
  if (parsed["format"] !== "edgewise.plan/v1") {
    throw planRefused(
      file,
      `its format is ${JSON.stringify(cut(parsed["format"], 100))}, but this version reads edgewise.plan/v1`,
    );
  }
  if (hashPlan(asPlan(parsed)) !== parsed["hash"]) {
    throw planRefused(file, "it was changed after it was saved: its checksum does not match");
  }
  const { validatePlan } = await import("../../schema/validate-plan.js");
  const problem = validatePlan(parsed);
  if (problem !== null) throw planUnusable(file, problem);
  const plan = asPlan(parsed);
  if (contradictsItself(plan)) throw planRefused(file, "its summary contradicts its changes");
  return plan;
}

/** People read the summary first, so it must match the changes. */
function contradictsItself({ changes, summary }: Plan): boolean {
  const understated = (change: Change): boolean => !isAtLeast(change.impact, worstImpact(change.fields).impact);
  return canonicalJson(summaryOf(changes, summary.unchanged)) !== canonicalJson(summary) || changes.some(understated);
}

/** A plan of a large account has hundreds of megabytes. */
async function parse(file: string, cwd: string): Promise<unknown> {
  const parsed = await readLargeJson(file, cwd, { most, deepest });
  if ("value" in parsed) return parsed.value;
  if (parsed.problem === "unread") throw planUnusable(file, parsed.why, parsed.cause);
  throw planUnusable(file, parsed.problem === "depth" ? "it is nested deeper than any plan" : "it is not valid JSON");
}

/** Only for values that match schemas/plan.schema.json, or that are only hashed. */
function asPlan(value: unknown): Plan {
  return value as Plan;
}

/** The error for a plan that must not be applied: it exits like a stale plan. */
function planRefused(file: string, why: string): EdgewiseError {
  return new EdgewiseError("plan-file", `${file} can't be used: ${why}`, {
    remedy: "Make a new one with `edgewise plan --out FILE`.",
    exit: 4,
  });
}

function planUnusable(file: string, why: string, cause?: unknown): EdgewiseError {
  return new EdgewiseError("plan-file", `${file} can't be used: ${why}`, {
    remedy: "Make a new one with `edgewise plan --out FILE`.",
    ...(cause === undefined ? {} : { cause }),
  });
}
