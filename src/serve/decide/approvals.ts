import type { Address } from "../../kinds/names.js";
import type { ApprovalMemory, SpentApproval } from "../records.js";
import { type ChangeEffect, type DigestedEffect, coveredBy, effectDigest } from "./effect-digest.js";

const coversForMs = 3_600_000;

const mostSpent = 100;

export function newApprovalMemory(key: string): ApprovalMemory {
  return { key, waiting: null, spending: [], spent: [] };
}

/** Approvals that still count. A time in the future says that somebody set the clock back: it counts no more. */
export function liveSpending({ spending }: ApprovalMemory, now: number): readonly SpentApproval[] {
  return spending.filter(({ at }) => now >= at && now < at + coversForMs);
}

export function approvedIn(
  approvals: readonly Pick<SpentApproval, "changes">[],
  effects: readonly ChangeEffect[],
): ReadonlySet<Address> {
  return new Set(approvals.flatMap(({ changes }) => coveredBy(changes, effects)));
}

/** What is known after a complete look. */
export function afterLook(memory: ApprovalMemory, effects: readonly ChangeEffect[], now: number): ApprovalMemory {
  const alive = new Set(liveSpending(memory, now));
  const spending: SpentApproval[] = [];
  const ended: ApprovalMemory["spent"][number][] = [];
  for (const one of memory.spending) {
    const left = one.changes.filter((change) => coveredBy([change], effects).length > 0);
    if (alive.has(one) && left.length > 0) spending.push({ ...one, changes: left });
    else ended.push({ tag: one.tag, digest: one.digest });
  }
  return { ...memory, spending, spent: [...memory.spent, ...ended].slice(-mostSpent) };
}

/** What waits, by its digest: as before while it is the same, with another nonce when it is not. */
export function waitingFor(
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

export function afterSpending(memory: ApprovalMemory, spent: SpentApproval): ApprovalMemory {
  return { ...memory, waiting: null, spending: [...memory.spending, spent] };
}

export function wasSpent({ spending, spent }: ApprovalMemory, tag: string, digest: string): boolean {
  return [...spending, ...spent].some((one) => one.tag === tag && one.digest === digest);
}
