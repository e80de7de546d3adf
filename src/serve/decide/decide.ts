import { type Impact, isAtLeast, worstOf } from "../../kinds/impact.js";
import type { Address } from "../../kinds/names.js";
import type { Change, Plan, Refusal } from "../../plan/plan-format.js";
import { count } from "../../core/text.js";
import type { StackPolicy } from "../fleet/fleet.js";
import type { ChangeOrigin, StackState, StackStatus, WaitReason } from "../records.js";
import { isOpen, nextOpening } from "./windows.js";

export type DecisionInput = Readonly<{
  plan: Plan;
  origins: ReadonlyMap<Address, ChangeOrigin>;
  closures: ReadonlyMap<Address, ReadonlySet<Address>>;
  policy: StackPolicy;
  now: number;
  paused: boolean;
  deletes: readonly number[];
  brake: BrakeVerdict;
  approved?: ReadonlySet<Address>;
}>;

export type BrakeVerdict = Readonly<{ stopped: string | null; resources: ReadonlyMap<Address, string> }>;

export const noBrake: BrakeVerdict = { stopped: null, resources: new Map() };

type Why = Readonly<{ reason: WaitReason | null; message: string; along?: Address }>;

type HeldChange = Why & Readonly<{ address: Address }>;

export type Decision = Readonly<{
  state: Extract<StackState, "synced" | "pending" | "waiting" | "refused">;
  reason: WaitReason | null;
  message: string;
  /** The largest allowed set that is closed under dependencies. */
  apply: readonly Address[];
  held: readonly HeldChange[];
  /** What a digest names, whatever else it waits for. */
  unapproved: readonly Address[];
  impact: Impact;
  changes: StackStatus["changes"];
}>;

export function decide(input: DecisionInput): Decision {
  const { changes } = input.plan;
  const counts: Record<ChangeOrigin, number> = { commit: 0, drift: 0, both: 0 };
  for (const { address } of changes) counts[input.origins.get(address) ?? "both"] += 1;
  const unapproved = withPartners(input, whyUnapproved).map(({ address }) => address);
  const whole = { impact: worstOf(changes)?.impact ?? "none", changes: counts, unapproved };
  const none = { ...whole, reason: null, apply: [], held: [] };
  const refusal = refusalOf(input);
  if (refusal !== null) return { ...none, state: "refused", message: refusal };
  if (changes.length === 0) return { ...none, state: "synced", message: syncedMessage(input.plan) };
  const nothingNow = whyNothingNow(input);
  const held =
    nothingNow === null ? withPartners(input, whyHeld) : changes.map(({ address }) => ({ address, ...nothingNow }));
  const waiting = new Set(held.map(({ address }) => address));
  const apply = changes.flatMap(({ address }) => (waiting.has(address) ? [] : [address]));
  const can = apply.length > 0 ? [`${count(apply.length, "change")} can be applied`] : [];
  const message = [...can, ...heldMessage(held)].join("; ");
  const outcome = { ...whole, message, apply, held };
  if (apply.length > 0) return { ...outcome, state: "pending", reason: null };
  const reason = inOrder.find((one) => held.some((change) => change.reason === one)) ?? null;
  return { ...outcome, state: reason === null ? "refused" : "waiting", reason };
}

