import type { StackStatus } from "../records.js";

/** What is told of a stack. */
export type NoticeEvent = "drift" | "waiting" | "failed" | "recovered" | "braked" | "orphaned";

/** A transition that somebody is told of. With its subject it is always the same one: told once. */
export interface Notice {
  readonly event: NoticeEvent;
  /** When it began, in milliseconds since 1970. */
  readonly since: number;
}

/** What was told of a subject last, to one receiver. */
export interface Told {
  /** The state of which was told, while it lasts; null = there is nothing to tell of. */
  readonly event: NoticeEvent | null;
  readonly since: number;
  /** Since when live differs by drift; 0 = it does not. */
  readonly drift: number;
  /**
   * Since when live differs by drift that is about to be told of. Kept before that is sent, where several processes tell
   * one after the other: later looks would name the same drift by another time.
   */
  readonly found?: number;
  /** When the drift began to be put back of which was told last, where processes leave that to the one that tells. */
  readonly healed?: number;
}

/** Nothing was told yet. */
export const nothingTold: Told = { event: null, since: 0, drift: 0 };

/** What is to be told of a subject now, and what has been told after that. */
export interface Telling {
  readonly notices: readonly Notice[];
  readonly told: Told;
}

/**
 * What is to be told of a stack, given what was told before: a state is told once while it lasts, and the end of a failure
 * as well. A stack that is `unknown` says nothing about whether it failed; one that is `pending` is being tried, and has not
 * left what was told of it yet.
 * @param braked whether its account's brake is engaged, of which is told once for all its stacks
 */
export function stackTelling(status: StackStatus, told: Told, braked: boolean): Telling {
  const { changes, lookedAt, since } = status;
  const notices: Notice[] = [];
  const event = eventOf(status, braked);
  if (status.state === "unknown") return { notices, told };
  const drifts = changes.drift + changes.both > 0;
  const { found, ...known } = told;
  const drift = drifts ? told.drift || (found ?? lookedAt ?? since) : 0;
  if (drifts && told.drift === 0) notices.push({ event: "drift", since: drift });
  if (status.state === "pending") return { notices, told: { ...known, drift } };
  if (told.event === "failed" && event !== "failed" && event !== "orphaned")
    notices.push({ event: "recovered", since });
  if (event !== null && (event !== told.event || since !== told.since)) notices.push({ event, since });
  return { notices, told: { ...known, event, since: event === null ? 0 : since, drift } };
}

/** What is to be told of an account: its brake. */
export function accountTelling(brake: { readonly since: number } | null, told: Told): Telling {
  if (brake === null) return { notices: [], told: nothingTold };
  const same = told.event === "braked" && told.since === brake.since;
  const notices: readonly Notice[] = same ? [] : [{ event: "braked", since: brake.since }];
  return { notices, told: { event: "braked", since: brake.since, drift: 0 } };
}

/**
 * Drift was found, and is put back at once: nothing but this tells of it. What was found later is another drift, which is
 * told of by its own time.
 */
export function healTelling(told: Told, now: number): Telling {
  if (told.drift !== 0) return { notices: [], told };
  const { found, ...known } = told;
  const drift = Math.min(found ?? now, now);
  return { notices: [{ event: "drift", since: drift }], told: { ...known, drift } };
}

/** What has been told when one notice of several was sent, and the rest is still to be. */
export function toldAfter(told: Told, { event, since }: Notice): Told {
  const { found: _, ...known } = told;
  if (event === "drift") return { ...known, drift: since };
  return event === "recovered" ? { ...known, event: null, since: 0 } : { ...known, event, since };
}

export function sameTold(one: Told, other: Told): boolean {
  const same = one.event === other.event && one.since === other.since && one.drift === other.drift;
  return same && one.found === other.found && one.healed === other.healed;
}

/** A refused stack needs a person as a failed one does. */
function eventOf({ reason, state }: StackStatus, braked: boolean): NoticeEvent | null {
  if (state === "failed" || state === "refused") return "failed";
  if (state === "orphaned") return "orphaned";
  if (state !== "waiting") return null;
  if (reason === "brake") return braked ? null : "braked";
  return "waiting";
}
