import type { ReadClient } from "../../api/client.js";
import { EdgewiseError, misuse } from "../../core/errors.js";
import { isObject } from "../../core/json.js";
import { limits } from "../../core/limits.js";
import { cut, shellWord } from "../../core/text.js";
import { version } from "../../core/version.js";
import {
  canonicalJson,
  commitWords,
  hashPlan,
  type Plan,
  type Refusal,
  relaxationFlags,
  type Relaxations,
  shownCommit,
} from "../../plan/plan-format.js";
import { staleness } from "../../plan/staleness.js";
import { validatePlan } from "../../schema/validate-documents.js";
import { type CommandContext, commitAt, requireBaseUrl, requireStack } from "./command-context.js";
import type { Flags } from "./command-options.js";
import { maskedPlan, readJsonFile } from "./output.js";
import { type Planned, everything, planLive, selectionOf } from "./planning.js";

const planFormat = "edgewise.plan/v1";

export async function readPlan(file: string, cwd: string): Promise<Plan> {
  // kubectl's `apply FILE` makes people type it.
  if (/\.ya?ml$/iu.test(file))
    throw new EdgewiseError(
      "plan-file",
      `${file} is not a saved plan, which is one JSON file`,
      `For manifests, use -f: \`edgewise apply -f ${shellWord(file)}\`.`,
    );
  const read = await readJsonFile(file, cwd, { most: 256 * 1024 * 1024, deepest: limits.depth + 20 });
  if ("why" in read) throw unusable(file, read.why);
  const { value } = read;
  if (!isObject(value) || typeof value["format"] !== "string") throw unusable(file, "it is not a saved plan");
  const { format } = value;
  if (format !== planFormat) {
    const why = `its format is ${JSON.stringify(cut(format, 100))}, and edgewise ${version} reads ${planFormat}`;
    throw unusable(file, why, 4, format.startsWith("edgewise.plan/") ? "Use the edgewise that saved it." : undefined);
  }
  const plan = read.value as Plan;
  if (hashPlan(plan) !== plan.hash)
    throw unusable(file, "it was changed after it was saved: its checksum does not match", 4);
  const problem = validatePlan(value);
  if (problem !== null) throw unusable(file, problem);
  return plan;
}

/** @param exit 4 for a plan of something else or edited, as for a stale one */
function unusable(file: string, why: string, exit: 1 | 4 = 1, remedy = "`edgewise plan --out FILE` saves a plan.") {
  return new EdgewiseError("plan-file", `${file} can't be used: ${why}`, { remedy, exit });
}

/** The file's guard flags count when `--approved` names its hash. */
export function flagsForSaved(saved: Plan, flags: Flags): Flags {
  const wrong = flags.base !== undefined ? "--base" : flags.out !== undefined ? "--out" : null;
  if (wrong !== null) throw otherwise(`${wrong} can't be used with a saved plan`);
  if (flags.destroy && !saved.relaxations.destroy)
    throw misuse("--destroy was given, but the saved plan was not made by `edgewise destroy`", "Leave out --destroy.");
  const isApproved = flags.approved !== undefined;
  if (isApproved && flags.approved !== saved.hash)
    throw foreign(
      `the approved plan is ${flags.approved}, but the file contains ${saved.hash}`,
      "Review the file, and approve the hash that `edgewise plan --out FILE` printed.",
    );
  const { exclude, files, labels, only, prune } = saved.selection;
  const recorded: Partial<Relaxations> = isApproved ? saved.relaxations : {};
  const maxDeletes = flags.maxDeletes ?? recorded.maxDeletes ?? null;
  return {
    ...flags,
    ...(only !== null && { only }),
    ...(exclude !== undefined && { exclude }),
    ...(labels.length === 0 ? {} : { label: labels }),
    ...(files !== null && { file: files }),
    ...(prune ? {} : { prune }),
    ...(maxDeletes !== null && { maxDeletes }),
    allow: [...new Set([...(flags.allow ?? []), ...(recorded.allow ?? [])])],
    allowEmpty: flags.allowEmpty || recorded.allowEmpty === true,
    takeOver: flags.takeOver || recorded.takeOver === true,
    destroy: flags.destroy || recorded.destroy === true,
  };
}

