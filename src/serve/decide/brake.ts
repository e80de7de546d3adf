import type { AccountRecord, Brake, ChangeOrigin, StackMemory } from "../records.js";
import type { BrakeVerdict } from "./decide.js";
import { fingerprint } from "../../plan/canonical-json.js";
import type { Address } from "../../kinds/names.js";
import type { Change, Plan } from "../../plan/plan-format.js";
import type { StackPolicy } from "../fleet/fleet.js";

interface BrakeInput {
  readonly account: AccountRecord;
  readonly stacks: number;
  readonly looks: readonly BrakeLook[];
  readonly unreadable: string | null;
  readonly now: number;
}

export interface BrakeJudgement {
  readonly account: AccountRecord;
  readonly stacks: ReadonlyMap<string, { readonly verdict: BrakeVerdict; readonly memory: StackMemory }>;
}

interface Judged {
  readonly look: BrakeLook;
  readonly trust: Trust;
  readonly contest: Contest;
}

export function judgeBrake(input: BrakeInput): BrakeJudgement {
  const { looks, now, unreadable } = input;
  const before = withoutFuture(input.account, now);
  if (unreadable !== null) return unreadableLists(input, before);
  const { brake: known, released } = releaseByOperator(before, looks, now);
  const recoveredAt =
    before.blindSince === null ? before.recoveredAt : Math.min(now, ...looks.map(({ lookedAt }) => lookedAt));
  const releasedAt = Math.max(0, ...released.map(({ at, cause }) => (cause === "blind" ? at : 0)));
  const judged = looks.map((look) => ({
    look,
    trust: assessTrust(look, { recoveredAt, releasedAt, now }),
    contest: judgeContest(look, now),
  }));
  const mass = judgeHeals(input, judged, { ...before, brake: known, released });
  const brake = mass.brake ?? doubtBrake(input, judged, known);
  const account = { ...before, brake, blindSince: null, recoveredAt, heals: mass.heals, released: mass.released };
  const verdicts = judged.map(({ look, trust, contest }) => {
    const { memory, plan, previousLook, stack } = look;
    if (plan === null) {
      const blind = memory.blind || look.gitUnreadable !== null;
      return [stack, { verdict: stopping(brake?.message ?? null), memory: { ...memory, blind } }] as const;
    }
    const isFirst = recoveredAt > releasedAt && previousLook !== null && previousLook < recoveredAt;
    const doubt = trust.doubt === null ? null : `${trust.doubt}: ${healedNext}`;
    const stopped = brake !== null && (brake.cause === "stacks" || isFirst) ? brake.message : doubt;
    const held = trust.held.map((address) => [address, heldWords] as const);
    const verdict = { stopped, resources: new Map([...held, ...contest.resources]) };
    return [stack, { verdict, memory: { ...memory, ...trust.memory, ...contest.memory } }] as const;
  });
  return { account, stacks: new Map(verdicts) };
}

const healedNext = "what still differs in the same way at the next look is healed";
const heldWords = "it differs in another way than at the look before, and the lists or Git could not be read then";

function stopping(stopped: string | null): BrakeVerdict {
  return { stopped, resources: new Map() };
}

/** Times of before the clock was set back count as now. */
function withoutFuture(account: AccountRecord, now: number): AccountRecord {
  const { blindSince, brake, heals, recoveredAt, released } = account;
  const past = (time: number): number => Math.min(time, now);
  return {
    ...account,
    blindSince: blindSince === null ? null : past(blindSince),
    recoveredAt: past(recoveredAt),
    brake: brake === null ? null : { ...brake, since: past(brake.since), lastSeen: past(brake.lastSeen) },
    heals: Object.fromEntries(Object.entries(heals).map(([stack, time]) => [stack, past(time)])),
    released: released.map((one) => ({ ...one, at: past(one.at) })),
  };
}

