import { type Impact, worstOf } from "../../kinds/impact.js";
import type { Address } from "../../kinds/names.js";
import type { Change, Plan } from "../../plan/plan-format.js";
import { count } from "../../core/text.js";
import type { StackPolicy } from "../fleet/fleet.js";
import type { ChangeOrigin, StackState, WaitReason } from "../records.js";
import { heldByOthers, refusalOf } from "./refused.js";
import { missingSecretsOf, whyNotUnasked } from "./unasked.js";
import { isOpen, nextOpening } from "./windows.js";

export interface DecisionInput {
  readonly plan: Plan;
  readonly origins: ReadonlyMap<Address, ChangeOrigin>;
  /** For each address, what a selection of it alone selects, itself included: `closuresOf` of the planner. */
  readonly closures: ReadonlyMap<Address, ReadonlySet<Address>>;
  readonly policy: StackPolicy;
  readonly now: number;
  readonly paused: boolean;
  readonly deletes: readonly number[];
  readonly brake: BrakeVerdict;
  /** Held for want of an approval no more. Absent = nothing. */
  readonly approved?: ReadonlySet<Address>;
}

export interface BrakeVerdict {
  readonly stopped: string | null;
  readonly resources: ReadonlyMap<Address, string>;
}

export const noBrake: BrakeVerdict = { stopped: null, resources: new Map() };

export interface HeldChange {
  readonly address: Address;
  readonly reason: WaitReason | null;
  readonly message: string;
  /** The change that it can't be carried out without, and that is held; absent = it is held for its own sake. */
  readonly along?: Address;
}

export interface Decision {
  readonly state: Extract<StackState, "synced" | "pending" | "waiting" | "refused">;
  readonly reason: WaitReason | null;
  readonly message: string;
  /** The largest allowed set that is closed under dependencies: the selection to plan and apply. */
  readonly apply: readonly Address[];
  readonly held: readonly HeldChange[];
  /** What waits for an approval, whatever else it waits for: the changes that a digest names. */
  readonly unapproved: readonly Address[];
  readonly impact: Impact;
  readonly changes: { readonly [O in ChangeOrigin]: number };
}

/** What is done about a plan, now. */
export function decide(input: DecisionInput): Decision {
  const { plan } = input;
  const whole = { impact: worstOf(plan.changes)?.impact ?? "none", changes: countByOrigin(input) };
  const none = { reason: null, apply: [], held: [], unapproved: [], ...whole };
  const refusal = refusalOf(input);
  if (refusal !== null) return { ...none, state: "refused", message: refusal, unapproved: unapprovedOf(input) };
  if (plan.changes.length === 0) return { ...none, state: "synced", message: syncedMessage(plan) };
  const held = heldChanges(input);
  const waiting = new Set(held.map(({ address }) => address));
  const apply = plan.changes.flatMap(({ address }) => (waiting.has(address) ? [] : [address]));
  const messages = [
    ...(apply.length > 0 ? [`${count(apply.length, "change")} can be applied`] : []),
    ...heldMessage(held),
  ];
  const outcome = { message: messages.join("; "), apply, held, unapproved: unapprovedOf(input), ...whole };
  if (apply.length > 0) return { ...outcome, state: "pending", reason: null };
  const reason = firstReason(held);
  return { ...outcome, state: reason === null ? "refused" : "waiting", reason };
}

function countByOrigin({ plan, origins }: DecisionInput): Decision["changes"] {
  const counts: Record<ChangeOrigin, number> = { commit: 0, drift: 0, both: 0 };
  for (const { address } of plan.changes) counts[origins.get(address) ?? "both"] += 1;
  return counts;
}

function heldChanges(input: DecisionInput): readonly HeldChange[] {
  const { changes } = input.plan;
  const nothingNow = whyNothingNow(input);
  if (nothingNow !== null) return changes.map(({ address }) => ({ address, ...nothingNow }));
  return withPartners(input, new Map(changes.map((change) => [change.address, whyHeld(change, input)])));
}

/** What would wait for an approval if nothing else held anything: it can be approved before a window opens. */
function unapprovedOf(input: DecisionInput): readonly Address[] {
  const itself = new Map(input.plan.changes.map((change) => [change.address, whyUnapproved(change, input)]));
  return withPartners(input, itself).map(({ address }) => address);
}

type Why = Omit<HeldChange, "address">;

function withPartners(input: DecisionInput, itself: ReadonlyMap<Address, Why | null>): readonly HeldChange[] {
  const { changes } = input.plan;
  const held = new Map<Address, HeldChange>();
  for (const [address, why] of itself) if (why !== null) held.set(address, { address, ...why });
  const partners = partnersOf(input);
  // Who needs one that is held is held, too, and so on, until nobody is added.
  for (let before = -1; before !== held.size;) {
    before = held.size;
    for (const { address } of changes) {
      if (held.has(address)) continue;
      const along = partners(address);
      const cause =
        along.find((other) => (itself.get(other) ?? null) !== null) ?? along.find((other) => held.has(other));
      const why = cause === undefined ? undefined : held.get(cause);
      if (cause === undefined || why === undefined) continue;
      const message = `it goes along with ${cause}, which is held`;
      held.set(address, { address, reason: why.reason, message, along: cause });
    }
  }
  return changes.flatMap(({ address }) => held.get(address) ?? []);
}

