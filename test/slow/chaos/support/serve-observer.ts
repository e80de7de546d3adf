import type { Fleet, StackPolicy } from "../../../../src/serve/fleet/fleet.ts";
import type { StackRecord } from "../../../../src/serve/records.ts";
import type { SimulatedClock } from "../../../serve/support/simulated-clock.ts";
import type { Arrival, LiveResource, ServeAccount } from "./serve-account.ts";
import { ServeApprovals } from "./serve-approvals.ts";
import { type Wanted, type WantedStack, cellsOf } from "./serve-desired.ts";
import { Agreements, type TrueChange, type Version, differing, during, forbidden } from "./serve-truth.ts";

/** How a stack is kept, and whether anything of the fleet may be written. */
export interface Kept {
  readonly policy: StackPolicy;
  readonly paused: boolean;
}

/** A stack, as whoever watches from outside knows it. */
export interface ObservedStack {
  /** Its name in the fleet. */
  readonly name: string;
  readonly marker: string;
  readonly account: string;
  readonly source: string;
  /** Its directory in the source. */
  readonly directory: string;
  /** Null = nothing of it may be written: it is not described, or not validly, or its commit is not followed. */
  readonly wanted: Version<WantedStack | null>[];
  readonly kept: Version<Kept>[];
  /** When somebody last changed something of it by hand. */
  handAt: number;
  /** When anything of it last changed live. */
  changedAt: number;
  /** Deletes of the loop. */
  deletes: number;
  /** At which commit, and after which change, it was truly in sync. */
  verified: string;
  /** Of which look at which commit it was last said that it is in sync. */
  told: string;
}

/** One heal: somebody's change was certainly undone. */
interface Heal {
  readonly at: number;
  readonly stack: string;
  readonly fields: readonly string[];
}

/** A commit is known to the loop after a poll at the latest. */
const pollMs = 75_000;
/** So long after a change of the fleet file an operation that was under way may still be sent again. */
const underWayMs = 180_000;
const hourMs = 3_600_000;

/** Watches every write that reaches the service, and judges it by what is true, not by what the loop believes. */
export class ServeObserver {
  readonly wrong: string[] = [];
  readonly stacks = new Map<string, ObservedStack>();
  readonly agreements = new Agreements();
  readonly approvals: ServeApprovals;
  readonly heals: Heal[] = [];
  /** When the clock was last set, or the operator released a brake. */
  shiftedAt = -Infinity;
  releasedAt = -Infinity;
  /** When the database that several processes share was last gone: nobody follows Git then. In elapsed milliseconds. */
  gone: { readonly from: number; readonly to: number } | null = null;
  readonly #writers = new Map<string, { current: number; readonly over: Set<number> }>();

  constructor(
    private readonly clock: SimulatedClock,
    private readonly accounts: ReadonlyMap<string, ServeAccount>,
  ) {
    const say = (what: string): void => void this.wrong.push(`at ${Math.round(clock.elapsed / 1000)} s: ${what}`);
    this.approvals = new ServeApprovals(clock, say, () => this.shiftedAt);
  }

  /** The stack that a marker in an account is of. */
  stackOf(account: string, marker: string): ObservedStack | null {
    for (const one of this.stacks.values()) if (one.account === account && one.marker === marker) return one;
    return null;
  }

  /** Notes what agrees now: after every push and every change by hand. */
  note(stack: ObservedStack, certain = false): void {
    this.#noteAgreement(stack, stack.wanted.at(-1)?.value ?? null, certain);
  }