function withPartners(
  input: DecisionInput,
  whyOf: (change: Change, input: DecisionInput) => Why | null,
): readonly HeldChange[] {
  const { changes } = input.plan;
  const held = new Map<Address, HeldChange>();
  for (const change of changes) {
    const why = whyOf(change, input);
    if (why !== null) held.set(change.address, { address: change.address, ...why });
  }
  const partners = partnersOf(input);
  for (let before = -1; before !== held.size;) {
    before = held.size;
    for (const { address } of changes) {
      const along = held.has(address) ? undefined : partners(address).find((other) => held.has(other));
      const why = along && held.get(along);
      if (along === undefined || why === undefined) continue;
      held.set(address, { address, reason: why.reason, message: `it goes along with ${along}, which is held`, along });
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

function whyUnapproved(change: Change, { approved, origins, plan, policy }: DecisionInput): Why | null {
  const { action, address, impact } = change;
  const wait = (message: string) => ({ reason: "approval", message }) as const;
  const secrets = missingSecretsOf(change, plan);
  if (secrets.length > 0) return wait(`it needs a secret that can't be read here: ${secrets.join(", ")}`);
  if (approved?.has(address) === true) return null;
  const origin = origins.get(address) ?? "both";
  if (impact === "irreversible") return wait(`it can't be undone, so it is never done automatically. Approve it`);
  if (origin !== "commit" && (action === "delete" || action === "replace"))
    return wait(`${whose[origin]}, and what deletes a resource is then never done automatically. Approve it`);
  const needed = (["commit", "drift"] as const).filter((which) => origin === which || origin === "both");
  const tooLow = needed.filter((which) => {
    const autonomy = policy.apply[which];
    return autonomy === "never" || !isAtLeast(autonomy, impact);
  });
  if (tooLow.length === 0) return null;
  const is = tooLow.map((which) => `apply.${which} is ${policy.apply[which]}`).join(" and ");
  const allow = tooLow.map((which) => `${which}: ${impact}`).join(", ");
  return wait(`${whose[origin]}, its impact is ${impact}, and ${is}. Approve it, or allow it (apply: {${allow}})`);
}

const whose = {
  commit: "a commit asks for it",
  drift: "it undoes a change by hand",
  both: "it may undo a change by hand",
};

function partnersOf({ plan, closures }: DecisionInput): (address: Address) => readonly Address[] {
  const all = plan.changes.map(({ address }) => address);
  const byId = new Map(plan.operations.map(({ id, address }) => [id, address]));
  const takers = new Map<Address, readonly Address[]>();
  for (const { address, temporary, handsOver } of plan.operations) {
    const ids = [...(temporary?.takers ?? []), ...(handsOver?.takers ?? [])];
    if (ids.length > 0)
      takers.set(address, [...(takers.get(address) ?? []), ...ids.flatMap((id) => byId.get(id) ?? [])]);
  }
  return (address) => [...(closures.get(address) ?? all), ...(takers.get(address) ?? [])];
}

export function countUncompared({ unavailableSecrets }: Plan): number {
  return new Set(unavailableSecrets.map(({ address, source }) => `${address} ${source}`)).size;
}

function syncedMessage(plan: Plan): string {
  const uncompared = countUncompared(plan);
  const kept = plan.warnings.filter(({ code }) => code === "not-pruned").length;
  return [
    "live matches Git",
    ...(uncompared === 0 ? [] : [`${count(uncompared, "secret")} can't be compared`]),
    ...(kept === 0 ? [] : [`${count(kept, "resource")} without a manifest not deleted: a list can't be read`]),
  ].join("; ");
}

const inOrder: readonly (WaitReason | null)[] = ["paused", "suspended", "window", "brake", "approval", null];

function heldMessage(held: readonly HeldChange[]): readonly string[] {
  return inOrder.flatMap((reason) => {
    const own = held.filter((change) => change.reason === reason);
    const first = own.find(({ along }) => along === undefined) ?? own[0];
    if (first === undefined) return [];
    const same = own.every(({ message }) => message === first.message);
    const why = same ? first.message : `${first.address}: ${first.message}`;
    return [`${count(own.length, "change")} ${own.length === 1 ? "waits" : "wait"} (${reason ?? "refused"}): ${why}`];
  });
}

export function whyNothingNow({ paused, policy, now }: Pick<DecisionInput, "paused" | "policy" | "now">): Why | null {
  if (paused) return { reason: "paused", message: "the fleet file has `pause: true`" };
  const { suspend, windows } = policy;
  if (suspend !== null && (suspend.until === null || now < suspend.until)) {
    const end = suspend.until === null ? "" : ` until ${new Date(suspend.until).toISOString()}`;
    return { reason: "suspended", message: `the stack is suspended${end}: ${suspend.reason}` };
  }
  if (isOpen(windows, now)) return null;
  const opening = nextOpening(windows, now);
  const when =
    opening === null ? "none opens within a fortnight" : `the next one opens at ${new Date(opening).toISOString()}`;
  const all = windows.map(({ text }) => text).join(", ");
  return { reason: "window", message: `it is outside of the windows (${all}); ${when}` };
}

function missingSecretsOf({ address, fields }: Change, { operations, unavailableSecrets }: Plan): readonly string[] {
  const sources = fields.flatMap(({ unavailable }) => unavailable ?? []);
  // A module is sent as a whole, with secrets that could not be compared.
  const sendsSecrets = operations.some(
    (operation) => operation.address === address && Object.values(operation.bind).some((bound) => "secret" in bound),
  );
  const uncompared = unavailableSecrets.filter((one) => sendsSecrets && one.address === address);
  return [...new Set([...sources, ...uncompared.map(({ source }) => source)])];
}

export const dayMs = 24 * 60 * 60 * 1000;

const mostTold = 3;

function refusalOf({ deletes, now, plan, policy }: DecisionInput): string | null {
  const refusals = plan.refusals.filter(({ stacks }) => stacks === undefined);
  const told = refusals.slice(0, mostTold).map(refusalText);
  const more = refusals.length - told.length;
  if (more > 0) told.push(`and ${count(more, "more refusal")}`);
  const planned = deletesOf(plan);
  const recent = deletes.filter((time) => time > now - dayMs).length;
  const { deletesPerDay } = policy.brake;
  if (planned > 0 && recent + planned > deletesPerDay)
    told.push(
      `too many deletes: ${count(planned, "resource")} would be deleted, and brake.deletesPerDay is ${deletesPerDay}, ` +
        `with ${recent} in the last 24 hours; delete fewer, wait, or raise it in the fleet file`,
    );
  return told.length === 0 ? null : underServe(told.join("; "));
}

function heldByOthers({ refusals }: Plan, address: Address): string | null {
  const refusal = refusals.find((one) => one.stacks !== undefined && one.address === address);
  return refusal === undefined ? null : underServe(refusalText(refusal));
}

function refusalText({ code, address, message, remedy }: Refusal): string {
  return `${code}${address === undefined ? "" : ` ${address}`}: ${message} (${remedy})`;
}

export function underServe(words: string): string {
  if (!/--[a-z]|metadata: \{|api\./u.test(words)) return words;
  return `${words}; serve has no flags: a commit may set \`guards\` and \`metadata.id\` where the fleet file allows it (\`allow\`)`;
}

/** With replaced ones; without what others hold or what it orphans. */
export function deletesOf(plan: Plan): number {
  return plan.operations.filter(({ kind, address }) => kind === "delete" && heldByOthers(plan, address) === null)
    .length;
}
