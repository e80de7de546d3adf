import { isObject } from "../../../core/json.js";
import { parseJson } from "../../../core/parse-json.js";

// How many requests each process sent to an account within the last minute, when it gave the account back: JSON in the
// account's row, by process, so that all of them together keep to its limit.

const minuteMs = 60_000;

interface Sent {
  readonly process: string;
  readonly count: number;
  readonly at: number;
}

/** How many requests other processes sent within the last minute, at most. */
export function othersRequests(text: string, own: string, now: number): number {
  const others = recent(text, now).filter(({ process }) => process !== own);
  return others.reduce((sum, { count }) => sum + count, 0);
}

/** What is to be kept, with what this process sent. */
export function withOwnRequests(text: string, own: { process: string; count: number; now: number }): string {
  const others = recent(text, own.now).filter(({ process }) => process !== own.process);
  const all = own.count > 0 ? [...others, { process: own.process, count: own.count, at: own.now }] : others;
  return JSON.stringify(Object.fromEntries(all.map(({ at, count, process }) => [process, [count, at]])));
}

function recent(text: string, now: number): readonly Sent[] {
  const parsed = parseJson(text);
  if (!("value" in parsed) || !isObject(parsed.value)) return [];
  return Object.entries(parsed.value).flatMap(([process, value]) => {
    if (!Array.isArray(value)) return [];
    const [count, at]: readonly unknown[] = value;
    return typeof count === "number" && typeof at === "number" && now - at < minuteMs ? [{ process, count, at }] : [];
  });
}
