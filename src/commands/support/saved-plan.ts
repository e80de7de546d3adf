import { resolveCommit } from "../../git/resolve-commit.js";
import { findRepository } from "../../git/find-repository.js";
import { EdgewiseError } from "../../core/errors.js";
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
import { shellWord } from "../../core/shell-word.js";
import { cut } from "../../text/layout.js";
import type { ApplySession, PreparedPlan } from "./apply-session.js";
import { type CommandContext, requireBaseUrl, requireStack } from "./command-context.js";
import type { ApplyFlags } from "./command-options.js";
import { planLive } from "./planning.js";
import { gitHost, selectionOf } from "./provenance.js";
import { preparePlan } from "./run-apply.js";

/**
 * The flags for making a saved plan again: the plan's selection, and the guard flags of this run. The guard flags in the
 * file only count when `--approved` names the file's hash.
 * @throws EdgewiseError `usage` for flags that don't go with a saved plan; `plan-file` when another plan was approved
 */
export function flagsForSaved(saved: Plan, flags: ApplyFlags): ApplyFlags {
  const given = [flags.base !== undefined && "--base", flags.out !== undefined && "--out"].filter(
    (one) => one !== false,
  );
  if (given.length > 0) {
    throw new EdgewiseError("usage", `${given.join(" and ")} can't be used with a saved plan`, {
      remedy: "Give it to `edgewise plan --out FILE`, and apply that plan.",
    });
  }
  if (flags.destroy === true && !saved.relaxations.destroy) {
    throw new EdgewiseError("usage", "--destroy was given, but the saved plan was not made by `edgewise destroy`", {
      remedy: "Leave out --destroy.",
    });
  }
  if (flags.approved !== undefined && flags.approved !== saved.hash) {
    throw new EdgewiseError(
      "plan-file",
      `the approved plan is ${flags.approved}, but the file contains ${saved.hash}`,
      {
        remedy: "Review the file, and approve the hash that `edgewise plan --out FILE` printed for it.",
        exit: 4,
      },
    );
  }
  const { only, labels, files, prune } = saved.selection;
  const relaxed = granted(saved, flags);
  return {
    ...flags,
    ...(only === null ? {} : { only }),
    ...(labels.length === 0 ? {} : { label: labels }),
    ...(files === null ? {} : { file: files }),
    ...(prune ? {} : { prune }),
    ...(relaxed.maxDeletes === null ? {} : { maxDeletes: relaxed.maxDeletes }),
    allow: relaxed.allow,
    allowEmpty: relaxed.allowEmpty,
    takeOver: relaxed.takeOver,
    destroy: relaxed.destroy,
  };
}

/** The guard flags that count in this run. */
function granted({ relaxations }: Plan, flags: ApplyFlags): Relaxations {
  const approved = flags.approved !== undefined;
  return {
    allow: [...new Set([...(flags.allow ?? []), ...(approved ? relaxations.allow : [])])],
    maxDeletes: flags.maxDeletes ?? (approved ? relaxations.maxDeletes : null),
    allowEmpty: flags.allowEmpty === true || (approved && relaxations.allowEmpty),
    takeOver: flags.takeOver === true || (approved && relaxations.takeOver),
    destroy: flags.destroy === true || (approved && relaxations.destroy),
  };
}

/**
 * Checks that the plan is for the configured stack and service, which a file can't choose, and that the flags of this run
 * don't select something else.
 * @param given the flags as they were typed
 * @throws EdgewiseError `usage` for another selection; `plan-file` for another stack or service
 */
export function refuseForeign(saved: Plan, context: CommandContext, given: ApplyFlags): void {
  const stack = requireStack(context);
  const baseUrl = requireBaseUrl(context).replace(/\/$/u, "");
  if (stack !== saved.stack) throw foreign("stack", saved.stack, stack);
  if (baseUrl !== saved.baseUrl.replace(/\/$/u, "")) throw foreign("base URL", saved.baseUrl, baseUrl);
  refuseOtherCommit(saved, context);
  const typed = selectionOf(
    { config: { ...context.config, patterns: given.file ?? [], patternBase: context.io.cwd, fromFlags: true } },
    given,
  );
  const other = [
    given.only !== undefined && !sameSet(typed.only, saved.selection.only) && "--only",
    given.label !== undefined && !sameSet(typed.labels, saved.selection.labels) && "--label",
    given.file !== undefined && !sameSet(typed.files, saved.selection.files) && "--file",
    given.prune === false && saved.selection.prune && "--no-prune",
  ].filter((flag) => flag !== false);
  if (other.length === 0) return;
  throw new EdgewiseError("usage", `${other.join(" and ")} can't be different from the saved plan's`, {
    remedy: "Give it to `edgewise plan --out FILE`, and apply that plan.",
  });
}

/**
 * A plan of a commit is applied with that commit: what is on disk is something else, even where both plan the same today.
 * @throws EdgewiseError `plan-file`
 */
function refuseOtherCommit(saved: Plan, { at }: CommandContext): void {
  const planned = shownCommit(saved);
  if (saved.commit === null || (planned === null && at === null)) return;
  if (at?.commit === saved.commit) return;
  const read = at === null ? "what is on disk" : commitWords(at);
  const made = planned === null ? `what was on disk at commit ${saved.commit.slice(0, 12)}` : commitWords(planned);
  throw new EdgewiseError("plan-file", `the plan was made from ${cut(made, 300)}, and this run reads ${read}`, {
    remedy: planned === null ? "Leave out --ref." : `Give apply the same commit: --ref ${shellWord(saved.commit)}.`,
    exit: 4,
  });
}

function sameSet(a: readonly string[] | null, b: readonly string[] | null): boolean {
  return canonicalJson(a?.toSorted() ?? null) === canonicalJson(b?.toSorted() ?? null);
}

function foreign(what: string, planned: string, configured: string): EdgewiseError {
  return new EdgewiseError(
    "plan-file",
    `the plan is for the ${what} ${cut(planned, 200)}, but the configuration has ${configured}`,
    {
      remedy: "Apply it with the configuration and environment that it was made with.",
      exit: 4,
    },
  );
}

/**
 * Plans again from the manifests and the live account, and refuses when the result differs from the saved plan. The new
 * plan is the one applied, so that nothing in the file is ever sent.
 * @param given the flags as they were typed; the session has those of {@link flagsForSaved}
 */
export async function prepareSaved(saved: Plan, given: ApplyFlags, session: ApplySession): Promise<PreparedPlan> {
  const { context, flags, client } = session;
  // What the file was compared with names secrets that the manifests no longer name.
  const base = await baseOf(saved, context);
  const planned = await planLive(
    selectedBy(saved, context),
    client,
    { ...flags, ...base },
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
  return preparePlan({ ...planned, plan }, session, { withheld: saved.unavailableSecrets });
}

/** The flag `--base` that the plan was made with; nothing when the commit is not in this clone. */
async function baseOf({ base }: Plan, { config, io }: CommandContext): Promise<Pick<ApplyFlags, "base">> {
  if (base === undefined) return {};
  try {
    return { base: await resolveCommit(await findRepository(config.root, gitHost(io)), base) };
  } catch {
    return {};
  }
}

/** The context with the manifest files that the plan selected, which are relative to the configuration's root. */
function selectedBy(saved: Plan, context: CommandContext): CommandContext {
  if (saved.selection.files === null) return context;
  return { ...context, config: { ...context.config, patternBase: context.config.root } };
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