  #noteAgreement(stack: ObservedStack, wanted: WantedStack | null, certain = false): void {
    if (wanted === null) return;
    const live = this.accounts.get(stack.account)?.owned() ?? [];
    this.agreements.note(
      keyOf(stack),
      wanted,
      live.filter(({ stack: marker }) => marker === stack.marker).map((one) => ({ ...one, stack: keyOf(stack) })),
      certain,
    );
  }

  /** What differs between live and Git now. */
  differences(stack: ObservedStack): readonly TrueChange[] {
    const live = this.accounts.get(stack.account)?.owned() ?? [];
    const wanted = stack.wanted.at(-1)?.value ?? {};
    const found = new Map(
      live.filter((one) => one.stack === stack.marker).map((one) => [one.address, cellsOf(one, live)]),
    );
    return [...new Set([...Object.keys(wanted), ...found.keys()])]
      .map((address) => ({ stack: keyOf(stack), address, live: found.get(address), git: wanted[address] }))
      .filter((change) => differing(change).length > 0);
  }

  /** A write arrived. */
  onArrival(arrival: Arrival): void {
    const { account, after, before, method, path } = arrival;
    const say = (what: string): void => {
      this.wrong.push(`${method} ${path} of ${account} at ${Math.round(this.clock.elapsed / 1000)} s: ${what}`);
    };
    if (!arrival.late) this.#judgeWriters(arrival, say);
    if (arrival.unread !== null && !arrival.late) say(`written although ${arrival.unread} could not be read`);
    const marker = (before ?? after)?.stack ?? null;
    const stack = marker === null ? null : this.stackOf(account, marker);
    if (stack === null) return say("it is of no stack of the fleet");
    stack.changedAt = this.clock.elapsed;
    const address = (before ?? after)?.address ?? "";
    const live = this.accounts.get(account)?.owned() ?? [];
    const now = before === null ? undefined : cellsOf(before, live);
    if (before === null) this.#judgeDuplicate(arrival, stack, live, say);
    if (method === "DELETE") this.#judgeDeletes(stack, say);
    const became = after === null ? undefined : cellsOf(after, live);
    const reasons = new Set<string>();
    const since = Math.min(arrival.opened, this.clock.elapsed);
    let heals: TrueChange | null = null;
    const disturbed = stack.handAt >= arrival.opened;
    const isApproved = this.approvals.covers({
      stack: stack.name,
      address,
      before: now,
      after: became,
      arrival,
      disturbed,
    });
    const allowed = during(stack.wanted, this.#knewFrom(since), this.clock.elapsed).some((wanted) => {
      if (wanted === null) return (reasons.add("nothing of the stack may be written"), false);
      const change = { stack: keyOf(stack), address, live: now, git: wanted[address] };
      const other = became === undefined ? wanted[address] !== undefined : !isStepTo(now, became, wanted[address]);
      if (other) return (reasons.add("it is not what Git says"), false);
      return during(stack.kept, Math.max(since, this.clock.elapsed - underWayMs), this.clock.elapsed).some((kept) => {
        const why = this.#whyNotNow(kept, since) ?? forbidden(change, kept.policy, this.agreements);
        const isOnlyApproved = why !== null && this.#whyNotNow(kept, since) === null && isApproved;
        if (why !== null && !isOnlyApproved) return (reasons.add(why), false);
        // Who was asked is not braked for what they said yes to.
        heals = isApproved ? null : change;
        return true;
      });
    });
    if (!allowed) say([...reasons].join("; "));
    if (heals !== null && !arrival.late) this.#judgeHeal(stack, heals, say);
    // What is written is what the commit says that the pass knows, also when another was pushed meanwhile.
    for (const wanted of during(stack.wanted, this.#knewFrom(since), this.clock.elapsed))
      this.#noteAgreement(stack, wanted);
  }

  /** From when on a pass that began then may know what was pushed; before that, it may not know yet what was. */
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
    const state = `${status.commit} ${stack.changedAt}`;
    if (stack.verified === state) return;
    const looked = this.clock.elapsed - (this.clock.now() - status.lookedAt);
    const { hides, lags } = this.accounts.get(stack.account)?.lied ?? { hides: 0, lags: 0 };
    const isOld = Math.max(stack.changedAt, this.shiftedAt) > looked - (lags >= looked ? 10_000 : 0);
    const found = this.differences({ ...stack, wanted: [{ from: 0, value: wanted }] });
    if (found.length === 0) {
      stack.verified = state;
      this.note(stack, stack.wanted.at(-1)?.value === wanted);
    } else if (!isOld && hides < looked)
      this.wrong.push(
        `${name} is called synced at ${Math.round(this.clock.elapsed / 1000)} s, although ${found.map((one) => `${one.address} ${differing(one).join(" ")}`).join(", ")} differs since ${Math.round(stack.changedAt / 1000)} s`,
      );
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

  #judgeHeal(stack: ObservedStack, change: TrueChange, say: (what: string) => void): void {
    const fields = differing(change);
    const isHeal = fields.every((field) =>
      [...this.agreements.of(change.stack, change.address, field)].every(
        (known) => known === (field === "#" ? "present" : change.git?.[field]),
      ),
    );
    if (!isHeal || change.git === undefined) return;
    const at = this.clock.elapsed;
    const named = fields.map((field) => `${stack.name} ${change.address} ${field}`);
    this.heals.push({ at, stack: stack.name, fields: named });
    const kept = stack.kept.at(-1)?.value.policy;
    if (kept === undefined) return;
    const undisturbed = Math.max(this.shiftedAt, stack.kept.at(-1)?.from ?? 0);
    // What the operator lets through is healed at once.
    if (this.releasedAt > -Infinity) return;
    const heals = this.heals.filter((one) => one.at > undisturbed);
    const mine = [...this.stacks.values()].filter(({ account }) => account === stack.account);
    const names = new Set(mine.map(({ name }) => name));
    const recent = new Set(
      heals.filter((one) => names.has(one.stack) && one.at > at - kept.intervalMs * 0.85).map((one) => one.stack),
    );
    const limit = kept.brake.stacks;
    const most = Math.max(2, "count" in limit ? limit.count : (mine.length * limit.percent) / 100);
    if (recent.size > most) say(`${recent.size} stacks were healed within one interval, more than ${most}`);
    for (const field of named) {
      const times = heals.filter((one) => one.fields.includes(field) && one.at > at - hourMs).map((one) => one.at);
      const isFought = times.every(
        (time, index) => index === 0 || time - (times[index - 1] ?? 0) < kept.intervalMs * 1.5,
      );
      if (times.length > kept.brake.writers && isFought)
        say(`${field} was put back ${times.length} times within an hour`);
    }
  }

  /** Why nothing of a stack may be written now; null = it may be. */
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

/** The windows of these runs are whole hours of every day: `mon-sun 12:00-15:00 UTC`. */
function isOpenAt(windows: StackPolicy["windows"], time: number): boolean {
  const hour = new Date(time).getUTCHours();
  return windows.some(({ text }) => {
    const [, from, to] = /(\d\d):00-(\d\d):00/u.exec(text) ?? [];
    return Number(from) <= hour && hour < Number(to);
  });
}

function keyOf({ name }: ObservedStack): string {
  return name;
}

/** Whether a write brings a resource nearer to what Git says, and changes nothing else. */
function isStepTo(before: Wanted | undefined, after: Wanted, wanted: Wanted | undefined): boolean {
  if (wanted === undefined) return false;
  return Object.entries(after).every(([field, value]) => value === wanted[field] || value === before?.[field]);
}

/** What the fleet file says now, for each stack that is kept. */
export function keptOf({ entries, pause }: Fleet, name: string): Kept | null {
  const entry = entries.find((one) => one.name === name || name.startsWith(`${one.name}/`));
  return entry === undefined ? null : { policy: entry.policy, paused: pause };
}
