import type { Fleet, StackPolicy } from "../../../../src/serve/fleet/fleet.ts";
import type { StackRecord } from "../../../../src/serve/records.ts";
import type { SimulatedClock } from "../../../serve/support/simulated-clock.ts";
import type { Arrival, LiveResource, ServeAccount } from "./serve-account.ts";
import { ServeApprovals } from "./serve-approvals.ts";
import { type Wanted, type WantedStack, cellsOf } from "./serve-desired.ts";
import type { StackPlace } from "./serve-fleet.ts";
import { type TrueChange, type Version, differing, during, forbidden } from "./serve-truth.ts";

export interface Kept {
  readonly policy: StackPolicy;
  readonly paused: boolean;
}

export interface ObservedStack extends StackPlace {
  /** Null = nothing of it may be written: it is not described, or not validly, or its commit is not followed. */
  readonly wanted: Version<WantedStack | null>[];
  readonly kept: Version<Kept>[];
  changedAt: number;
  deletes: number;
  /** Of which look at which commit it was last said that it is in sync. */
  told: string;
}

/** A commit is known to the loop after a poll at the latest. */
const pollMs = 75_000;
/** So long after a change of the fleet file an operation that was under way may still be sent again. */
const underWayMs = 180_000;

export class ServeObserver {
  readonly wrong: string[] = [];
  readonly stacks = new Map<string, ObservedStack>();
  readonly approvals: ServeApprovals;
  shiftedAt = -Infinity;
  /** When the database that several processes share was last gone: nobody follows Git then. In elapsed milliseconds. */
  gone: { readonly from: number; readonly to: number } | null = null;
  readonly #writers = new Map<string, { current: number; readonly over: Set<number> }>();

  constructor(
    private readonly clock: SimulatedClock,
    private readonly accounts: ReadonlyMap<string, ServeAccount>,
  ) {
    this.approvals = new ServeApprovals(clock, (what) => this.#say(what));
  }

  #say(what: string): void {
    this.wrong.push(`at ${Math.round(this.clock.elapsed / 1000)} s: ${what}`);
  }

  differences(stack: ObservedStack, wanted = stack.wanted.at(-1)?.value ?? {}): readonly TrueChange[] {
    const live = this.accounts.get(stack.account)?.owned() ?? [];
    const found = new Map(
      live.filter((one) => one.stack === stack.marker).map((one) => [one.address, cellsOf(one, live)]),
    );
    return [...new Set([...Object.keys(wanted), ...found.keys()])]
      .map((address) => ({ address, live: found.get(address), git: wanted[address] }))
      .filter((change) => differing(change).length > 0);
  }

  onArrival(arrival: Arrival): void {
    const { account, after, before, late, method, path, unread } = arrival;
    const say = (what: string): void => this.#say(`${method} ${path} of ${account}: ${what}`);
    if (!late) this.#judgeWriters(arrival, say);
    if (unread !== null && !late) say(`written although ${unread} could not be read`);
    const { address = "", stack: marker } = before ?? after ?? {};
    const stack = [...this.stacks.values()].find((one) => one.account === account && one.marker === marker);
    if (stack === undefined) return say("it is of no stack of the fleet");
    stack.changedAt = this.clock.elapsed;
    const live = this.accounts.get(account)?.owned() ?? [];
    if (before === null) this.#judgeDuplicate(arrival, stack, live, say);
    if (method === "DELETE") this.#judgeDeletes(stack, say);
    const [now, became] = [before, after].map((one) => (one === null ? undefined : cellsOf(one, live)));
    const isApproved = this.approvals.covers({ stack: stack.name, address, before: now, after: became, arrival });
    const reasons = this.#reasonsAgainst(stack, { address, arrival, became, isApproved, now });
    if (reasons.length > 0) say([...new Set(reasons)].join("; "));
  }

