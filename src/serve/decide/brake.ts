import { spanOf } from "../../core/text.js";
import type { Address } from "../../kinds/names.js";
import { type Change, fingerprint, type Plan } from "../../plan/plan-format.js";
import type { StackPolicy } from "../fleet/fleet.js";
import type { AccountRecord, Brake, ChangeOrigin, StackMemory } from "../records.js";
import { type BrakeVerdict, dayMs, noBrake } from "./decide.js";

type BrakeInput = Readonly<{
  account: AccountRecord;
  stacks: number;
  looks: readonly BrakeLook[];
  unreadable: string | null;
  now: number;
}>;

export type BrakeLook = Readonly<{
  stack: string;
  policy: StackPolicy;
  memory: StackMemory;
  previousLook: number | null;
  lookedAt: number;
  gitUnreadable: string | null;
  plan: Pick<Plan, "changes"> | null;
  origins: ReadonlyMap<Address, ChangeOrigin>;
  unasked: readonly Address[];
}>;

export type BrakeJudgement = Readonly<{
  account: AccountRecord;
  stacks: ReadonlyMap<string, Readonly<{ verdict: BrakeVerdict; memory: StackMemory }>>;
}>;

export function judgeBrake(input: BrakeInput): BrakeJudgement {
  const { looks, now, unreadable } = input;
  if (unreadable !== null) return unreadableLists(input, unreadable);
  const before = afterRelease(input.account, looks);
  const { blindAt } = before;
  const judged = looks.map((look) => judgeLook(look, blindAt, now));
  const mass = judgeHeals(input, judged, before);
  const brake = mass.brake ?? doubtBrake(input, judged, before.brake);
  const verdicts = judged.map(({ contest, isFirst, look, trust }) => {
    const { memory, plan, stack } = look;
    if (plan === null) {
      const blind = memory.blind || look.gitUnreadable !== null;
      return [
        stack,
        { verdict: { ...noBrake, stopped: brake?.message ?? null }, memory: { ...memory, blind } },
      ] as const;
    }
    const doubt = trust.doubt === null ? null : `${trust.doubt}: ${healedNext}`;
    const stopped = brake !== null && (brake.cause === "stacks" || isFirst) ? brake.message : doubt;
    const held = trust.held.map((address) => [address, heldWords] as const);
    const verdict = { stopped, resources: new Map([...held, ...contest.resources]) };
    return [stack, { verdict, memory: { ...memory, ...trust.memory, ...contest.memory } }] as const;
  });
  const account = { ...before, ...mass, brake, blindAt: Math.min(blindAt, now, ...looks.map((look) => look.lookedAt)) };
  return { account, stacks: new Map(verdicts) };
}

type Judged = ReturnType<typeof judgeLook>;

function judgeLook(look: BrakeLook, blindAt: number, now: number) {
  // A look in the future was before the clock was set back.
  const { previousLook: last } = look;
  const isFirst = blindAt > 0 && last !== null && (last <= blindAt || last > now);
  return { look, isFirst, trust: assessTrust(look, isFirst), contest: judgeContest(look, now) };
}

const healedNext = "what still differs in the same way at the next look is healed";
const heldWords = "it differs in another way than at the look before";

function unreadableLists({ account, looks, now }: BrakeInput, why: string): BrakeJudgement {
  const verdict = { ...noBrake, stopped: `the lists can't be read: ${why}` };
  return {
    account: { ...account, blindAt: now, brake: account.brake && { ...account.brake, lastSeen: now } },
    stacks: new Map(looks.map(({ stack, memory }) => [stack, { verdict, memory }])),
  };
}

function afterRelease(account: AccountRecord, looks: readonly BrakeLook[]): AccountRecord {
  const { brake, heals, released } = account;
  if (brake === null || !looks.some(({ policy }) => policy.brake.release.includes(brake.id))) return account;
  return brake.cause === "blind"
    ? { ...account, brake: null, blindAt: 0 }
    : { ...account, brake: null, released: [...new Set([...released, ...Object.keys(heals)])] };
}