function unreadableLists({ looks, now, unreadable }: BrakeInput, before: AccountRecord): BrakeJudgement {
  const { blindSince, brake } = before;
  const verdict = stopping(`the lists can't be read: ${unreadable ?? ""}`);
  return {
    account: { ...before, blindSince: blindSince ?? now, brake: brake === null ? null : { ...brake, lastSeen: now } },
    stacks: new Map(looks.map(({ stack, memory }) => [stack, { verdict, memory }])),
  };
}

function releaseByOperator(
  { brake, heals, released }: AccountRecord,
  looks: readonly BrakeLook[],
  now: number,
): Pick<AccountRecord, "brake" | "released"> {
  const current = released.filter(({ until }) => until > now);
  if (brake === null || !looks.some(({ policy }) => policy.brake.release.includes(brake.id)))
    return { brake, released: current };
  const { cause, id, quietMs } = brake;
  const stacks = cause === "stacks" ? Object.keys(heals) : [];
  return { brake: null, released: [...current, { id, cause, at: now, until: now + 3 * quietMs, stacks }] };
}

const leastStacks = 2;
const dayMs = 86_400_000;

function judgeHeals(
  { looks, now, stacks }: BrakeInput,
  judged: readonly Judged[],
  { brake: current, heals: before, name, released }: AccountRecord,
): Pick<AccountRecord, "brake" | "heals" | "released"> {
  const known = current?.cause === "stacks" ? current : null;
  const longest = longestInterval(looks);
  const letThrough = new Set(released.flatMap((one) => one.stacks));
  const seen = judged.filter(({ look }) => look.plan !== null);
  const inOrder = new Set(seen.filter((one) => !wantsHeal(one)).map(({ look }) => look.stack));
  const wanting = seen.map(({ look }) => look).filter(({ stack }) => !inOrder.has(stack) && !letThrough.has(stack));
  const kept = Object.entries(before).filter(
    ([stack, time]) => now - time < Math.max(dayMs, longest) && !letThrough.has(stack),
  );
  const heals = { ...Object.fromEntries(kept), ...Object.fromEntries(wanting.map(({ stack }) => [stack, now])) };
  const heldBy = ({ quietMs }: Brake): AccountRecord["heals"] =>
    Object.fromEntries(
      Object.entries(heals).filter(([stack, time]) => !inOrder.has(stack) && now - time < 3 * quietMs),
    );
  const left = released.map((one) => ({ ...one, stacks: one.stacks.filter((stack) => !inOrder.has(stack)) }));
  const mostOf = ({ policy: { brake } }: BrakeLook): number =>
    Math.max(leastStacks, "count" in brake.stacks ? brake.stacks.count : (stacks * brake.stacks.percent) / 100);
  if (known !== null) {
    const held = heldBy(known);
    const lastSeen = looks.some((look) => Object.keys(held).length > mostOf(look)) ? now : known.lastSeen;
    const brake = now - lastSeen >= known.quietMs ? null : { ...known, lastSeen };
    return { brake, heals: held, released: left };
  }
  for (const look of wanting) {
    const { intervalMs } = look.policy;
    const drifted = Object.values(heals).filter((time) => now - time < intervalMs).length;
    if (drifted <= mostOf(look)) continue;
    const id = brakeId("stacks", { account: name, since: now, heals });
    const message =
      `${drifted} of ${stacks} stacks of account ${name} drifted within ${durationWords(intervalMs)}, more than ${Math.floor(mostOf(look))} ` +
      `(brake.stacks): somebody changes many at once, or the lists are wrong. ${pausedWords(name)}. ` +
      `It resumes when no more than that have drifted for ${releaseWords(id, longest)}`;
    const brake: Brake = { id, cause: "stacks", message, since: now, lastSeen: now, quietMs: longest };
    return { brake, heals: heldBy(brake), released: left };
  }
  return { brake: null, heals, released: left };
}

function wantsHeal({ contest, look }: Judged): boolean {
  const drift = new Set(driftOf(look).map(({ address }) => address));
  return look.unasked.some((address) => drift.has(address) && !contest.resources.has(address));
}