  /** Why a write is wrong, whatever of what was said lately its pass knows; none = it is right. */
  #reasonsAgainst(
    stack: ObservedStack,
    { address, arrival, became, isApproved, now }: WriteInWords,
  ): readonly string[] {
    const { elapsed } = this.clock;
    const since = Math.min(arrival.opened, elapsed);
    const reasons: string[] = [];
    for (const wanted of during(stack.wanted, this.#knewFrom(since), elapsed)) {
      const git = wanted?.[address];
      const isOther = became === undefined ? git !== undefined : !isStepTo(now, became, git);
      if (wanted === null || isOther) {
        reasons.push(wanted === null ? "nothing of the stack may be written" : "it is not what Git says");
        continue;
      }
      for (const kept of during(stack.kept, Math.max(since, elapsed - underWayMs), elapsed)) {
        const history = stack.wanted.map(({ value }) => value);
        const change = { address, live: now, git };
        const unasked = isApproved ? null : forbidden(change, kept.policy, history);
        const why = this.#whyNotNow(kept, since) ?? unasked;
        if (why === null) return [];
        reasons.push(why);
      }
    }
    return reasons;
  }

  #knewFrom(since: number): number {
    const { gone } = this;
    const isAfter = gone !== null && since >= gone.from && since < gone.to + pollMs;
    return (isAfter ? gone.from : since) - pollMs;
  }

  /** A stack's record was saved, or can be seen: what it claims must be true. */
  onTold({ name, status }: StackRecord, commits: ReadonlyMap<string, ReadonlyMap<string, WantedStack | null>>): void {
    const stack = this.stacks.get(name);
    if (stack === undefined || status.state !== "synced" || status.lookedAt === null || status.commit === null) return;
    const wanted = commits.get(status.commit)?.get(name) ?? null;
    // What was told before is judged once: when that look was, nobody can tell after the clock was set.
    const told = `${status.commit} ${status.lookedAt}`;
    if (wanted === null || stack.told === told) return;
    stack.told = told;
    const looked = this.clock.elapsed - (this.clock.now() - status.lookedAt);
    const { hides, lags } = this.accounts.get(stack.account)?.lied ?? { hides: 0, lags: 0 };
    const isOld = Math.max(stack.changedAt, this.shiftedAt) > looked - (lags >= looked ? 10_000 : 0);
    if (isOld || hides >= looked) return;
    const found = this.differences(stack, wanted).map((one) => `${one.address} ${differing(one).join(" ")}`);
    if (found.length > 0) this.#say(`${name} is called synced, although ${found.join(", ")} differs`);
  }

  /** One writer at a time: who was followed by another has ended. */
  #judgeWriters({ account, client }: Arrival, say: (what: string) => void): void {
    const known = this.#writers.get(account) ?? { current: client, over: new Set<number>() };
    this.#writers.set(account, known);
    if (known.over.has(client)) say("two passes write at once");
    if (known.current !== client) known.over.add(known.current);
    known.current = client;
  }

  #judgeDuplicate(arrival: Arrival, stack: ObservedStack, live: readonly LiveResource[], say: (what: string) => void) {
    const { after, mood } = arrival;
    const same = live.filter((one) => one.stack === stack.marker && one.address === after?.address);
    if (same.length < 2) return;
    // Lists that hide something for longer than two looks can't be told from people who deleted it.
    const interval = stack.kept.at(-1)?.value.policy.intervalMs ?? 0;
    const isBelievable = mood.of === "hides" && this.clock.elapsed - mood.since > interval * 0.8;
    const isSmall =
      mood.of === "hides" &&
      live.filter(({ address }) => address.split("/")[0] === after?.address.split("/")[0]).length < 6;
    if (!isBelievable && !isSmall) say(`${after?.address ?? ""} is made a second time`);
  }

  #judgeDeletes(stack: ObservedStack, say: (what: string) => void): void {
    stack.deletes += 1;
    const most = Math.max(...stack.kept.map(({ value }) => value.policy.brake.deletesPerDay));
    if (stack.deletes > most) say(`${stack.deletes} deletes within a day, although ${most} are allowed`);
  }

  #whyNotNow({ paused, policy }: Kept, since: number): string | null {
    if (paused) return "the fleet is paused";
    if (this.shiftedAt >= since) return null;
    const now = this.clock.now();
    const { suspend, windows } = policy;
    if (suspend !== null && (suspend.until === null || now < suspend.until)) return "the stack is suspended";
    const began = now - (this.clock.elapsed - since);
    return windows.length > 0 && !isOpenAt(windows, now) && !isOpenAt(windows, began) ? "no window is open" : null;
  }
}

interface WriteInWords {
  readonly address: string;
  readonly arrival: Arrival;
  readonly now: Wanted | undefined;
  readonly became: Wanted | undefined;
  readonly isApproved: boolean;
}

/** The windows of these runs are whole hours of every day: `mon-sun 12:00-15:00 UTC`. */
function isOpenAt(windows: StackPolicy["windows"], time: number): boolean {
  const hour = new Date(time).getUTCHours();
  return windows.some(({ text }) => {
    const [, from, to] = /(\d\d):00-(\d\d):00/u.exec(text) ?? [];
    return Number(from) <= hour && hour < Number(to);
  });
}

function isStepTo(before: Wanted | undefined, after: Wanted, wanted: Wanted | undefined): boolean {
  if (wanted === undefined) return false;
  return Object.entries(after).every(([field, value]) => value === wanted[field] || value === before?.[field]);
}

export function keptOf({ entries, pause }: Fleet, name: string): Kept | null {
  const entry = entries.find((one) => one.name === name || name.startsWith(`${one.name}/`));
  return entry === undefined ? null : { policy: entry.policy, paused: pause };
}
