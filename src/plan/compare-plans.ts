import type { Address } from "../kinds/names.js";
import { canonicalJson } from "./canonical.js";
import type { Change, FieldChange, Operation, Plan } from "./plan.js";

/** One way in which two plans differ, in words. */
export interface PlanDifference {
  readonly address: Address;
  readonly message: string;
}

/**
 * Where a plan that was made again differs from a saved one: in the changes, and in the requests that would be sent.
 * Wording, source lines, origins and warnings are not compared. Empty = both do the same.
 */
export function comparePlans(saved: Plan, fresh: Plan): readonly PlanDifference[] {
  const changes = pairs(saved.changes, fresh.changes, ({ address, id }) => JSON.stringify([address, id]));
  const differences = changes.flatMap(([before, after]) => changeDifferences(before, after));
  if (differences.length > 0) return differences;
  const operations = pairs(saved.operations, fresh.operations, ({ id }) => id);
  return operations.flatMap(([before, after]) => operationDifferences(before, after));
}

type Pair<T> = readonly [T | undefined, T | undefined];

/** Both sides side by side; what one side has more often than the other stands alone. */
function pairs<T>(saved: readonly T[], fresh: readonly T[], keyOf: (item: T) => string): readonly Pair<T>[] {
  const open = new Map<string, T[]>();
  for (const item of saved) {
    const key = keyOf(item);
    open.set(key, [...(open.get(key) ?? []), item]);
  }
  const found = fresh.map((item): Pair<T> => [open.get(keyOf(item))?.shift(), item]);
  return [...found, ...[...open.values()].flat().map((item): Pair<T> => [item, undefined])];
}

function changeDifferences(saved: Change | undefined, fresh: Change | undefined): readonly PlanDifference[] {
  if (fresh === undefined) {
    if (saved === undefined) return [];
    return [{ address: saved.address, message: `${titleOf(saved)} is in the file, and not in the new plan` }];
  }
  const { address } = fresh;
  if (saved === undefined) return [{ address, message: `${titleOf(fresh)} is in the new plan, and not in the file` }];
  if (saved.action !== fresh.action) {
    return [{ address, message: `${address}: the file says ${saved.action}, now it is ${fresh.action}` }];
  }
  const fields = pairs(saved.fields, fresh.fields, ({ path }) => path).flatMap(([before, after]) => {
    const message = fieldDifference(before, after);
    return message === null ? [] : [{ address, message: `${address} ${message}` }];
  });
  if (fields.length > 0 || saved.impact === fresh.impact) return fields;
  return [{ address, message: `${address}: the file says the impact is ${saved.impact}, it is ${fresh.impact}` }];
}

/** `update of TLSEdge/api (edgtls_1)`. */
function titleOf({ action, address, id }: Change): string {
  return `${action} of ${address}${id === null ? "" : ` (${id})`}`;
}

function fieldDifference(saved: FieldChange | undefined, fresh: FieldChange | undefined): string | null {
  if (saved === undefined)
    return fresh === undefined ? null : `${fresh.path} changes in the new plan, and not in the file`;
  if (fresh === undefined) return `${saved.path} changes in the file, and not in the new plan`;
  if (canonicalJson(comparable(saved)) === canonicalJson(comparable(fresh))) return null;
  for (const side of ["after", "before"] as const) {
    const [then, now] = [canonicalJson(saved[side]), canonicalJson(fresh[side])];
    if (then === now) continue;
    const what = side === "before" ? "is live" : "is wanted";
    const [one, other] = briefly(then, now);
    return `${fresh.path}: in the file ${one} ${what}, now ${other} ${what}`;
  }
  if (saved.unknown !== fresh.unknown) {
    return `${fresh.path}: its new value was ${saved.unknown === true ? "not known" : "known"} when the file was made, and is ${fresh.unknown === true ? "not known" : "known"} now`;
  }
  return `${fresh.path} is described in another way than in the file`;
}

/** A field change without its wording and origin. */
function comparable({
  origin: _origin,
  reason: _reason,
  ...rest
}: FieldChange): Omit<FieldChange, "origin" | "reason"> {
  return rest;
}

/** How much is shown of a long text, and of what stands before the difference in it. */
const longest = 60;
const ahead = 15;

/** Two texts that differ, cut so that the difference is seen. */
function briefly(a: string, b: string): readonly [string, string] {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  const from = Math.max(a.length, b.length) <= longest ? 0 : Math.max(0, same - ahead);
  return [cutFrom(a, from), cutFrom(b, from)];
}

function cutFrom(text: string, from: number): string {
  const rest = text.slice(from);
  return `${from === 0 ? "" : "…"}${rest.length <= longest ? rest : `${rest.slice(0, longest)}…`}`;
}

/** The changes are the same here, so that only an edited file, or another version of edgewise, gets this far. */
function operationDifferences(saved: Operation | undefined, fresh: Operation | undefined): readonly PlanDifference[] {
  if (saved === undefined) {
    if (fresh === undefined) return [];
    return [{ address: fresh.address, message: `${requestOf(fresh)} is in the new plan, and not in the file` }];
  }
  const { address } = saved;
  if (fresh === undefined) return [{ address, message: `${requestOf(saved)} is in the file, and not in the new plan` }];
  if (canonicalJson({ ...saved, why: null }) === canonicalJson({ ...fresh, why: null })) return [];
  const parts = Object.keys({ ...saved, ...fresh }) as (keyof Operation)[];
  const other = parts.filter((part) => part !== "why" && canonicalJson(saved[part]) !== canonicalJson(fresh[part]));
  return [{ address: fresh.address, message: `${requestOf(fresh)}: the file has another ${other.join(", ")}` }];
}

/** `op-1 (PATCH /edges/tls/edgtls_1)`. */
function requestOf({ id, method, path }: Operation): string {
  return `${id} (${method} ${path})`;
}
