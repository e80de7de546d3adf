import type { Address } from "../../kinds/names.js";
import { secretResolver } from "../../apply/preflight.js";
import { afterLook, afterSpending, approvedIn, newApprovalMemory, waitingFor, wasSpent } from "../decide/approvals.js";
import type { Decision } from "../decide/decision.js";
import { type ChangeEffect, approvedChanges, effectSidesOf, effectsOf } from "../decide/effect-digest.js";
import { whyNothingNow } from "../decide/write-times.js";
import type { Approval, ApprovalMemory, ApprovedChange, StackMemory } from "../records.js";
import type { ApprovalQuestion } from "../git/approval-reader.js";
import type { DueStack } from "./account-pass.js";
import { directoryOf } from "../git/stack-directories.js";
import type { LoadedStack } from "./load-stack.js";
import type { Sight } from "./look-at-stack.js";
import type { Pass } from "./pass.js";

/** An approval that was found, and is not spent yet. */
export interface FoundApproval extends Approval {
  readonly changes: readonly ApprovedChange[];
}

/** A sight about which is to be decided. */
export interface SightToJudge {
  readonly sight: Sight;
  /** Null when nothing is to be done. */
  readonly loaded: LoadedStack | null;
  readonly marker: string;
  readonly memory: StackMemory;
  /** Decides, as far as these changes are approved. */
  readonly decide: (approved: ReadonlySet<Address>) => Decision;
  /** What is about to be spent; null = nothing. */
  readonly found: FoundApproval | null;
}

/** What was decided, and what is known of approvals then. */
export interface JudgedSight {
  readonly decision: Decision;
  readonly memory: StackMemory;
  /** What waits for an approval. */
  readonly waiting: readonly ChangeEffect[];
}

/** Decides about a sight with what is approved, and names what waits for an approval. */
export function judgeSight(pass: Pass, asked: SightToJudge): JudgedSight {
  const { decide, found, loaded, marker, memory, sight } = asked;
  const { approvals } = pass.deps;
  const plain = decide(new Set());
  const before = memory.approval ?? null;
  if (approvals === undefined) return { decision: plain, memory, waiting: [] };
  const now = pass.deps.clock.now();
  const { baseUrl, name: account } = pass.input.account;
  const remember = (approval: ApprovalMemory, effects: readonly ChangeEffect[]): StackMemory => {
    const subject = { account, baseUrl, marker, effects };
    return { ...memory, approval: waitingFor(approval, subject, approvals.draw) };
  };
  if (plain.unapproved.length === 0 || loaded === null) {
    if (before === null) return { decision: plain, memory, waiting: [] };
    return { decision: plain, memory: remember(afterLook(before, [], now), []), waiting: [] };
  }
  const known = before ?? newApprovalMemory(approvals.draw());
  const resolveSecret = secretResolver(loaded.manifests);
  const source = { states: sight.states, resolveSecret, key: known.key };
  const effects = effectsOf(sight.plan, effectSidesOf(sight.plan, plain.unapproved, source));
  const after = afterLook(known, effects, now);
  // Nothing of it can be approved. But what is gone meanwhile, and comes back, is something else.
  if (plain.state === "refused") return { decision: plain, memory: remember(after, effects), waiting: [] };
  const approved = approvedIn([...after.spending, ...(found === null ? [] : [found])], effects);
  const decision = approved.size === 0 ? plain : decide(approved);
  const left = new Set(decision.unapproved);
  const waiting = effects.filter(({ address }) => left.has(address));
  return { decision, memory: remember(after, waiting), waiting };
}

/** What looking for an approval gave. */
export interface ApprovalSearch {
  readonly found: FoundApproval | null;
  /** Why tags that are there don't count, for people. */
  readonly problems: readonly string[];
}

const noApproval: ApprovalSearch = { found: null, problems: [] };

/** Looks for a tag that approves what waits, when it could be carried out now. */
export async function findApproval(pass: Pass, due: DueStack, judged: JudgedSight): Promise<ApprovalSearch> {
  const { clock, paused } = pass.deps;
  const { policy } = due.target.entry;
  const { memory, waiting } = judged;
  if (waiting.length === 0 || whyNothingNow({ paused, policy, now: clock.now() }) !== null) return noApproval;
  const digest = memory.approval?.waiting?.digest;
  if (digest === undefined || memory.approval === undefined) return noApproval;
  const { approvals, problems } = await readTags(pass, due, digest);
  const known = memory.approval;
  const fresh = approvals.find(({ tag }) => !wasSpent(known, tag, digest));
  if (fresh === undefined) return { found: null, problems };
  return { found: { ...fresh, changes: approvedChanges(waiting) }, problems: [] };
}

/**
 * Spends an approval: the tag is fetched once more, and what is to be remembered before the first write is returned. Null
 * = it is gone, or is another one now.
 */
export async function spendApproval(
  pass: Pass,
  due: DueStack,
  found: FoundApproval,
  memory: StackMemory,
): Promise<StackMemory | null> {
  const { approval } = memory;
  if (approval === undefined) return null;
  const { approvals } = await readTags(pass, due, found.digest);
  if (!approvals.some(({ approver, tag }) => tag === found.tag && approver === found.approver)) return null;
  return { ...memory, approval: afterSpending(approval, { ...found, at: pass.deps.clock.now() }) };
}

async function readTags(pass: Pass, due: DueStack, digest: string) {
  const { approvals, stop } = pass.deps;
  const question = await questionOf(due, digest);
  if (approvals === undefined || question === null) return { approvals: [], problems: [] };
  return approvals.find(due.target.entry.source, question, stop);
}

async function questionOf({ commit, record, target }: DueStack, digest: string): Promise<ApprovalQuestion | null> {
  const { approvers } = target.entry.policy;
  if (approvers === null || commit === null) return null;
  const directory = directoryOf(target.config);
  const found = (await commit.directoryIds([directory])).get(directory) ?? null;
  return {
    stack: target.name,
    digest,
    approvers,
    since: record?.status.appliedCommit ?? null,
    tip: commit.commit,
    // A link may lead to what another directory holds.
    directory: found === null || found.hasLinks ? null : directory,
  };
}
