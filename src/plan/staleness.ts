import type { Address } from "../kinds/names.js";
import { cutPair } from "../core/text.js";
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
  const refusal = (message: string): Refusal => ({ code: "stale-plan", message, remedy });
  if (differences.length === 0) return [];
  if (fresh.changes.length === 0) return [refusal("live matches the manifests: no change of the plan is needed now")];
  const listed = differences
    .slice(0, mostDifferences)
    .map(({ address, message }): Refusal => ({ code: "stale-plan", address, message, remedy }));
  const more = differences.length - listed.length;
  return more === 0
    ? listed
    : [...listed, refusal(`the plan differs in ${more} more ${more === 1 ? "place" : "places"}`)];
}

/** Another commit than the planned one is a common reason, for example because a merge was forgotten. */
function remedyOf(saved: Plan, fresh: Plan): string {
  const again = "plan again, review the new plan and apply that";
  if (saved.commit === null || fresh.commit === null || saved.commit === fresh.commit) return again;
  const [planned, current] = [saved.commit.slice(0, 12), fresh.commit.slice(0, 12)];
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
  const known = new Set(saved.lifted.map(guardOf));
  // An address was allowed for the reasons shown then, and for no others.
  const lifted = fresh.lifted.filter((one) => !known.has(guardOf(one)));
  const differences = [
    ...changes.flatMap(([before, after]) => differencesIn(before, after, titleOf, changeDifferences)),
    ...lifted.map(({ address, code, policy }) => {
      const guard = policy === undefined ? code : `${code} ${policy}`;
      return { address, message: `${address}: a guard refuses it now that did not refuse it before: ${guard}` };
    }),
  ];
  if (differences.length > 0) return differences;
  // The changes are the same, so only an edited file, or another version of edgewise, leads to a difference.
  const operations = pairs(saved.operations, fresh.operations, ({ id }) => id);
  return operations.flatMap(([before, after]) => differencesIn(before, after, requestOf, operationDifferences));
}

function guardOf({ address, code, policy = "" }: Lifted): string {
  return `${code} ${address} ${policy}`;
}

type Pair<T> = readonly [T | undefined, T | undefined];

/** Pairs the items of both sides by key, in their order; an item without a counterpart is paired with undefined. */
function pairs<T>(saved: readonly T[], fresh: readonly T[], keyOf: (item: T) => string): readonly Pair<T>[] {
  const open = new Map<string, T[]>();
  for (const item of saved) open.set(keyOf(item), [...(open.get(keyOf(item)) ?? []), item]);
  const found = fresh.map((item): Pair<T> => [open.get(keyOf(item))?.shift(), item]);
  return [...found, ...[...open.values()].flat().map((item): Pair<T> => [item, undefined])];
}

/** The differences of a pair; of what only one side has, that it does. */
function differencesIn<T extends { readonly address: Address }>(
  saved: T | undefined,
  fresh: T | undefined,
  title: (item: T) => string,
  compare: (saved: T, fresh: T) => readonly string[],
): readonly PlanDifference[] {
  if (saved !== undefined && fresh !== undefined)
    return compare(saved, fresh).map((message) => ({ address: fresh.address, message }));
  if (saved !== undefined)
    return [{ address: saved.address, message: `${title(saved)} was in the plan but is not needed now` }];
  if (fresh === undefined) return [];
  return [{ address: fresh.address, message: `${title(fresh)} was not in the plan but is needed now` }];
}

/** `update of TLSEdge/api (edgtls_1)`. */
function titleOf({ action, address, id }: Change): string {
  return `${action} of ${address}${id === null ? "" : ` (${id})`}`;
}

function changeDifferences(saved: Change, fresh: Change): readonly string[] {
  const { address, action, impact } = fresh;
  if (saved.action !== action) return [`${address}: the plan was to ${saved.action} it, now it is to ${action} it`];
  const fields = pairs(saved.fields, fresh.fields, ({ path }) => path)
    .flatMap(([before, after]) => fieldDifference(before, after) ?? [])
    .map((message) => `${address} ${message}`);
  if (fields.length > 0 || saved.impact === impact) return fields;
  return [`${address}: the impact was ${saved.impact} in the plan and is ${impact} now`];
}

/** How many characters of a long text are shown. */
const longest = 60;

function fieldDifference(saved: FieldChange | undefined, fresh: FieldChange | undefined): string | null {
  if (saved === undefined || fresh === undefined) {
    if (fresh !== undefined) return `${fresh.path} did not change in the plan but changes now`;
    return saved === undefined ? null : `${saved.path} changed in the plan but does not change now`;
  }
  if (comparable(saved) === comparable(fresh)) return null;
  for (const [side, what] of [
    ["after", "wanted"],
    ["before", "live"],
  ] as const) {
    const [then, now] = [canonicalJson(saved[side]), canonicalJson(fresh[side])];
    if (then === now) continue;
    const [one, other] = cutPair(then, now, longest);
    return `${fresh.path}: ${one} was ${what} when the plan was made, now ${other} is`;
  }
  if (saved.unknown === fresh.unknown) return `${fresh.path} is described differently in the plan`;
  const [then, now] = [saved, fresh].map(({ unknown }) => (unknown === true ? "not known" : "known"));
  return `${fresh.path}: its new value was ${then} when the plan was made, and is ${now} now`;
}

/** A field change without its wording and origin. */
function comparable({ note: _note, origin: _origin, reason: _reason, ...rest }: FieldChange): string {
  return canonicalJson(rest);
}

/** `op-1 (PATCH /edges/tls/edgtls_1)`. */
function requestOf({ id, method, path }: Operation): string {
  return `${id} (${method} ${path})`;
}

function operationDifferences(saved: Operation, fresh: Operation): readonly string[] {
  const parts = Object.keys({ ...saved, ...fresh }) as (keyof Operation)[];
  const other = parts.filter((part) => part !== "why" && canonicalJson(saved[part]) !== canonicalJson(fresh[part]));
  return other.length === 0 ? [] : [`${requestOf(fresh)}: the plan has a different ${other.join(", ")}`];
}
