import type { Address } from "../kinds/names.js";
import { cutPair } from "../text/layout.js";
import { canonicalJson } from "./canonical-json.js";
import type { Change, FieldChange, Lifted, Operation, Plan, Refusal } from "./plan-format.js";

/** How many differences are listed before the rest is counted. */
const mostDifferences = 5;

/**
 * Why a plan that was made earlier may not be applied: a fresh plan differs from it. Empty = it does not.
 * @param remedy what the reader should do
 */
export function staleness(saved: Plan, fresh: Plan, remedy = remedyOf(saved, fresh)): readonly Refusal[] {
  const differences = comparePlans(saved, fresh);
  if (differences.length === 0) return [];
  if (fresh.changes.length === 0) {
    return [{ code: "stale-plan", message: "live matches the manifests: no change of the plan is needed now", remedy }];
  }
  const listed = differences.slice(0, mostDifferences).map(({ address, message }): Refusal => ({
    code: "stale-plan",
    address,
    message,
    remedy,
  }));
  const more = differences.length - listed.length;
  if (more === 0) return listed;
  const rest = `the plan differs in ${more} more ${more === 1 ? "place" : "places"}`;
  return [...listed, { code: "stale-plan", message: rest, remedy }];
}

/** Another commit than the planned one is a common reason, for example because a merge was forgotten. */
function remedyOf(saved: Plan, fresh: Plan): string {
  const again = "plan again, review the new plan and apply that";
  if (saved.commit === null || fresh.commit === null || saved.commit === fresh.commit) return again;
  const [planned, current] = [saved, fresh].map(({ commit }) => String(commit).slice(0, 12));
  return `the plan was made at commit ${planned}, and ${current} is checked out: check out or merge the planned commit, or ${again}`;
}

/** One way in which two plans differ, for people. */
export interface PlanDifference {
  readonly address: Address;
  readonly message: string;
}

/**
 * Where a fresh plan differs from a saved one: in the changes, and in the requests that would be sent. A guard that has
 * to be lifted only now is a difference, too. Wording, source lines, origins and warnings are not compared. Empty = both
 * do the same.
 */
export function comparePlans(saved: Plan, fresh: Plan): readonly PlanDifference[] {
  const changes = pairs(saved.changes, fresh.changes, ({ address, id }) => JSON.stringify([address, id]));
  const differences = [
    ...changes.flatMap(([before, after]) => changeDifferences(before, after)),
    ...liftedSince(saved, fresh),
  ];
  if (differences.length > 0) return differences;
  const operations = pairs(saved.operations, fresh.operations, ({ id }) => id);
  return operations.flatMap(([before, after]) => operationDifferences(before, after));
}

/** Refusals that only the fresh plan lifts: an address was allowed for the reasons shown then, and for no others. */
function liftedSince(saved: Plan, fresh: Plan): readonly PlanDifference[] {
  const known = new Set(saved.lifted.map(guardOf));
  return fresh.lifted
    .filter((lifted) => !known.has(guardOf(lifted)))
    .map(({ address, code, policy }) => ({
      address,
      message: `${address}: a guard refuses it now that did not refuse it before: ${code}${policy === undefined ? "" : ` ${policy}`}`,
    }));
}

function guardOf({ address, code, policy = "" }: Lifted): string {
  return `${code} ${address} ${policy}`;
}

type Pair<T> = readonly [T | undefined, T | undefined];

/** Pairs the items of both sides by key; an item without a counterpart is paired with undefined. */
function pairs<T>(saved: readonly T[], fresh: readonly T[], keyOf: (item: T) => string): readonly Pair<T>[] {
  const open = new Map<string, { readonly items: T[]; taken: number }>();
  for (const item of saved) {
    const list = open.get(keyOf(item));
    if (list === undefined) open.set(keyOf(item), { items: [item], taken: 0 });
    else list.items.push(item);
  }
  const found = fresh.map((item): Pair<T> => {
    const list = open.get(keyOf(item));
    return [list === undefined ? undefined : list.items[list.taken++], item];
  });
  const left = [...open.values()].flatMap(({ items, taken }) => items.slice(taken));
  return [...found, ...left.map((item): Pair<T> => [item, undefined])];
}