const leastStacks = 2;

function judgeHeals(
  { looks, now, stacks }: BrakeInput,
  judged: readonly Judged[],
  { brake: current, heals: before, name, released }: AccountRecord,
): Pick<AccountRecord, "brake" | "heals" | "released"> {
  const longest = longestInterval(looks);
  // A time in the future is from before the clock was set back.
  const isWithin = (time: number, ms: number): boolean => Math.abs(now - time) < ms;
  const seen = judged.filter(({ look }) => look.plan !== null);
  const inOrder = new Set(seen.filter((one) => !wantsHeal(one)).map(({ look }) => look.stack));
  const left = released.filter((stack) => !inOrder.has(stack));
  const wanting = seen.map(({ look }) => look).filter(({ stack }) => !inOrder.has(stack) && !released.includes(stack));
  const kept = Object.entries(before).filter(
    ([stack, time]) => isWithin(time, Math.max(dayMs, longest)) && !released.includes(stack),
  );
  const heals = { ...Object.fromEntries(kept), ...Object.fromEntries(wanting.map(({ stack }) => [stack, now])) };
  const heldBy = ({ quietMs }: Brake): AccountRecord["heals"] => {
    const still = Object.entries(heals).filter(([stack, time]) => !inOrder.has(stack) && isWithin(time, 3 * quietMs));
    return Object.fromEntries(still);
  };
  const mostOf = ({ policy: { brake } }: BrakeLook): number =>
    Math.max(leastStacks, "count" in brake.stacks ? brake.stacks.count : (stacks * brake.stacks.percent) / 100);
  if (current?.cause === "stacks") {
    const held = heldBy(current);
    const lastSeen = looks.some((look) => Object.keys(held).length > mostOf(look)) ? now : current.lastSeen;
    const brake = isWithin(lastSeen, current.quietMs) ? { ...current, lastSeen } : null;
    return { brake, heals: held, released: left };
  }
  for (const look of wanting) {
    const { intervalMs } = look.policy;
    const drifted = Object.values(heals).filter((time) => isWithin(time, intervalMs)).length;
    if (drifted <= mostOf(look)) continue;
    const id = brakeId("stacks", { account: name, since: now, heals });
    const message =
      `${drifted} of ${stacks} stacks of account ${name} drifted within ${spanOf(intervalMs / 1000)}, more than ${Math.floor(mostOf(look))} ` +
      `(brake.stacks). ${paused}. It resumes when no more have drifted for ${releaseWords(id, longest)}`;
    const brake: Brake = { id, cause: "stacks", message, since: now, lastSeen: now, quietMs: longest };
    return { brake, heals: heldBy(brake), released: left };
  }
  return { brake: null, heals, released: left };
}

function wantsHeal({ contest, look }: Judged): boolean {
  const drift = new Set(driftOf(look).map(({ address }) => address));
  return look.unasked.some((address) => drift.has(address) && !contest.resources.has(address));
}

function doubtBrake({ account, looks, now }: BrakeInput, judged: readonly Judged[], current: Brake | null) {
  const doubted = judged.filter(({ look, trust: { doubt, held } }) => driftOf(look).length > 0 && (doubt ?? held[0]));
  const [first] = doubted;
  const known = current?.cause === "blind" ? current : null;
  if (first === undefined) return known && Math.abs(now - known.lastSeen) < known.quietMs ? known : null;
  const quietMs = Math.max(known?.quietMs ?? 0, longestInterval(looks));
  if (known !== null) return { ...known, lastSeen: now, quietMs };
  const stacks = doubted.map(({ look }) => look.stack);
  const id = brakeId("blind", { account: account.name, since: now, stacks });
  const more = stacks.length === 1 ? "" : ` (and ${stacks.length - 1} more)`;
  const message =
    `live differs in ${first.look.stack}${more} of account ${account.name}, but ${first.trust.doubt ?? heldWords}. ${paused}; ${healedNext}. ` +
    `It resumes when every look could be trusted for ${releaseWords(id, quietMs)}`;
  return { id, cause: "blind", message, since: now, lastSeen: now, quietMs } as const;
}

