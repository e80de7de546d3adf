import type { AccountRecord, Brake, StackMemory } from "../records.js";
import { brakeId, durationWords, pausedWords, releaseWords } from "./brake-words.js";
import { type Contest, judgeContest } from "./contested-fields.js";
import type { BrakeVerdict } from "./decide.js";
import { type BrakeLook, type Trust, assessTrust, driftOf } from "./trust.js";

export interface BrakeInput {
  readonly account: AccountRecord;
  readonly stacks: number;
  readonly looks: readonly BrakeLook[];
  /** Why the lists can't be read, so that no look has a plan; null = they can. */
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

/** Whether the automatic writes of an account stop, of which stacks, and of which resources alone. */
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

/** So many stacks may drift at the same time, however few there are. */
const leastStacks = 2;
/** So long a heal is remembered, for stacks with a longer interval than those of a pass. */
const dayMs = 86_400_000;

/** Brakes when, within a stack's interval, more stacks wanted a heal than its policy lets pass. */
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
