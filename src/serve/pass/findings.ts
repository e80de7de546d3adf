import type { OperationResult } from "../../apply/result.js";
import { isTrouble } from "../../apply/result.js";
import { type Impact, worstOf } from "../../kinds/impact.js";
import { count } from "../../text/layout.js";
import { countUncompared } from "../decide/decide.js";
import type { Decision } from "../decide/decision.js";
import type { SpentApproval, StackMemory, StackState, StackStatus, WaitReason } from "../records.js";
import type { DueStack } from "./account-pass.js";
import { isInSync } from "./look-at-all.js";
import type { Sight } from "./look-at-stack.js";
import type { WriteAttempt } from "./write-allowed.js";
import type { Written } from "./write-stack.js";

/** What a pass found out about a stack. Texts are for people. */
export interface Findings {
  readonly state: StackState;
  readonly reason: WaitReason | null;
  readonly message: string;
  readonly memory: StackMemory;
  /** The beginning of a complete look; null = there was none. */
  readonly lookedAt: number | null;
  /** What the look showed; null = what was known stays. */
  readonly differs: Pick<StackStatus, "impact" | "changes" | "uncomparedSecrets"> | null;
  /** Whether live was what the commit says when it was looked at. */
  readonly inSync: boolean;
  /** The marker, when it is known. */
  readonly stack: string | null;
  /** The apply, when there was one. */
  readonly applied: AppliedFindings | null;
}

interface AppliedFindings {
  readonly outcome: string;
  readonly verified: boolean | null;
  readonly impact: Impact;
  readonly operations: readonly OperationResult[];
  readonly approval: SpentApproval | null;
  readonly message: string;
}

/** A stack that was seen. */
export interface Seen {
  readonly due: DueStack;
  readonly marker: string;
  readonly sight: Sight;
  readonly memory: StackMemory;
}

/** Nothing could be seen: why, for people. */
export function nothingSeen({ unfollowed }: DueStack, message: string, memory: StackMemory): Findings {
  const rewound = unfollowed?.rewound === true;
  return {
    state: rewound ? "waiting" : "failed",
    reason: rewound ? "rewound" : null,
    message: rewound && message !== unfollowed.message ? `${unfollowed.message}; ${message}` : message,
    memory,
    lookedAt: null,
    differs: null,
    inSync: false,
    stack: null,
    applied: null,
  };
}

/** Nothing changed since the stack was last in sync. */
export function fromRest(due: DueStack, listed: number, memory: StackMemory): Findings {
  const { status } = due.record ?? {};
  const { message, ...state } = ofSource(due, { state: "synced", reason: null, message: status?.message ?? "" });
  return { ...state, message, memory, lookedAt: listed, differs: null, inSync: true, stack: null, applied: null };
}

/** What was decided, when nothing is to be written. */
export function fromDecision({ due, marker, memory, sight }: Seen, decision: Decision): Findings {
  const { message, reason, state } = decision;
  return {
    ...ofSource(due, { state, reason, message }),
    memory,
    lookedAt: sight.began,
    differs: differencesOf(sight, decision),
    inSync: isInSync(sight),
    stack: marker,
    applied: null,
  };
}

/** Something is allowed, and this pass doesn't do it. */
export function cutShort(seen: Seen, decision: Decision, why: string): Findings {
  const found = fromDecision(seen, decision);
  return { ...found, message: `${found.message}; not applied: ${why}` };
}

/** Somebody else holds the account's lock: who, for people. */
export function lockedOut(seen: Seen, decision: Decision, message: string): Findings {
  return { ...fromDecision(seen, decision), state: "waiting", reason: "locked", message };
}

/** What became of a write. */
export function fromWrite(first: Seen, decision: Decision, attempt: WriteAttempt): Findings {
  if ("locked" in attempt) return lockedOut(first, decision, `the account is locked: ${attempt.locked}`);
  const { ending, written } = attempt;
  const { applied, doubt, problem } = written;
  const { sight, decision: after } = written;
  const last = sight === null || after === null ? null : fromDecision({ ...first, sight }, after);
  if (doubt !== null)
    return { ...(last ?? fromDecision(first, decision)), state: "waiting", reason: "brake", message: doubt };
  if (problem !== null)
    return { ...(last ?? fromDecision(first, decision)), state: "refused", reason: null, message: problem };
  if (applied === null) return last ?? fromDecision(first, decision);
  const trouble = troubleOf(applied, ending);
  const told = appliedFindings(applied, trouble, approvalOf(written));
  if (trouble === null && last !== null) return { ...last, applied: told };
  // Nobody knows what is live now, or somebody must know that it went wrong: the next pass looks again.
  const state = ending === "stopped" ? "pending" : "failed";
  const known = last ?? { ...fromDecision(first, decision), lookedAt: null, inSync: false };
  return { ...known, state, reason: null, message: told.message, applied: told };
}

/** Why an apply did not do all that it should; null = it did, and that was verified. */
function troubleOf({ report, verification }: Applied, ending: "done" | "deadline" | "stopped"): string | null {
  const wrong = report.operations.filter(({ status }) => isTrouble(status));
  const [first] = wrong;
  if (first !== undefined) {
    const more = wrong.length === 1 ? "" : `, and ${count(wrong.length - 1, "operation")} more`;
    const said = first.status === "failed" ? "failed" : "may have failed";
    return `${first.address} ${said}: ${first.error ?? "no reason is known"}${more}`;
  }
  if (report.outcome === "partial" || report.outcome === "failed") {
    if (ending === "deadline") return "its deadline came before everything was begun; the next pass goes on";
    const left = report.operations.find(({ status }) => status === "skipped");
    return `it was stopped before everything was begun${left?.error ? `: ${left.error}` : ""}`;
  }
  if (verification === null || verification.verified === null) return "it was applied, and not verified";
  if (verification.verified) return null;
  return `it was applied, and a second look shows that it did not converge: ${verification.warnings.map(({ message }) => message).join("; ")}`;
}

type Applied = NonNullable<Written["applied"]>;

/** The approval under which something was applied; null = it needed none. */
function approvalOf({ applied, memory }: Written): SpentApproval | null {
  const addresses = new Set<string>(applied?.plan.changes.map(({ address }) => address));
  const own = memory.approval?.spending.filter(({ changes }) => changes.some(({ address }) => addresses.has(address)));
  return own?.at(-1) ?? null;
}

function appliedFindings(
  { plan, report, verification }: Applied,
  trouble: string | null,
  approval: SpentApproval | null,
): AppliedFindings {
  return {
    outcome: report.outcome,
    verified: verification?.verified ?? null,
    impact: worstOf(plan.changes)?.impact ?? "none",
    operations: report.operations,
    approval,
    message: trouble ?? `applied ${count(plan.operations.length, "operation")}, and verified`,
  };
}

function differencesOf({ plan }: Sight, { changes, impact }: Decision): Findings["differs"] {
  return { impact, changes, uncomparedSecrets: countUncompared(plan) };
}

/** A source whose tip is not followed has the last word: what was seen is about an old commit. */
function ofSource(
  { unfollowed }: DueStack,
  seen: Pick<Findings, "state" | "reason" | "message">,
): Pick<Findings, "state" | "reason" | "message"> {
  if (unfollowed === null) return seen;
  const message = `${unfollowed.message}; at the last followed commit: ${seen.message}`;
  if (unfollowed.rewound) return { state: "waiting", reason: "rewound", message };
  return { state: "failed", reason: null, message };
}