function longestInterval(looks: readonly BrakeLook[]): number {
  return Math.max(0, ...looks.map(({ policy }) => policy.intervalMs));
}

function brakeId(cause: string, occurrence: { readonly [member: string]: unknown }): string {
  return `${cause}-${fingerprint({ cause, ...occurrence }).slice("sha256:".length, "sha256:".length + 12)}`;
}

const paused = "All its automatic writes are paused, those of commits too";

function releaseWords(id: string, quietMs: number): string {
  return `${spanOf(quietMs / 1000)}, or until you write \`brake: {release: [${id}]}\` below \`defaults:\` in the fleet file`;
}

const hourMs = 3_600_000;

function judgeContest(look: BrakeLook, now: number) {
  const { memory, plan, policy, stack } = look;
  const restored = recent(memory.restored, now);
  const resources = new Map<Address, string>();
  if (plan === null) return { resources, memory: { restored, contested: memory.contested } };
  const differing = new Map(
    driftOf(look).flatMap((change) => fieldsOf(change).map((field) => [field, change.address])),
  );
  const contested: Record<string, { since: number; lastSeen: number }> = {};
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
      `${field.replace(" ", ": ")} was put back ${policy.brake.writers} times within an hour: somebody else writes it. ` +
      `It is left alone until it has not differed for ${releaseWords(id, policy.intervalMs)}`;
    const others = resources.get(address);
    resources.set(address, others === undefined ? why : `${others}. ${why}`);
  }
  return { resources, memory: { restored, contested } };
}

export function recordRestores(
  memory: StackMemory,
  written: readonly Change[],
  { origins, at }: Readonly<{ origins: ReadonlyMap<Address, ChangeOrigin>; at: number }>,
): StackMemory {
  const restored = recent(memory.restored, at);
  for (const change of driftOf({ origins, plan: { changes: written } }))
    for (const field of fieldsOf(change)) restored[field] = [...new Set([...(restored[field] ?? []), at])];
  return { ...memory, restored };
}

/** `Kind/name path`, or `Kind/name` of what is made or removed as a whole. */
function fieldsOf({ action, address, fields }: Change): readonly string[] {
  return action === "update" ? fields.map(({ path }) => `${address} ${path}`) : [address];
}

function recent(restored: StackMemory["restored"], now: number): Record<string, readonly number[]> {
  const within = Object.entries(restored).map(([field, times]) => {
    return [field, times.map((time) => Math.min(time, now)).filter((time) => now - time < hourMs)] as const;
  });
  return Object.fromEntries(within.filter(([, times]) => times.length > 0));
}

function assessTrust(look: BrakeLook, isFirst: boolean) {
  const { gitUnreadable, memory } = look;
  const drift = driftOf(look);
  const differs = Object.fromEntries(
    drift.map(({ action, address, fields, id }) => {
      const parts = fields.map(({ path, before, after }) => ({ path, before, after }));
      return [address, fingerprint({ action, id, fields: parts })];
    }),
  );
  const recorded = { sighted: differs, blind: false };
  const forgotten = { sighted: null, blind: gitUnreadable !== null };
  if (gitUnreadable !== null) return { doubt: `Git can't be read: ${gitUnreadable}`, held: [], memory: forgotten };
  if (drift.length === 0) return { doubt: null, held: [], memory: forgotten };
  if (memory.blind || isFirst) {
    const what = memory.blind ? "Git" : "the lists";
    return { doubt: `this is the first look since ${what} could not be read`, held: [], memory: recorded };
  }
  const { sighted } = memory;
  const held = drift.flatMap(({ address }) => (sighted && sighted[address] !== differs[address] ? [address] : []));
  return { doubt: null, held, memory: held.length === 0 ? forgotten : recorded };
}

function driftOf({ origins, plan }: Pick<BrakeLook, "origins" | "plan">): readonly Change[] {
  return (plan?.changes ?? []).filter(({ address }) => origins.get(address) !== "commit");
}
