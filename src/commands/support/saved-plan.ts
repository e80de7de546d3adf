import { EdgewiseError } from "../../core/errors.js";
import { shellWord } from "../../core/shell-word.js";
import { findRepository } from "../../git/find-repository.js";
import { resolveCommit } from "../../git/resolve-commit.js";
import { canonicalJson } from "../../plan/canonical-json.js";
import {
  type Plan,
  type Refusal,
  type Relaxations,
  commitWords,
  relaxationFlags,
  shownCommit,
} from "../../plan/plan-format.js";
import { shownPlan } from "../../plan/plan-secrets.js";
import { staleness } from "../../plan/staleness.js";
import { cut } from "../../core/text.js";
import { type ApplySession, type PreparedPlan, preparePlan } from "./apply-session.js";
import { type CommandContext, requireBaseUrl, requireStack } from "./command-context.js";
import type { ApplyFlags } from "./command-options.js";
import { planLive, selectionOf } from "./planning.js";

/**
 * The flags for making a saved plan again: the plan's selection, and the guard flags of this run. The guard flags in the
 * file only count when `--approved` names the file's hash.
 * @throws EdgewiseError `usage` for flags that don't go with a saved plan; `plan-file` when another plan was approved
 */
export function flagsForSaved(saved: Plan, flags: ApplyFlags): ApplyFlags {
  const wrong = flags.base !== undefined ? "--base" : flags.out !== undefined ? "--out" : null;
  if (wrong !== null) throw otherwise(`${wrong} can't be used with a saved plan`);
  if (flags.destroy === true && !saved.relaxations.destroy) {
    throw new EdgewiseError("usage", "--destroy was given, but the saved plan was not made by `edgewise destroy`", {
      remedy: "Leave out --destroy.",
    });
  }
  const isApproved = flags.approved !== undefined;
  if (isApproved && flags.approved !== saved.hash) {
    throw foreign(
      `the approved plan is ${flags.approved}, but the file contains ${saved.hash}`,
      "Review the file, and approve the hash that `edgewise plan --out FILE` printed for it.",
    );
  }
  const { exclude, files, labels, only, prune } = saved.selection;
  const recorded: Partial<Relaxations> = isApproved ? saved.relaxations : {};
  const maxDeletes = flags.maxDeletes ?? recorded.maxDeletes ?? null;
  return {
    ...flags,
    ...(only === null ? {} : { only }),
    ...(exclude === undefined ? {} : { exclude }),
    ...(labels.length === 0 ? {} : { label: labels }),
    ...(files === null ? {} : { file: files }),
    ...(prune ? {} : { prune }),
    ...(maxDeletes === null ? {} : { maxDeletes }),
    allow: [...new Set([...(flags.allow ?? []), ...(recorded.allow ?? [])])],
    allowEmpty: flags.allowEmpty === true || recorded.allowEmpty === true,
    takeOver: flags.takeOver === true || recorded.takeOver === true,
    destroy: flags.destroy === true || recorded.destroy === true,
  };
}

/**
 * Checks that the plan is for the configured stack and service, which a file can't choose, and for the commit that is read;
 * and that the flags of this run don't select something else.
 * @param given the flags as they were typed
 * @throws EdgewiseError `usage` for another selection; `plan-file` for another stack, service or commit
 */
export function refuseForeign(saved: Plan, context: CommandContext, given: ApplyFlags): void {
  const same = "Apply it with the configuration and environment that it was made with.";
  const plain = (url: string): string => url.replace(/\/$/u, "");
  for (const [what, planned, configured] of [
    ["stack", saved.stack, requireStack(context)],
    ["base URL", plain(saved.baseUrl), plain(requireBaseUrl(context))],
  ] as const) {
    if (planned !== configured)
      throw foreign(`the plan is for the ${what} ${cut(planned, 200)}, but the configuration has ${configured}`, same);
  }
  refuseOtherCommit(saved, context);
  const typed = selectionOf(
    { config: { ...context.config, patterns: given.file ?? [], patternBase: context.io.cwd, fromFlags: true } },
    given,
  );
  const differs = (a: readonly string[] | null, b: readonly string[] | null): boolean =>
    canonicalJson(a?.toSorted() ?? null) !== canonicalJson(b?.toSorted() ?? null);
  const { exclude, files, labels, only, prune } = saved.selection;
  const other =
    given.only !== undefined && differs(typed.only, only)
      ? "--only"
      : given.exclude !== undefined && differs(given.exclude, exclude ?? null)
        ? "--exclude"
        : given.label !== undefined && differs(typed.labels, labels)
          ? "--label"
          : given.file !== undefined && differs(typed.files, files)
            ? "--file"
            : given.prune === false && prune
              ? "--no-prune"
              : null;
  if (other !== null) throw otherwise(`${other} can't be different from the saved plan's`);
}

