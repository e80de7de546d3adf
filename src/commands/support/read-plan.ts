import { EdgewiseError } from "../../core/errors.js";
import { isObject } from "../../core/json.js";
import { limits } from "../../core/limits.js";
import { shellWord } from "../../core/shell-word.js";
import { version } from "../../core/version.js";
import { isAtLeast } from "../../kinds/impact.js";
import { canonicalJson, hashPlan } from "../../plan/canonical-json.js";
import { type Plan, summaryOf, worstImpact } from "../../plan/plan-format.js";
import { validatePlan } from "../../schema/validate-plan.js";
import { cut } from "../../core/text.js";
import { readJsonFile } from "./json-file.js";

const planFormat = "edgewise.plan/v1";

/** The size in bytes of the largest plan that is read, and how deep it may nest values of manifests and live resources. */
const bounds = { most: 256 * 1024 * 1024, deepest: limits.depth + 20 };

/**
 * Reads a saved plan and checks that it is complete and was not edited.
 * @param file absolute, or relative to `cwd`
 * @throws EdgewiseError `plan-file`
 */
export async function readPlan(file: string, cwd: string): Promise<Plan> {
  refuseManifest(file);
  const read = await readJsonFile(file, cwd, bounds);
  if ("why" in read) throw unusable(file, read.why);
  const { value } = read;
  if (!isObject(value) || typeof value["format"] !== "string") throw unusable(file, "it is not a saved plan");
  const { format } = value;
  if (format !== planFormat) {
    const isPlan = format.startsWith("edgewise.plan/");
    const why = `its format is ${JSON.stringify(cut(format, 100))}, and edgewise ${version} reads ${planFormat}`;
    throw unusable(file, why, 4, isPlan ? "Use the edgewise that saved it." : remedy);
  }
  if (hashPlan(asPlan(value)) !== value["hash"])
    throw unusable(file, "it was changed after it was saved: its checksum does not match", 4);
  const problem = validatePlan(value);
  if (problem !== null) throw unusable(file, problem);
  const plan = asPlan(value);
  if (contradictsItself(plan)) throw unusable(file, "its summary contradicts its changes", 4);
  return plan;
}

/**
 * Refuses the name of a manifest where a saved plan belongs, as kubectl's `apply FILE` makes people type it.
 * @throws EdgewiseError `plan-file`
 */
export function refuseManifest(file: string): void {
  if (!/\.ya?ml$/iu.test(file)) return;
  throw new EdgewiseError("plan-file", `${file} is not a saved plan, which is one JSON file`, {
    remedy: `For manifests, use -f: \`edgewise plan -f ${shellWord(file)}\`, then \`edgewise apply -f ${shellWord(file)}\`.`,
  });
}

/** People read the summary first, so it must match the changes. */
function contradictsItself({ changes, summary }: Plan): boolean {
  return (
    canonicalJson(summaryOf(changes, summary.unchanged)) !== canonicalJson(summary) ||
    changes.some(({ fields, impact }) => !isAtLeast(impact, worstImpact(fields).impact))
  );
}

/** Only for values that match schemas/plan.schema.json, or that are only hashed. */
function asPlan(value: unknown): Plan {
  return value as Plan;
}

const remedy = "`edgewise plan --out FILE` saves a plan.";

/** @param exit 4 for a plan that was made for something else or edited, as for a stale one */
function unusable(file: string, why: string, exit: 1 | 4 = 1, what = remedy): EdgewiseError {
  return new EdgewiseError("plan-file", `${file} can't be used: ${why}`, { remedy: what, exit });
}