export function refuseForeign(saved: Plan, context: CommandContext, given: Flags): void {
  const { config, io } = context;
  const plain = (url: string) => url.replace(/\/$/u, "");
  for (const [what, planned, configured] of [
    ["stack", saved.stack, requireStack(context)],
    ["base URL", plain(saved.baseUrl), plain(requireBaseUrl(context))],
  ] as const) {
    if (planned === configured) continue;
    throw foreign(
      `the plan is for the ${what} ${cut(planned, 200)}, but the configuration has ${configured}`,
      "Apply it with the configuration and environment that it was made with.",
    );
  }
  refuseOtherCommit(saved, context);
  const typed = selectionOf({
    config: { ...config, patterns: given.file ?? [], patternBase: io.cwd, fromFlags: true },
    flags: given,
  });
  const { exclude, files, labels, only, prune } = saved.selection;
  const differs = (a: readonly string[] | null | undefined, b: readonly string[] | null | undefined): boolean =>
    canonicalJson(a?.toSorted() ?? null) !== canonicalJson(b?.toSorted() ?? null);
  const checks = {
    "--only": given.only !== undefined && differs(typed.only, only),
    "--exclude": given.exclude !== undefined && differs(typed.exclude, exclude),
    "--label": given.label !== undefined && differs(typed.labels, labels),
    "--file": given.file !== undefined && differs(typed.files, files),
    "--no-prune": given.prune === false && prune,
  };
  const other = Object.entries(checks).find(([, isOther]) => isOther);
  if (other !== undefined) throw otherwise(`${other[0]} can't be different from the saved plan's`);
}

/** The disk is something else than a commit, even where both plan the same today. */
function refuseOtherCommit(saved: Plan, { at }: CommandContext): void {
  const planned = shownCommit(saved);
  if (saved.commit === null || (planned === null && at === null) || at?.commit === saved.commit) return;
  const read = at === null ? "what is on disk" : commitWords(at);
  const made = planned === null ? `what was on disk at commit ${saved.commit.slice(0, 12)}` : commitWords(planned);
  throw foreign(
    `the plan was made from ${cut(made, 300)}, and this run reads ${read}`,
    planned === null ? "Leave out --ref." : `Give apply the same commit: --ref ${shellWord(saved.commit)}.`,
  );
}

function otherwise(message: string): EdgewiseError {
  return misuse(message, "Give it to `edgewise plan --out FILE`, and apply that plan.");
}

function foreign(message: string, remedy: string): EdgewiseError {
  return new EdgewiseError("plan-file", message, { remedy, exit: 4 });
}

export async function planSaved(
  saved: Plan,
  given: Flags,
  context: CommandContext,
  client: ReadClient,
): Promise<Planned> {
  const { flags, io } = context;
  // The selected files are relative to the configuration's root.
  const config =
    saved.selection.files === null ? context.config : { ...context.config, patternBase: context.config.root };
  // It names secrets that the manifests no longer name. It need not be in this clone.
  const base = saved.base && (await commitAt(config.root, saved.base, io).catch(() => null))?.id;
  const planned = await planLive({ ...context, config, flags: { ...flags, ...(base && { base }) } }, client, {
    again: true,
    withheld: saved.unavailableSecrets,
    ...(flags.destroy ? everything : {}),
  });
  const missing = given.approved === undefined ? missingRelaxations(saved, given) : [];
  // The file may have been masked with other secrets.
  const refusals = refusalsOf(maskedPlan(saved, io), maskedPlan(planned.plan, io), missing);
  return { ...planned, plan: { ...planned.plan, refusals } };
}

function missingRelaxations({ relaxations }: Plan, flags: Flags): readonly string[] {
  const { allow = [], allowEmpty, destroy, maxDeletes, takeOver } = flags;
  return relaxationFlags({
    allow: relaxations.allow.filter((address) => !allow.includes(address)),
    maxDeletes: maxDeletes === undefined ? relaxations.maxDeletes : null,
    allowEmpty: relaxations.allowEmpty && allowEmpty !== true,
    takeOver: relaxations.takeOver && takeOver !== true,
    destroy: relaxations.destroy && destroy !== true,
  });
}

/** When guard flags are missing now, the first remedy names them. */
function refusalsOf(saved: Plan, fresh: Plan, missing: readonly string[]): readonly Refusal[] {
  const old = saved.refusals.filter(
    ({ code, address }) => !fresh.refusals.some((one) => one.code === code && one.address === address),
  );
  if (missing.length === 0) return [...old, ...fresh.refusals, ...staleness(saved, fresh)];
  const remedy = `if that is intended, give apply ${cut(missing.join(" "), 500)} too, or --approved with the hash of the reviewed plan`;
  const [first, ...others] = fresh.refusals;
  if (first !== undefined)
    return [...old, { ...first, remedy: `${first.remedy}; the plan was made with more flags: ${remedy}` }, ...others];
  if (!missing.includes("--destroy")) return [...old, ...staleness(saved, fresh, `${remedy}; or plan again`)];
  const message = "the plan was made by `edgewise destroy` and deletes everything that the stack owns";
  return [...old, { code: "stale-plan", message, remedy }];
}
