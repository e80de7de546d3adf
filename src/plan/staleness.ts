import { count, cutPair } from "../core/text.js";
import type { Address } from "../kinds/names.js";
import {
  canonicalJson,
  type Change,
  type FieldChange,
  type Lifted,
  type Operation,
  type Plan,
  type Refusal,
} from "./plan-format.js";

type Found = Pick<Refusal, "address" | "message">;

const most = 5;

export function staleness(saved: Plan, fresh: Plan, remedy = remedyOf(saved, fresh)): readonly Refusal[] {
  const differences = comparePlans(saved, fresh);
  const isDone = differences.length > 0 && fresh.changes.length === 0;
  const found = isDone ? [{ message: "live matches the manifests: no change of the plan is needed now" }] : differences;
  const more = found.length - most;
  const rest = more > 0 ? [{ message: `the plan differs in ${count(more, "more place")}` }] : [];
  return [...found.slice(0, most), ...rest].map((one) => ({ code: "stale-plan", ...one, remedy }));
}

function remedyOf(saved: Plan, fresh: Plan): string {
  const again = "plan again, review the new plan and apply that";
  if (saved.commit === null || fresh.commit === null || saved.commit === fresh.commit) return again;
  const [planned, current] = [saved.commit.slice(0, 12), fresh.commit.slice(0, 12)];
  return `check out or merge commit ${planned}, which was planned (${current} is checked out), or ${again}`;
}

/** Wording, source lines, origins and warnings are not compared. */
function comparePlans(saved: Plan, fresh: Plan): readonly Found[] {
  const known = new Set(saved.lifted.map(guardOf));
  const differences = [
    ...differencesBetween(
      saved.changes,
      fresh.changes,
      ({ action, address, id }) => `${action} of ${address}${id === null ? "" : ` (${id})`}`,
      ({ address, id }) => JSON.stringify([address, id]),
      changeDifferences,
    ),
    ...fresh.lifted.flatMap((lifted) => {
      const { address } = lifted;
      const message = `${address}: a guard refuses it now that did not refuse it before: ${guardOf(lifted)}`;
      return known.has(guardOf(lifted)) ? [] : [{ address, message }];
    }),
  ];
  if (differences.length > 0) return differences;
  // Else only an edited file, or another version of edgewise, differs.
  return differencesBetween(saved.operations, fresh.operations, requestOf, ({ id }) => id, operationDifferences);
}

function guardOf({ address, code, policy }: Lifted): string {
  return `${code}${policy === undefined ? "" : ` ${policy}`} of ${address}`;
}

function differencesBetween<T extends { readonly address: Address }>(
  saved: readonly T[],
  fresh: readonly T[],
  titleOf: (item: T) => string,
  keyOf: (item: T) => string,
  compare: (saved: T, fresh: T) => readonly string[],
): readonly Found[] {
  const open = new Map<string, T[]>();
  for (const item of saved) open.set(keyOf(item), [...(open.get(keyOf(item)) ?? []), item]);
  const found = fresh.flatMap((item) => {
    const { address } = item;
    const before = open.get(keyOf(item))?.shift();
    if (before !== undefined) return compare(before, item).map((message) => ({ address, message }));
    return [{ address, message: `${titleOf(item)} was not in the plan but is needed now` }];
  });
  const gone = [...open.values()].flat().map((item) => {
    return { address: item.address, message: `${titleOf(item)} was in the plan but is not needed now` };
  });
  return [...found, ...gone];
}

function changeDifferences(saved: Change, fresh: Change): readonly string[] {
  const { address, action, impact } = fresh;
  if (saved.action !== action) return [`${address}: the plan was to ${saved.action} it, now it is to ${action} it`];
  const paths = new Set([...fresh.fields, ...saved.fields].map(({ path }) => path));
  const fields = [...paths].flatMap((path) => {
    const [before, after] = [saved, fresh].map(({ fields: all }) => all.find((field) => field.path === path));
    const difference = fieldDifference(before, after);
    return difference === null ? [] : [`${address} ${path}${difference}`];
  });
  if (fields.length > 0 || saved.impact === impact) return fields;
  return [`${address}: the impact was ${saved.impact} in the plan and is ${impact} now`];
}

function fieldDifference(saved: FieldChange | undefined, fresh: FieldChange | undefined): string | null {
  if (saved === undefined) return " did not change in the plan but changes now";
  if (fresh === undefined) return " changed in the plan but does not change now";
  if (comparable(saved) === comparable(fresh)) return null;
  for (const [side, what] of [
    ["after", "wanted"],
    ["before", "live"],
  ] as const) {
    const [then, now] = [canonicalJson(saved[side]), canonicalJson(fresh[side])];
    if (then === now) continue;
    const [one, other] = cutPair(then, now, 60);
    return `: ${one} was ${what} when the plan was made, now ${other} is`;
  }
  if (saved.unknown === fresh.unknown) return " is described differently in the plan";
  return `: its new value is ${fresh.unknown === true ? "no longer" : "only now"} known`;
}

function comparable({ note: _note, origin: _origin, reason: _reason, ...rest }: FieldChange): string {
  return canonicalJson(rest);
}

function requestOf({ id, method, path }: Operation): string {
  return `${id} (${method} ${path})`;
}

function operationDifferences(saved: Operation, fresh: Operation): readonly string[] {
  const parts = Object.keys({ ...saved, ...fresh }) as (keyof Operation)[];
  const other = parts.filter((part) => part !== "why" && canonicalJson(saved[part]) !== canonicalJson(fresh[part]));
  return other.length === 0 ? [] : [`${requestOf(fresh)}: the plan has a different ${other.join(", ")}`];
}
