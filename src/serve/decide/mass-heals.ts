import type { AccountRecord, Brake } from "../records.js";
import { brakeId, durationWords, releaseWords, waitsOf } from "./brake-words.js";
import type { BrakeLook } from "./sight.js";

/** A pass of an account: its looks, and how many stacks it has in the fleet. */
interface Pass {
  readonly account: AccountRecord;
  readonly stacks: number;
  readonly looks: readonly BrakeLook[];
  readonly now: number;
}

/** Which stacks want a heal, after a pass. */
export interface CountedHeals extends Pick<AccountRecord, "heals" | "released"> {
  /** The looks of this pass that count. */
  readonly wanting: readonly BrakeLook[];
  /** The stacks that want none. */
  readonly inOrder: ReadonlySet<string>;
}

/** So many stacks may want a heal at the same time, however few there are. */
const leastStacks = 2;
/** So long a heal is remembered, for stacks with a longer interval than those of a pass. */
const dayMs = 86_400_000;

/** Records who wants a heal. Stacks that the operator released are not counted until they were once in order. */
export function countHeals(pass: Pass, wantsHeal: (look: BrakeLook) => boolean): CountedHeals {
  const { account, looks, now } = pass;
  const keptMs = Math.max(dayMs, longestInterval(looks));
  const letThrough = new Set(account.released.flatMap(({ stacks }) => stacks));
  const heals = new Map(
    Object.entries(account.heals).filter(([stack, time]) => now - time < keptMs && !letThrough.has(stack)),
  );
  const wanting: BrakeLook[] = [];
  const inOrder = new Set<string>();
  for (const look of looks) {
    if (look.plan === null) continue;
    if (!wantsHeal(look)) {
      inOrder.add(look.stack);
    } else if (!letThrough.has(look.stack)) {
      heals.set(look.stack, now);
      wanting.push(look);
    }
  }
  const released = account.released.map((one) => ({
    ...one,
    stacks: one.stacks.filter((stack) => !inOrder.has(stack)),
  }));
  return { heals: Object.fromEntries(heals), released, wanting, inOrder };
}

/**
 * What is kept of the heals. While the brake holds them, a stack is dropped when a look finds that it wants none any more,
 * or nobody looked at it for three intervals: that nobody looked is no reason to believe that it is in order.
 */
export function heldHeals({ heals, inOrder }: CountedHeals, brake: Brake | null, now: number): AccountRecord["heals"] {
  if (brake?.cause !== "stacks") return heals;
  const isHeld = (stack: string, time: number): boolean => !inOrder.has(stack) && now - time < 3 * brake.quietMs;
  return Object.fromEntries(Object.entries(heals).filter(([stack, time]) => isHeld(stack, time)));
}

/**
 * The brake of an account of which too many stacks want a heal; null = not too many, and for a full interval. A stack
 * judges by its own policy: how many of the account wanted a heal within its interval, itself included.
 */
export function massHealBrake(pass: Pass, counted: CountedHeals, current: Brake | null): Brake | null {
  const { account, looks, now, stacks } = pass;
  const { wanting } = counted;
  const heals = heldHeals(counted, current, now);
  const times = Object.values(heals);
  if (current?.cause === "stacks") {
    const isPresent = looks.some((look) => times.length > mostOf(look, stacks));
    const lastSeen = isPresent ? now : current.lastSeen;
    return now - lastSeen >= current.quietMs ? null : { ...current, lastSeen };
  }
  for (const look of wanting) {
    const { intervalMs } = look.policy;
    const wanted = times.filter((time) => now - time < intervalMs).length;
    const most = mostOf(look, stacks);
    if (wanted <= most) continue;
    const quietMs = longestInterval(looks);
    const id = brakeId("stacks", { account: account.name, since: now, heals });
    const message =
      `${wanted} of the ${stacks} stacks of account ${account.name} want a heal within ${durationWords(intervalMs)}, more than ${Math.floor(most)} ` +
      `(brake.stacks): somebody changes many at once, or the lists are wrong. ${waitsOf(account.name)}. ` +
      `This ends when no more than that want one for ${releaseWords(id, quietMs)}`;
    return { id, cause: "stacks", message, since: now, lastSeen: now, quietMs };
  }
  return null;
}

/** How many stacks may want a heal; not whole for a percentage. */
function mostOf({ policy }: BrakeLook, stacks: number): number {
  const limit = policy.brake.stacks;
  return Math.max(leastStacks, "count" in limit ? limit.count : (stacks * limit.percent) / 100);
}

function longestInterval(looks: readonly BrakeLook[]): number {
  return looks.reduce((longest, { policy }) => Math.max(longest, policy.intervalMs), 0);
}