function whyHeld(change: Change, input: DecisionInput): Why | null {
  const { brake } = input;
  const refused = heldByOthers(input.plan, change.address);
  if (refused !== null) return { reason: null, message: refused };
  const braked = brake.stopped ?? brake.resources.get(change.address) ?? null;
  return braked === null ? whyUnapproved(change, input) : { reason: "brake", message: braked };
}

/** Why somebody has to approve a change; null = nobody has to, or somebody did. A missing secret stays missing. */
function whyUnapproved(change: Change, { approved, plan, origins, policy }: DecisionInput): Why | null {
  const missingSecrets = missingSecretsOf(change, plan);
  if (missingSecrets.length === 0 && approved?.has(change.address) === true) return null;
  const origin = origins.get(change.address) ?? "both";
  const message = whyNotUnasked({ change, origin, apply: policy.apply, missingSecrets });
  return message === null ? null : { reason: "approval", message };
}

/** What a change can't be applied without: what selecting it selects, and who takes what it gives up. */
function partnersOf({ plan, closures }: DecisionInput): (address: Address) => readonly Address[] {
  const all = plan.changes.map(({ address }) => address);
  const byId = new Map(plan.operations.map(({ id, address }) => [id, address]));
  const takers = new Map<Address, Set<Address>>();
  for (const { address, temporary, handsOver } of plan.operations) {
    const found = takers.get(address) ?? new Set();
    for (const id of [...(temporary?.takers ?? []), ...(handsOver?.takers ?? [])]) {
      const taker = byId.get(id);
      if (taker !== undefined && taker !== address) found.add(taker);
    }
    takers.set(address, found);
  }
  // Of an address without a closure nobody knows what goes along with it: it could be everything.
  return (address) => [...(closures.get(address) ?? all), ...(takers.get(address) ?? [])];
}

export function countUncompared({ unavailableSecrets }: Plan): number {
  return new Set(unavailableSecrets.map(({ address, source }) => `${address} ${source}`)).size;
}

function syncedMessage(plan: Plan): string {
  const uncompared = countUncompared(plan);
  const kept = plan.warnings.filter(({ code }) => code === "not-pruned");
  return [
    "live matches Git",
    ...(uncompared === 0 ? [] : [`${count(uncompared, "secret")} can't be compared`]),
    ...(kept.length === 0
      ? []
      : [
          `${count(kept.length, "resource")} without a manifest ${kept.length === 1 ? "stays" : "stay"}, because a list can't be read`,
        ]),
  ].join("; ");
}

const inOrder: readonly (WaitReason | null)[] = ["paused", "suspended", "window", "brake", "approval", null];

function firstReason(held: readonly HeldChange[]): HeldChange["reason"] | null {
  return inOrder.find((reason) => held.some((change) => change.reason === reason)) ?? null;
}

function heldMessage(held: readonly HeldChange[]): readonly string[] {
  return inOrder.flatMap((reason) => {
    const own = held.filter((change) => change.reason === reason);
    const causes = own.filter(({ along }) => along === undefined);
    const [first = own[0]] = causes;
    if (first === undefined) return [];
    const same = own.every(({ message }) => message === first.message);
    return [
      `${count(own.length, "change")} ${own.length === 1 ? "waits" : "wait"} (${reason ?? "refused"}): ${same ? first.message : `${first.address}: ${first.message}`}`,
    ];
  });
}

export function whyNothingNow({
  paused,
  policy,
  now,
}: Pick<DecisionInput, "paused" | "policy" | "now">): Omit<HeldChange, "address"> | null {
  if (paused)
    return { reason: "paused", message: "the fleet is paused, until `pause: true` is taken out of the fleet file" };
  const { suspend, windows } = policy;
  if (suspend !== null && (suspend.until === null || now < suspend.until)) {
    const end = suspend.until === null ? "`suspend` is taken out of the fleet file" : timeText(suspend.until);
    return { reason: "suspended", message: `the stack is suspended until ${end}: ${suspend.reason}` };
  }
  if (isOpen(windows, now)) return null;
  const opening = nextOpening(windows, now);
  const when = opening === null ? "none opens within a fortnight" : `the next one opens at ${timeText(opening)}`;
  const message = `it is outside of the windows (${windows.map(({ text }) => text).join(", ")}); ${when}`;
  return { reason: "window", message };
}

function timeText(time: number): string {
  return new Date(time).toISOString();
}