function doubtBrake(
  { account, looks, now }: BrakeInput,
  judged: readonly Judged[],
  current: Brake | null,
): Brake | null {
  const doubted = judged.filter(
    ({ look, trust }) => (trust.doubt !== null || trust.held.length > 0) && driftOf(look).length > 0,
  );
  const [first] = doubted;
  const known = current?.cause === "blind" ? current : null;
  if (first === undefined) return known === null || now - known.lastSeen >= known.quietMs ? null : known;
  const quietMs = Math.max(known?.quietMs ?? 0, longestInterval(looks));
  if (known !== null) return { ...known, lastSeen: now, quietMs };
  const stacks = doubted.map(({ look }) => look.stack);
  const id = brakeId("blind", { account: account.name, since: now, stacks });
  const more = stacks.length === 1 ? "" : ` (and ${stacks.length - 1} more)`;
  const why = first.trust.doubt ?? "something differs in another way than at the look before";
  const message =
    `live differs in ${first.look.stack}${more}, but the look can't be trusted: ${why}. ${pausedWords(account.name)}; ${healedNext}. ` +
    `It resumes when every look could be trusted for ${releaseWords(id, quietMs)}`;
  return { id, cause: "blind", message, since: now, lastSeen: now, quietMs };
}

function longestInterval(looks: readonly BrakeLook[]): number {
  return Math.max(0, ...looks.map(({ policy }) => policy.intervalMs));
}

function brakeId(cause: string, occurrence: { readonly [member: string]: unknown }): string {
  return `${cause}-${fingerprint({ cause, ...occurrence }).slice("sha256:".length, "sha256:".length + 12)}`;
}

function releaseWords(id: string, quietMs: number): string {
  return `${durationWords(quietMs)}, or until you write \`brake: {release: [${id}]}\` below \`defaults:\` in the fleet file`;
}

function pausedWords(account: string): string {
  return `All automatic writes of account ${account} are paused, those of commits too`;
}

function durationWords(ms: number): string {
  const units = [
    ["d", 86_400_000],
    ["h", 3_600_000],
    ["m", 60_000],
    ["s", 1000],
  ] as const;
  const [unit, size] = units.find(([, each]) => ms >= each && ms % each === 0) ?? ["ms", 1];
  return `${Math.round(ms / size)}${unit}`;
}

const hourMs = 3_600_000;

export interface Contest {
  readonly resources: ReadonlyMap<Address, string>;
  readonly memory: Pick<StackMemory, "restored" | "contested">;
}

function judgeContest(look: BrakeLook, now: number): Contest {
  const { memory, plan, policy, stack } = look;
  const restored = recent(memory.restored, now);
  if (plan === null) return { resources: new Map(), memory: { restored, contested: memory.contested } };
  const differing = new Map(
    driftOf(look).flatMap((change) => fieldsOf(change).map((field) => [field, change.address])),
  );
  const contested: Record<string, { since: number; lastSeen: number }> = {};
  const resources = new Map<Address, string>();
  for (const field of new Set([...Object.keys(memory.contested), ...differing.keys()])) {
    const address = differing.get(field);
    const isNew = address !== undefined && (restored[field]?.length ?? 0) >= policy.brake.writers;
    const known = memory.contested[field] ?? (isNew ? { since: now, lastSeen: now } : undefined);
    if (known === undefined) continue;
    const { since } = known;
    const lastSeen = address === undefined ? Math.min(known.lastSeen, now) : now;
    const id = brakeId("writers", { stack, field, since });
    if (policy.brake.release.includes(id) || now - lastSeen >= policy.intervalMs) {
      delete restored[field];
      continue;
    }
    contested[field] = { since, lastSeen };
    if (address === undefined) continue;
    const why =
      `${field.replace(" ", ": ")} was put back ${policy.brake.writers} times within an hour and differs again: somebody else writes it. ` +
      `It is left alone until it has not differed for ${releaseWords(id, policy.intervalMs)}`;
    const others = resources.get(address);
    resources.set(address, others === undefined ? why : `${others}. ${why}`);
  }
  return { resources, memory: { restored, contested } };
}