function changeDifferences(saved: Change | undefined, fresh: Change | undefined): readonly PlanDifference[] {
  if (fresh === undefined) {
    if (saved === undefined) return [];
    return [{ address: saved.address, message: `${titleOf(saved)} was in the plan but is not needed now` }];
  }
  const { address } = fresh;
  if (saved === undefined) return [{ address, message: `${titleOf(fresh)} was not in the plan but is needed now` }];
  if (saved.action !== fresh.action) {
    return [{ address, message: `${address}: the plan was to ${saved.action} it, now it is to ${fresh.action} it` }];
  }
  const fields = pairs(saved.fields, fresh.fields, ({ path }) => path).flatMap(([before, after]) => {
    const message = fieldDifference(before, after);
    return message === null ? [] : [{ address, message: `${address} ${message}` }];
  });
  if (fields.length > 0 || saved.impact === fresh.impact) return fields;
  return [{ address, message: `${address}: the impact was ${saved.impact} in the plan and is ${fresh.impact} now` }];
}

/** `update of TLSEdge/api (edgtls_1)`. */
function titleOf({ action, address, id }: Change): string {
  return `${action} of ${address}${id === null ? "" : ` (${id})`}`;
}

function fieldDifference(saved: FieldChange | undefined, fresh: FieldChange | undefined): string | null {
  if (saved === undefined)
    return fresh === undefined ? null : `${fresh.path} did not change in the plan but changes now`;
  if (fresh === undefined) return `${saved.path} changed in the plan but does not change now`;
  if (canonicalJson(comparable(saved)) === canonicalJson(comparable(fresh))) return null;
  for (const side of ["after", "before"] as const) {
    const [then, now] = [canonicalJson(saved[side]), canonicalJson(fresh[side])];
    if (then === now) continue;
    const what = side === "before" ? "live" : "wanted";
    const [one, other] = cutPair(then, now, longest);
    return `${fresh.path}: ${one} was ${what} when the plan was made, now ${other} is`;
  }
  if (saved.unknown !== fresh.unknown) {
    return `${fresh.path}: its new value was ${saved.unknown === true ? "not known" : "known"} when the plan was made, and is ${fresh.unknown === true ? "not known" : "known"} now`;
  }
  return `${fresh.path} is described differently in the plan`;
}

/** A field change without its wording and origin. */
function comparable({
  note: _note,
  origin: _origin,
  reason: _reason,
  ...rest
}: FieldChange): Omit<FieldChange, "note" | "origin" | "reason"> {
  return rest;
}

/** How many characters of a long text are shown. */
const longest = 60;

/** The changes are the same by now, so only an edited file, or another version of edgewise, leads to a difference. */
function operationDifferences(saved: Operation | undefined, fresh: Operation | undefined): readonly PlanDifference[] {
  if (saved === undefined) {
    if (fresh === undefined) return [];
    return [{ address: fresh.address, message: `${requestOf(fresh)} was not in the plan but is needed now` }];
  }
  const { address } = saved;
  if (fresh === undefined) return [{ address, message: `${requestOf(saved)} was in the plan but is not needed now` }];
  if (canonicalJson({ ...saved, why: null }) === canonicalJson({ ...fresh, why: null })) return [];
  const parts = Object.keys({ ...saved, ...fresh }) as (keyof Operation)[];
  const other = parts.filter((part) => part !== "why" && canonicalJson(saved[part]) !== canonicalJson(fresh[part]));
  return [{ address: fresh.address, message: `${requestOf(fresh)}: the plan has a different ${other.join(", ")}` }];
}

/** `op-1 (PATCH /edges/tls/edgtls_1)`. */
function requestOf({ id, method, path }: Operation): string {
  return `${id} (${method} ${path})`;
}