/**
 * A plan of a commit is applied with that commit: what is on disk is something else, even where both plan the same today.
 * @throws EdgewiseError `plan-file`
 */
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
  return new EdgewiseError("usage", message, {
    remedy: "Give it to `edgewise plan --out FILE`, and apply that plan.",
  });
}

function foreign(message: string, remedy: string): EdgewiseError {
  return new EdgewiseError("plan-file", message, { remedy, exit: 4 });
}

/**
 * Plans again from the manifests and the live account, and refuses when the result differs from the saved plan. The new
 * plan is the one applied, so that nothing in the file is ever sent.
 * @param given the flags as they were typed; the session has those of {@link flagsForSaved}
 */
export async function prepareSaved(saved: Plan, given: ApplyFlags, session: ApplySession): Promise<PreparedPlan> {
  const { context, flags, client } = session;
  // The files that the plan selected are relative to the configuration's root.
  const config =
    saved.selection.files === null ? context.config : { ...context.config, patternBase: context.config.root };
  const planned = await planLive(
    { ...context, config },
    client,
    { ...flags, ...(await baseOf(saved, context)) },
    {
      again: true,
      withheld: saved.unavailableSecrets,
      ...(flags.destroy === true ? { destroy: true, prune: true } : {}),
    },
  );
  const missing = given.approved === undefined ? missingRelaxations(saved, given) : [];
  // What the file shows may have been masked with other secrets than those that are known here.
  const shown = (each: Plan): Plan => shownPlan(each, (text) => context.io.redactor.redact(text));
  const plan = { ...planned.plan, refusals: refusalsOf(shown(saved), shown(planned.plan), missing) };
  return preparePlan({ ...planned, plan }, session, saved.unavailableSecrets);
}

/**
 * The flag `--base` that the plan was made with, because what the file was compared with names secrets that the manifests
 * no longer name; nothing when the commit is not in this clone.
 */
async function baseOf({ base }: Plan, { config, io }: CommandContext): Promise<Pick<ApplyFlags, "base">> {
  if (base === undefined) return {};
  try {
    return { base: await resolveCommit(await findRepository(config.root, io), base) };
  } catch {
    return {};
  }
}

/** The guard flags that the plan was made with and that don't count in this run, as they are typed. */
function missingRelaxations({ relaxations }: Plan, flags: ApplyFlags): readonly string[] {
  const { allow = [], allowEmpty, destroy, maxDeletes, takeOver } = flags;
  return relaxationFlags({
    allow: relaxations.allow.filter((address) => !allow.includes(address)),
    maxDeletes: maxDeletes === undefined ? relaxations.maxDeletes : null,
    allowEmpty: relaxations.allowEmpty && allowEmpty !== true,
    takeOver: relaxations.takeOver && takeOver !== true,
    destroy: relaxations.destroy && destroy !== true,
  });
}

/**
 * The reasons against applying: refusals of the saved plan and of the new one, and their differences. When guard flags of
 * the saved plan are missing now, the remedies name them.
 */
function refusalsOf(saved: Plan, fresh: Plan, missing: readonly string[]): readonly Refusal[] {
  const old = saved.refusals.filter(
    ({ code, address }) => !fresh.refusals.some((one) => one.code === code && one.address === address),
  );
  const refusals = [
    ...old,
    ...fresh.refusals.map((refusal, at) => (at === 0 ? withMissingFlags(refusal, missing) : refusal)),
  ];
  if (missing.length > 0 && fresh.refusals.length > 0) return refusals;
  if (missing.length === 0) return [...refusals, ...staleness(saved, fresh)];
  if (missing.includes("--destroy")) return [...refusals, madeByDestroy];
  const remedy = `if that is intended, give apply ${flagsText(missing)} too, or ${approval}; or plan again`;
  return [...refusals, ...staleness(saved, fresh, remedy)];
}

/** Without the hash itself: if somebody replaced the file, its hash is not the one that was reviewed. */
const approval = "--approved with the hash that `--out` printed when the reviewed plan was made";

const madeByDestroy: Refusal = {
  code: "stale-plan",
  message: "the plan was made by `edgewise destroy` and deletes everything that the stack owns",
  remedy: `if that is intended, give apply --destroy too, or ${approval}`,
};

function withMissingFlags(refusal: Refusal, missing: readonly string[]): Refusal {
  if (missing.length === 0) return refusal;
  const words = `the plan was made with ${flagsText(missing)}: if that is intended, give apply the same flags, or ${approval}`;
  return { ...refusal, remedy: `${refusal.remedy}; ${words}` };
}

/** Flags as they are typed; a file may contain any number of them. */
function flagsText(flags: readonly string[]): string {
  const shown = flags.slice(0, 10).map((flag) => cut(flag, 200));
  return [...shown, ...(flags.length > shown.length ? [`and ${flags.length - shown.length} more`] : [])].join(" ");
}
