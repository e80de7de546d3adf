import type { ReadClient } from "../../api/client.js";
import { EdgewiseError, misuse } from "../../core/errors.js";
import { isObject } from "../../core/json.js";
import { limits } from "../../core/limits.js";
import { cut } from "../../core/text.js";
import { version } from "../../core/version.js";
import { canonicalJson, hashPlan, type Plan, type Refusal, type Relaxations } from "../../plan/plan-format.js";
import { staleness } from "../../plan/staleness.js";
import { validatePlan } from "../../schema/validate-documents.js";
import { type CommandContext, commitAt, requireBaseUrl, requireStack } from "./command-context.js";
import type { Flags } from "./command-options.js";
import { maskedPlan, readJsonFile } from "./output.js";
import { type Planned, everything, planLive, selectionOf } from "./planning.js";

const planFormat = "edgewise.plan/v1";

export async function readPlan(file: string, cwd: string): Promise<Plan> {
  const read = await readJsonFile(file, cwd, { most: 256 * 1024 * 1024, deepest: limits.depth + 20 });
  if ("why" in read) throw unusable(file, read.why);
  const { value } = read;
  if (!isObject(value) || typeof value["format"] !== "string") throw unusable(file, "it is not a saved plan");
  const { format } = value;
  if (format !== planFormat) {
    const why = `its format is ${JSON.stringify(cut(format, 100))}, and edgewise ${version} reads ${planFormat}`;
    throw unusable(file, why, 4);
  }
  const plan = read.value as Plan;
  if (hashPlan(plan) !== plan.hash)
    throw unusable(file, "it was changed after it was saved: its checksum does not match", 4);
  const problem = validatePlan(value);
  if (problem !== null) throw unusable(file, problem);
  return plan;
}

function unusable(
  file: string,
  why: string,
  exit: 1 | 4 = 1,
  remedy = "`edgewise plan --out FILE` saves a plan; give manifests with -f.",
) {
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
  const typed = selectionOf({
    config: { ...config, patterns: given.file ?? [], patternBase: io.cwd, fromFlags: true },
    flags: given,
  });
  const sorted = (value: readonly string[] | boolean | null = null) =>
    canonicalJson(typeof value === "object" ? (value?.toSorted() ?? null) : value);
  for (const [flag, member] of [
    ["only", "only"],
    ["exclude", "exclude"],
    ["label", "labels"],
    ["file", "files"],
    ["prune", "prune"],
  ] as const) {
    if ((given[flag] ?? true) === true || sorted(typed[member]) === sorted(saved.selection[member])) continue;
    throw otherwise(`--${flag === "prune" ? "no-prune" : flag} can't be different from the saved plan's`);
  }
}

function otherwise(message: string): EdgewiseError {
  return misuse(message, "Give it to `edgewise plan --out FILE`, and apply that plan.");
}

function foreign(message: string, remedy: string): EdgewiseError {
  return new EdgewiseError("plan-file", message, { remedy, exit: 4 });
}

export async function planSaved(saved: Plan, context: CommandContext, client: ReadClient): Promise<Planned> {
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
  // The file may have been masked with other secrets.
  const [old, fresh] = [maskedPlan(saved, io), maskedPlan(planned.plan, io)];
  const gone = old.refusals.filter(
    ({ code, address }) => !fresh.refusals.some((one) => one.code === code && one.address === address),
  );
  const needsDestroy = saved.relaxations.destroy && flags.destroy !== true;
  const found = needsDestroy ? [unwantedDestroy] : [...fresh.refusals, ...staleness(old, fresh)];
  return { ...planned, plan: { ...planned.plan, refusals: [...gone, ...found] } };
}

const unwantedDestroy: Refusal = {
  code: "stale-plan",
  message: "the plan was made by `edgewise destroy` and deletes everything that the stack owns",
  remedy: "if that is intended, give apply --destroy, or --approved with the hash of the reviewed plan",
};
