import type { Address } from "../../kinds/names.js";
import { secretResolver } from "../../plan/plan-secrets.js";
import { type Decision, whyNothingNow } from "../decide/decide.js";
import {
  type ChangeEffect,
  type DigestedEffect,
  approvedChanges,
  coveredBy,
  effectDigest,
  effectSidesOf,
  effectsOf,
} from "../decide/effect-digest.js";
import { type ApprovalAnswer, directoryOf } from "../git/source-reader.js";
import type { ApprovalMemory, SpentApproval, StackMemory } from "../records.js";
import type { LoadedStack } from "./load-stack.js";
import type { DueStack } from "../serve-deps.js";
import type { StackPlan, Pass } from "./pass.js";

export type FoundApproval = Omit<SpentApproval, "at">;

type PlanToJudge = Readonly<{
  seen: StackPlan;
  loaded: LoadedStack | null;
  marker: string;
  memory: StackMemory;
  plain: Decision;
  decide: (approved: ReadonlySet<Address>) => Decision;
  found: FoundApproval | null;
}>;

export type JudgedPlan = Readonly<{
  decision: Decision;
  memory: StackMemory;
  waiting: readonly ChangeEffect[];
}>;

export function judgeApprovals({ deps, input }: Pass, asked: PlanToJudge): JudgedPlan {
  const { decide, found, loaded, marker, memory, plain, seen } = asked;
  const { approvals, clock } = deps;
  const before = memory.approval ?? null;
  const isWanted = plain.unapproved.length > 0 && loaded !== null;
  if (before === null && !isWanted) return { decision: plain, memory, waiting: [] };
  const now = clock.now();
  const { baseUrl, name: account } = input.account;
  const remember = (approval: ApprovalMemory, effects: readonly ChangeEffect[]): StackMemory => ({
    ...memory,
    approval: waitingFor(approval, { account, baseUrl, marker, effects }, approvals.draw),
  });
  const known = before ?? { key: approvals.draw(), waiting: null, spending: [], spent: [] };
  if (!isWanted) return { decision: plain, memory: remember(afterLook(known, [], now), []), waiting: [] };
  const source = { states: seen.states, resolveSecret: secretResolver(loaded.manifests), key: known.key };
  const effects = effectsOf(seen.plan, effectSidesOf(seen.plan, plain.unapproved, source));
  const after = afterLook(known, effects, now);
  // What comes back later is something else.
  if (plain.state === "refused") return { decision: plain, memory: remember(after, effects), waiting: [] };
  const granted = [...after.spending, ...(found === null ? [] : [found])];
  const approved = new Set(granted.flatMap(({ changes }) => coveredBy(changes, effects)));
  const decision = approved.size === 0 ? plain : decide(approved);
  const left = new Set(decision.unapproved);
  const waiting = effects.filter(({ address }) => left.has(address));
  return { decision, memory: remember(after, waiting), waiting };
}

export async function findApproval(
  pass: Pass,
  due: DueStack,
  { memory: { approval }, waiting }: JudgedPlan,
): Promise<Readonly<{ found: FoundApproval | null; problems: readonly string[] }>> {
  const { clock, paused } = pass.deps;
  const { policy } = due.target.entry;
  const digest = approval?.waiting?.digest;
  const isHeld = whyNothingNow({ paused, policy, now: clock.now() }) !== null;
  if (waiting.length === 0 || isHeld || approval === undefined || digest === undefined)
    return { found: null, problems: [] };
  const { approvals, problems } = await readTags(pass, due, digest);
  const spent = [...approval.spending, ...approval.spent].filter((one) => one.digest === digest);
  const fresh = approvals.find(({ tag }) => !spent.some((one) => one.tag === tag));
  if (fresh === undefined) return { found: null, problems };
  return { found: { ...fresh, changes: approvedChanges(waiting) }, problems: [] };
}

/** What is to be remembered before the first write; null = the tag is gone. */
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
  const spending = [...approval.spending, { ...found, at: pass.deps.clock.now() }];
  return { ...memory, approval: { ...approval, waiting: null, spending } };
}

async function readTags({ deps }: Pass, due: DueStack, digest: string): Promise<ApprovalAnswer> {
  const { commit, record, target } = due;
  const { approvers } = target.entry.policy;
  if (approvers === null || commit === null || due.source === null) return { approvals: [], problems: [] };
  const directory = directoryOf(target.config);
  const found = (await commit.directoryIds([directory])).get(directory);
  const question = {
    stack: target.name,
    digest,
    approvers,
    since: record?.status.appliedCommit ?? null,
    tip: commit.commit,
    directory: found?.hasLinks === false ? directory : null,
  };
  return deps.approvals.readApprovals(due.source, question, deps.stop);
}

const coversForMs = 3_600_000;

const mostSpent = 100;

function afterLook(memory: ApprovalMemory, effects: readonly ChangeEffect[], now: number): ApprovalMemory {
  // A time in the future is from before the clock was set back.
  const isAlive = ({ at }: SpentApproval): boolean => now >= at && now < at + coversForMs;
  const spending: SpentApproval[] = [];
  const ended: ApprovalMemory["spent"][number][] = [];
  for (const one of memory.spending) {
    const left = one.changes.filter((change) => coveredBy([change], effects).length > 0);
    if (isAlive(one) && left.length > 0) spending.push({ ...one, changes: left });
    else ended.push({ tag: one.tag, digest: one.digest });
  }
  return { ...memory, spending, spent: [...memory.spent, ...ended].slice(-mostSpent) };
}

function waitingFor(
  memory: ApprovalMemory,
  subject: Omit<DigestedEffect, "nonce">,
  draw: () => string,
): ApprovalMemory {
  const { waiting } = memory;
  if (subject.effects.length === 0) return waiting === null ? memory : { ...memory, waiting: null };
  if (waiting !== null && effectDigest({ ...subject, nonce: waiting.nonce }) === waiting.digest) return memory;
  const nonce = draw();
  const { baseUrl, effects, marker } = subject;
  const sides = effects.map(({ address, desired, lost, secrets }) => ({ address, desired, lost, secrets }));
  return { ...memory, waiting: { nonce, digest: effectDigest({ ...subject, nonce }), baseUrl, marker, sides } };
}
