import { EdgewiseError } from "../../errors.js";
import { canonicalJson } from "../../plan/canonical-json.js";
import { type Plan, type Refusal, type Relaxations, relaxationFlags } from "../../plan/plan-format.js";
import { staleness } from "../../plan/staleness.js";
import { cut } from "../../text.js";
import { type CommandContext, requireBaseUrl, requireStack } from "./command-context.js";
import type { ApplyFlags } from "./flags.js";
import { maskedPlan } from "./output-files.js";
import { planLive } from "./planning.js";
import { selectionOf } from "./provenance.js";
import { type ApplySession, type PreparedPlan, preparePlan } from "./run-apply.js";

/**
 * The flags that a saved plan is made again with: its own selection, and the guards that are loosened by the flags of
 * this run. What the file says it was allowed counts only when `--approved` names the file's hash.
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
    throw new EdgewiseError("usage", "--destroy was given, and the saved plan was not made by `edgewise destroy`", {
      remedy: "Leave --destroy out.",
    });
  }
  if (flags.approved !== undefined && flags.approved !== saved.hash) {
    throw new EdgewiseError("plan-file", `the approved plan is ${flags.approved}, and the file holds ${saved.hash}`, {
      remedy: "Review the file, and approve the hash that `edgewise plan --out FILE` printed for it.",
      exit: 4,
    });
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

/** What loosens the guards in this run. */
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
 * A selection of this run must be that of the file. The configuration says whose stack and which service it is: a file
 * can't choose.
 * @param given the flags as they were typed
 * @throws EdgewiseError `usage` for another selection; `plan-file` for another stack or service
 */
export function refuseForeign(saved: Plan, context: CommandContext, given: ApplyFlags): void {
  const stack = requireStack(context);
  const baseUrl = requireBaseUrl(context).replace(/\/$/u, "");
  if (stack !== saved.stack) throw foreign("stack", saved.stack, stack);
  if (baseUrl !== saved.baseUrl.replace(/\/$/u, "")) throw foreign("address", saved.baseUrl, baseUrl);
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
  throw new EdgewiseError("usage", `${other.join(" and ")} can't change a saved plan, which was made with another`, {
    remedy: "Give it to `edgewise plan --out FILE`, and apply that plan.",
  });
}

function sameSet(a: readonly string[] | null, b: readonly string[] | null): boolean {
  return canonicalJson(a?.toSorted() ?? null) === canonicalJson(b?.toSorted() ?? null);
}

function foreign(what: string, its: string, ours: string): EdgewiseError {
  return new EdgewiseError(
    "plan-file",
    `the plan is for the ${what} ${cut(its, 200)}, and the configuration says ${ours}`,
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
  const planned = await planLive(selectedBy(saved, context), client, flags, {
    again: true,
    withheld: saved.unavailableSecrets,
    ...(flags.destroy === true ? { destroy: true, prune: true } : {}),
  });
  const missing = given.approved === undefined ? missingRelaxations(saved, given) : [];
  // The saved plan was masked, maybe without knowing every secret that is known here.
  const [before, now] = await Promise.all([maskedPlan(saved, context.io), maskedPlan(planned.plan, context.io)]);
  const plan = { ...planned.plan, refusals: refusalsOf({ ...before, hash: saved.hash }, now, missing) };
  return preparePlan({ ...planned, plan }, session, saved.unavailableSecrets);
}

/** The context with the manifest files that the plan selected, which are relative to the configuration's root. */
function selectedBy(saved: Plan, context: CommandContext): CommandContext {
  if (saved.selection.files === null) return context;
  return { ...context, config: { ...context.config, patternBase: context.config.root } };
}

/** The flags that the plan was made with and that don't count in this run, as they are typed. Empty = all count. */
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
 * What speaks against applying: what refused the saved plan, what refuses the new one, and where they differ. When the
 * saved plan needed guards to be loosened that are not now, the refusals of these guards say what is to be done.
 */
function refusalsOf(saved: Plan, fresh: Plan, missing: readonly string[]): readonly Refusal[] {
  const old = saved.refusals.filter(
    ({ code, address }) => !fresh.refusals.some((one) => one.code === code && one.address === address),
  );
  const refusals = [...old, ...fresh.refusals.map((refusal, at) => (at === 0 ? withHint(refusal, missing) : refusal))];
  if (missing.length > 0 && fresh.refusals.length > 0) return refusals;
  if (missing.length === 0) return [...refusals, ...staleness(saved, fresh)];
  if (missing.includes("--destroy")) return [...refusals, madeByDestroy];
  const again = `if that is meant, give apply ${flagsText(missing)} too, or ${approval}; or plan again`;
  return [...refusals, ...staleness(saved, fresh, again)];
}

/** The hash itself is not told: that of a file that somebody replaced is not the one that was reviewed. */
const approval = "--approved with the hash that `--out` printed when the reviewed plan was made";

const madeByDestroy: Refusal = {
  code: "stale-plan",
  message: "the plan was made by `edgewise destroy`, and deletes everything that the stack owns",
  remedy: `if that is meant, give apply --destroy too, or ${approval}`,
};

function withHint(refusal: Refusal, missing: readonly string[]): Refusal {
  if (missing.length === 0) return refusal;
  const words = `the plan was made with ${flagsText(missing)}: if that is meant, give apply the same, or ${approval}`;
  return { ...refusal, remedy: `${refusal.remedy}; ${words}` };
}

/** Flags as they are typed; a file may name any number. */
function flagsText(flags: readonly string[]): string {
  const shown = flags.slice(0, 10).map((flag) => cut(flag, 200));
  return [...shown, ...(flags.length > shown.length ? [`and ${flags.length - shown.length} more`] : [])].join(" ");
}
