import { type JsonObject, isObject } from "../core/json.js";
import { parseJson } from "../core/parse-json.js";
import type { Kind } from "./kind.js";
import { type ListedKind, isResourceId, listedKinds } from "./names.js";
import { kinds } from "./registry.js";

/**
 * A lock: an object in the account that keeps other applies out while one writes. It says whose it is and until when,
 * and is nobody's resource.
 */
export interface LockObject {
  readonly id: string;
  /** The stack that is being applied. */
  readonly stack: string;
  /** Random; the same in every lock of one run. */
  readonly run: string;
  /** Who applies, for people. */
  readonly by: string;
  /** When the service made it (RFC 3339); "" when it doesn't say. */
  readonly since: string;
  /** When it expires unless it is renewed (RFC 3339); "" when it can't be read: then it never expires. */
  readonly until: string;
}

/** What the holder writes into a lock. */
export type LockText = Pick<LockObject, "stack" | "run" | "by" | "until">;

/** How long after its end a lock still counts, in milliseconds: clocks differ. */
export const lockGraceMs = 60_000;

/** Longest `by`, in characters. */
const longestBy = 200;

/** The kind whose resources can be locks, as its declaration says. */
export function lockKind(): Kind & { readonly kind: ListedKind; readonly lock: JsonObject } {
  for (const name of listedKinds) {
    const { lock, ...kind } = kinds[name];
    if (lock !== undefined) return { ...kind, kind: name, lock };
  }
  throw new TypeError("no kind is declared to carry the account's lock");
}

/** The lock that an object of the API is; null when it is a resource. Never throws. */
export function readLock(wire: { readonly [member: string]: unknown }): LockObject | null {
  const { id, metadata, created_at: created } = wire;
  if (typeof metadata !== "string" || !metadata.includes('"lock"') || !isResourceId(id)) return null;
  const parsed = parseJson(metadata);
  const own = "value" in parsed && isObject(parsed.value) ? parsed.value["edgewise"] : undefined;
  if (!isObject(own) || own["lock"] !== true) return null;
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  const { stack, run, by, until } = own;
  return { id, stack: text(stack), run: text(run), by: boundedBy(text(by)), since: time(created), until: time(until) };
}

/** A time as RFC 3339 has it; "" for anything else. JavaScript would also take `7`, and any words in parentheses. */
function time(value: unknown): string {
  const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/iu;
  return typeof value === "string" && form.test(value) && !Number.isNaN(Date.parse(value)) ? value : "";
}

/** The `metadata` text of a lock. */
export function lockMetadata({ stack, run, by, until }: LockText): string {
  return JSON.stringify({ edgewise: { lock: true, stack, run, by: boundedBy(by), until } });
}

/** The request body that creates a lock. */
export function lockBody(lock: LockText): JsonObject {
  return { ...lockKind().lock, ...renewalBody(lock) };
}

/** The request body that renews a lock. */
export function renewalBody(lock: LockText): JsonObject {
  const words = `edgewise lock: ${boundedBy(lock.by)} is applying stack ${lock.stack}. Nothing refers to this backend. It is deleted when the apply ends; if it is still here after ${lock.until}, remove it with: edgewise unlock`;
  return { description: words, metadata: lockMetadata(lock) };
}

/** Text from CI variables: one line of bounded length. */
function boundedBy(by: string): string {
  return by.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, " ").slice(0, longestBy);
}

/**
 * Whether a lock no longer keeps anybody out, so that apply and unlock may delete it.
 * @param now milliseconds since 1970, by the service's clock
 */
export function isExpired({ until }: LockObject, now: number): boolean {
  return until !== "" && Date.parse(until) + lockGraceMs < now;
}

/** Which of two locks came first: by the service's time, then by id. */
export function compareLocks(a: Pick<LockObject, "since" | "id">, b: Pick<LockObject, "since" | "id">): number {
  const [first, second] = [Date.parse(a.since) || 0, Date.parse(b.since) || 0];
  if (first !== second) return first - second;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

/** Whose a lock is, since when and until when, for people. */
export function describeLock({ id, stack, by, since, until }: LockObject): string {
  const holder = by === "" ? "somebody who gave no name" : by;
  const from = since === "" ? "" : ` since ${since}`;
  return `${holder} (stack ${JSON.stringify(stack)}, ${id}) holds it${from}, until ${until === "" ? "it is removed" : until}`;
}
