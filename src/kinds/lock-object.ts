import { type JsonObject, type ValueObject, isObject, parseJson } from "../core/json.js";
import type { Kind } from "./kind.js";
import { type ListedKind, isResourceId, listedKinds } from "./names.js";
import { kinds } from "./registry.js";

export type LockObject = Readonly<{
  id: string;
  stack: string;
  run: string;
  by: string;
  since: string;
  /** RFC 3339; "" = it never expires. */
  until: string;
}>;

export type LockText = Pick<LockObject, "stack" | "run" | "by" | "until">;

const lockGraceMs = 60_000;

const longestBy = 200;

export function lockKind(): Kind & Readonly<{ kind: ListedKind; lock: JsonObject }> {
  for (const name of listedKinds) {
    const { lock, ...kind } = kinds[name];
    if (lock !== undefined) return { ...kind, kind: name, lock };
  }
  throw new TypeError("no kind is declared to carry the account's lock");
}

export function readLock(wire: ValueObject): LockObject | null {
  const { id, metadata, created_at: created } = wire;
  if (typeof metadata !== "string" || !metadata.includes('"lock"') || !isResourceId(id)) return null;
  const parsed = parseJson(metadata);
  const own = "value" in parsed && isObject(parsed.value) ? parsed.value["edgewise"] : undefined;
  if (!isObject(own) || own["lock"] !== true) return null;
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  const { stack, run, by, until } = own;
  return { id, stack: text(stack), run: text(run), by: boundedBy(text(by)), since: time(created), until: time(until) };
}

/** JavaScript would also take `7`. */
function time(value: unknown): string {
  const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/iu;
  return typeof value === "string" && form.test(value) && !Number.isNaN(Date.parse(value)) ? value : "";
}

export function lockBody(lock: LockText): JsonObject {
  return { ...lockKind().lock, ...renewalBody(lock) };
}

export function renewalBody({ stack, run, by: holder, until }: LockText): JsonObject {
  const by = boundedBy(holder);
  const description = `edgewise lock: ${by} is applying stack ${stack}, and deletes this backend when it ends. After ${until}, remove it with: edgewise unlock`;
  return { description, metadata: JSON.stringify({ edgewise: { lock: true, stack, run, by, until } }) };
}

function boundedBy(by: string): string {
  return by.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, " ").slice(0, longestBy);
}

export function isExpired({ until }: LockObject, now: number): boolean {
  return until !== "" && Date.parse(until) + lockGraceMs < now;
}

export function compareLocks(a: Pick<LockObject, "since" | "id">, b: Pick<LockObject, "since" | "id">): number {
  const [first, second] = [Date.parse(a.since) || 0, Date.parse(b.since) || 0];
  if (first !== second) return first - second;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

export function describeLock({ id, stack, by, since, until }: LockObject): string {
  const holder = by === "" ? "somebody who gave no name" : by;
  const from = since === "" ? "" : ` since ${since}`;
  return `${holder} (stack ${JSON.stringify(stack)}, ${id}) holds it${from}, until ${until === "" ? "it is removed" : until}`;
}
