import type { AccountRecord, Brake, BrakeRelease, StackMemory } from "../records.js";
import { brakeId, releaseWords, waitsOf } from "./brake-words.js";
import { type Contest, judgeContest } from "./contested-fields.js";
import type { BrakeVerdict } from "./decision.js";
import { countHeals, heldHeals, massHealBrake } from "./mass-heals.js";
import { type BrakeLook, type Sight, hasShrunk, isDrift, judgeSight, suspectsOf } from "./sight.js";

/** All looks of one pass of an account. */
export interface BrakeInput {
  readonly account: AccountRecord;
  /** How many stacks the account has in the fleet. */
  readonly stacks: number;
  readonly looks: readonly BrakeLook[];
  /** Why the lists can't be read, so that no look has a plan; null = they can. */
  readonly blind: string | null;
  /** How many resources each list of this pass has, by kind: `countListed` of sight.ts. Absent = nobody counted. */
  readonly listed?: AccountRecord["listed"];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What the brake says of a pass, and what is to be kept. */
export interface BrakeJudgement {
  readonly account: AccountRecord;
  /** By stack, for each look. */
  readonly stacks: ReadonlyMap<string, { readonly verdict: BrakeVerdict; readonly memory: StackMemory }>;
}

/** What of a stack is stopped when nothing is. */
export const noBrake: BrakeVerdict = { stopped: null, resources: new Map() };

/**
 * Whether the unasked writes of an account stop, of which stacks, and of which resources alone. Judging a pass again, with
 * the memories from before it, changes nothing: times are kept by stack and field, never counted up.
 */
export function judgeBrake(input: BrakeInput): BrakeJudgement {
  const before = withoutFuture(input.account, input.now);
  if (input.blind !== null) return blindJudgement(input, before);
  const { looks, now } = input;
  const first = releaseByOperator(before, looks, now);
  const { listed = before.listed } = input;
  const isSuddenlyShort = hasShrunk(before.listed, listed);
  const recoveredAt =
    before.blindSince !== null || isSuddenlyShort
      ? looks.reduce((first, { lookedAt }) => Math.min(first, lookedAt), now)
      : before.recoveredAt;
  const releasedAt = Math.max(0, ...first.releases.map(({ cause, at }) => (cause === "blind" ? at : 0)));
  const eyes = { recoveredAt, releasedAt, suspects: suspectsOf(looks), now };
  const judged = looks.map((look) => ({ look, sight: judgeSight(look, eyes), contest: judgeContest(look, now) }));
  const contests = new Map(judged.map(({ look, contest }) => [look, contest]));
  const heals = countHeals({ ...input, account: { ...before, brake: first.brake, released: first.releases } }, (look) =>
    wantsHeal(look, contests.get(look)),
  );
  const brake = massHealBrake(input, heals, first.brake) ?? blindBrake(input, judged, first.brake);
  const account: AccountRecord = {
    ...before,
    brake,
    blindSince: null,
    recoveredAt,
    listed,
    heals: heldHeals(heals, brake?.cause === "stacks" ? brake : first.brake, now),
    released: heals.released,
  };
  return {
    account,
    stacks: new Map(judged.map((one) => [one.look.stack, judgementOf(one, { brake, recoveredAt, releasedAt })])),
  };
}

interface Judged {
  readonly look: BrakeLook;
  readonly sight: Sight;
  readonly contest: Contest;
}

/** Whether something that was changed live would be put back now, were it not for the brake. */
function wantsHeal({ origins, unasked }: BrakeLook, contest: Contest | undefined): boolean {
  return unasked.some((address) => isDrift(origins.get(address)) && contest?.resources.has(address) !== true);
}

/** Times of before the clock was set back count as now. */
function withoutFuture(account: AccountRecord, now: number): AccountRecord {
  const { blindSince, brake, heals, recoveredAt } = account;
  return {
    ...account,
    blindSince: blindSince === null ? null : Math.min(blindSince, now),
    recoveredAt: Math.min(recoveredAt, now),
    brake:
      brake === null ? null : { ...brake, since: Math.min(brake.since, now), lastSeen: Math.min(brake.lastSeen, now) },
    heals: Object.fromEntries(Object.entries(heals).map(([stack, time]) => [stack, Math.min(time, now)])),
    released: account.released.map((one) => ({ ...one, at: Math.min(one.at, now) })),
  };
}

/** Nothing is seen: nothing is written, and no brake is over. */
function blindJudgement({ blind, looks, now }: BrakeInput, before: AccountRecord): BrakeJudgement {
  const { brake } = before;
  const verdict: BrakeVerdict = { stopped: `the lists can't be read: ${blind ?? ""}`, resources: new Map() };
  return {
    account: {
      ...before,
      blindSince: before.blindSince ?? now,
      brake: brake === null ? null : { ...brake, lastSeen: now },
    },
    stacks: new Map(looks.map(({ stack, memory }) => [stack, { verdict, memory }])),
  };
}

/** The brake after the operator's releases, and those that still count. */
function releaseByOperator(
  { brake, heals, released }: AccountRecord,
  looks: readonly BrakeLook[],
  now: number,
): { readonly brake: Brake | null; readonly releases: readonly BrakeRelease[] } {
  const current = released.filter(({ until }) => until > now);
  const isReleased = brake !== null && looks.some(({ policy }) => policy.brake.release.includes(brake.id));
  if (!isReleased) return { brake, releases: current };
  const { cause, id, quietMs } = brake;
  const release = {
    id,
    cause,
    at: now,
    until: now + 3 * quietMs,
    stacks: cause === "stacks" ? Object.keys(heals) : [],
  };
  return { brake: null, releases: [...current, release] };
}

/** The brake for looks that can't be trusted; null = all of them can, and could for a full interval. */
function blindBrake(input: BrakeInput, judged: readonly Judged[], current: Brake | null): Brake | null {
  const { account, looks, now } = input;
  const doubted = judged.filter(
    ({ look, sight }) =>
      (sight.stopped !== null || sight.held.size > 0) &&
      look.plan?.changes.some(({ address }) => isDrift(look.origins.get(address))) === true,
  );
  const [first] = doubted;
  const known = current?.cause === "blind" ? current : null;
  if (first === undefined) return known === null || now - known.lastSeen >= known.quietMs ? null : known;
  const quietMs = looks.reduce((longest, { policy }) => Math.max(longest, policy.intervalMs), known?.quietMs ?? 0);
  if (known !== null) return { ...known, lastSeen: now, quietMs };
  const stacks = doubted.map(({ look }) => look.stack);
  const id = brakeId("blind", { account: account.name, since: now, stacks });
  const more = stacks.length === 1 ? "" : ` (and ${stacks.length - 1} more)`;
  const why = first.sight.stopped ?? "something differs in another way than at the look before";
  const message =
    `live differs in ${first.look.stack}${more}, but the look can't be trusted: ${why}. ${waitsOf(account.name)}; what still differs in the same way ` +
    `at the next look is healed. This ends when every look could be trusted for ${releaseWords(id, quietMs)}`;
  return { id, cause: "blind", message, since: now, lastSeen: now, quietMs };
}

/** What the brake means for one stack. */
function judgementOf(
  { look, sight, contest }: Judged,
  { brake, recoveredAt, releasedAt }: { brake: Brake | null; recoveredAt: number; releasedAt: number },
): { readonly verdict: BrakeVerdict; readonly memory: StackMemory } {
  const { memory, plan, previousLook } = look;
  if (plan === null) {
    const blind = memory.blind || look.blind !== null;
    return { verdict: { stopped: brake?.message ?? null, resources: new Map() }, memory: { ...memory, blind } };
  }
  const isFirst = recoveredAt > releasedAt && previousLook !== null && previousLook < recoveredAt;
  const isStopped = brake !== null && (brake.cause === "stacks" || isFirst);
  const changedSince = "it differs in another way than at the look before, and the lists or Git could not be read then";
  const resources = new Map([
    ...[...sight.held].map((address) => [address, changedSince] as const),
    ...contest.resources,
  ]);
  const doubt =
    sight.stopped === null ? null : `${sight.stopped}: what still differs in the same way at the next look is healed`;
  return {
    verdict: { stopped: isStopped ? brake.message : doubt, resources },
    memory: { ...memory, ...sight.memory, ...contest.memory },
  };
}