export function recordRestores(
  memory: StackMemory,
  written: readonly Change[],
  { origins, at }: { readonly origins: ReadonlyMap<Address, ChangeOrigin>; readonly at: number },
): StackMemory {
  const restored = recent(memory.restored, at);
  for (const change of written.filter(({ address }) => isDrift(origins.get(address))))
    for (const field of fieldsOf(change)) restored[field] = [...new Set([...(restored[field] ?? []), at])];
  return { ...memory, restored };
}

/** `Kind/name path`, or `Kind/name` of what is made or removed as a whole. */
function fieldsOf({ action, address, fields }: Change): readonly string[] {
  return action === "update" ? fields.map(({ path }) => `${address} ${path}`) : [address];
}

/** A time in the future is from before the clock was set back: it counts as now. */
function recent(restored: StackMemory["restored"], now: number): Record<string, readonly number[]> {
  const within = Object.entries(restored).map(([field, times]) => {
    return [field, times.map((time) => Math.min(time, now)).filter((time) => now - time < hourMs)] as const;
  });
  return Object.fromEntries(within.filter(([, times]) => times.length > 0));
}

export interface BrakeLook {
  readonly stack: string;
  readonly policy: StackPolicy;
  readonly memory: StackMemory;
  readonly previousLook: number | null;
  readonly lookedAt: number;
  readonly gitUnreadable: string | null;
  readonly plan: Pick<Plan, "changes"> | null;
  readonly origins: ReadonlyMap<Address, ChangeOrigin>;
  readonly unasked: readonly Address[];
}

interface ListHistory {
  readonly recoveredAt: number;
  readonly releasedAt: number;
  readonly now: number;
}

interface Trust {
  readonly doubt: string | null;
  readonly held: readonly Address[];
  readonly memory: Pick<StackMemory, "sighted" | "sightedAt" | "blind">;
}

function assessTrust(look: BrakeLook, { now, recoveredAt, releasedAt }: ListHistory): Trust {
  const { gitUnreadable, lookedAt, memory, previousLook } = look;
  const drift = driftOf(look);
  const differs = Object.fromEntries(drift.map((change) => [change.address, changePrint(change)]));
  const forgotten = { sighted: null, sightedAt: 0, blind: gitUnreadable !== null };
  const recorded = { sighted: differs, sightedAt: lookedAt, blind: false };
  if (gitUnreadable !== null)
    return { doubt: `Git can't be read, and what it says may be old: ${gitUnreadable}`, held: [], memory: forgotten };
  if (drift.length === 0) return { doubt: null, held: [], memory: forgotten };
  const { sighted } = memory;
  if (sighted !== null && releasedAt >= memory.sightedAt)
    return { doubt: null, held: [], memory: { ...recorded, sightedAt: memory.sightedAt } };
  // A look in the future was before the clock was set back.
  const isFirst = previousLook !== null && (previousLook < recoveredAt || (recoveredAt > 0 && previousLook > now));
  if (memory.blind || (isFirst && releasedAt < recoveredAt)) {
    const what = memory.blind ? "Git" : "the lists";
    return { doubt: `this is the first look since ${what} could not be read`, held: [], memory: recorded };
  }
  const held = sighted === null ? [] : drift.filter(({ address }) => sighted[address] !== differs[address]);
  return { doubt: null, held: held.map(({ address }) => address), memory: held.length === 0 ? forgotten : recorded };
}

export function isDrift(origin: ChangeOrigin | undefined): boolean {
  return origin !== "commit";
}

export function driftOf({ origins, plan }: Pick<BrakeLook, "origins" | "plan">): readonly Change[] {
  return (plan?.changes ?? []).filter(({ address }) => isDrift(origins.get(address)));
}

function changePrint({ action, fields, id }: Change): string {
  return fingerprint({ action, id, fields: fields.map(({ path, before, after }) => ({ path, before, after })) });
}
