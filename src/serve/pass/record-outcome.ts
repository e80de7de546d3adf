import { visibleLine } from "../../text/visible.js";
import { nextLookAfter } from "../decide/schedule.js";
import type { FleetAccount } from "../fleet/fleet.js";
import {
  type HistoryEntry,
  type SpentApproval,
  type StackRecord,
  type StackStatus,
  newStackRecord,
} from "../records.js";
import type { DueStack, StackOutcome } from "./account-pass.js";
import type { Findings } from "./findings.js";

/** What recording needs beside the findings. */
export interface RecordContext {
  readonly due: DueStack;
  readonly account: FleetAccount;
  readonly now: number;
  readonly random: number;
  /** Nothing is written, so that what is on its way does not arrive. */
  readonly dryRun: boolean;
  /** Until when nothing may be written, whatever is allowed; 0 = that is not so. */
  readonly notBefore: number;
}

/** The longest message that is kept, in characters. */
const longestMessage = 2000;

/** Turns what was found into the record that is kept. */
export function recordOutcome(found: Findings, context: RecordContext): StackOutcome {
  const { account, dryRun, due, notBefore, now, random } = context;
  const { commit, record: before, target } = due;
  const failures = found.state === "failed" ? found.memory.failures + 1 : 0;
  const memory = { ...found.memory, failures };
  const known = before?.status ?? newStackRecord(target, now).status;
  const isSame = before !== null && known.state === found.state && known.reason === found.reason;
  const { policy } = target.entry;
  const recovered = known.state === "failed" && found.state !== "failed";
  const status: StackStatus = {
    state: found.state,
    reason: found.reason,
    message: cleaned(found.message),
    since: isSame ? known.since : now,
    commit: commit?.commit ?? known.commit,
    appliedCommit: found.inSync && commit !== null ? commit.commit : known.appliedCommit,
    lookedAt: found.lookedAt ?? known.lookedAt,
    impact: found.differs?.impact ?? known.impact,
    changes: found.differs?.changes ?? known.changes,
    digest: waits(found) ? (memory.approval?.waiting?.digest ?? null) : null,
    nextLook: nextLookAfter({ status: found, failures, policy, now, random, recovered, dryRun, notBefore }),
    uncomparedSecrets: found.differs?.uncomparedSecrets ?? known.uncomparedSecrets,
  };
  const stack = found.stack ?? target.stack ?? before?.stack ?? null;
  const { name } = target;
  const record = { name, account: account.name, source: target.entry.source, stack, status, memory };
  return { record, history: historyOf(found, record, isSame, context) };
}

/** Whether what was found is that something waits. */
function waits({ state }: Findings): boolean {
  return state === "waiting" || state === "pending";
}

function historyOf(
  { applied }: Findings,
  { name, status }: StackRecord,
  isSame: boolean,
  context: RecordContext,
): readonly HistoryEntry[] {
  const { commit, impact, message, state } = status;
  const about = { at: new Date(context.now).toISOString(), stack: name, commit, approval: null };
  const entries: HistoryEntry[] = [];
  if (applied !== null) {
    const operations = applied.operations.map((one) => ({
      ...one,
      error: one.error === null ? null : cleaned(one.error),
    }));
    const { outcome } = applied;
    const approval = shownApproval(applied.approval);
    const told = cleaned(applied.message);
    entries.push({ ...about, event: "apply", outcome, impact: applied.impact, operations, approval, message: told });
  }
  if (!isSame) entries.push({ ...about, event: "state", outcome: state, impact, operations: [], message });
  return entries;
}

/** As the history keeps it: what it approved stands in the operations. */
function shownApproval(spent: SpentApproval | null): HistoryEntry["approval"] {
  if (spent === null) return null;
  const { approver, at, digest, message, tag } = spent;
  return { tag, approver, digest, at: new Date(at).toISOString(), message: cleaned(message) };
}

/** On one line, and not endless. */
function cleaned(text: string): string {
  const line = visibleLine(text);
  return line.length <= longestMessage ? line : `${line.slice(0, longestMessage)}…`;
}
