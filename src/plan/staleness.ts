import { count, cutPair } from "../core/text.js";
import type { Address } from "../kinds/names.js";
import { canonicalJson, type FieldChange, type Lifted, type Plan, type Refusal } from "./plan-format.js";

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

function remedyOf(saved: Plan, fresh: Plan) {
  const again = "plan again, review the new plan and apply that";
  if (saved.commit === null || fresh.commit === null || saved.commit === fresh.commit) return again;
  const [planned, current] = [saved.commit.slice(0, 12), fresh.commit.slice(0, 12)];
  return `check out or merge commit ${planned}, which was planned (${current} is checked out), or ${again}`;
}

/** Wording, source lines, origins and warnings are not compared. */
function comparePlans(saved: Plan, fresh: Plan): readonly Found[] {
  const known = new Set(saved.lifted.map(guardOf));
  const differences = [
    ...differencesBetween(changesOf(saved), changesOf(fresh)),
    ...fresh.lifted.flatMap((lifted) => {
      const { address } = lifted;
      const message = `${address}: a guard refuses it now that did not refuse it before: ${guardOf(lifted)}`;
      return known.has(guardOf(lifted)) ? [] : [{ address, message }];
    }),
  ];
  if (differences.length > 0) return differences;
  return differencesBetween(requestsOf(saved), requestsOf(fresh));
}

function guardOf({ address, code, policy }: Lifted) {
  return `${code}${policy === undefined ? "" : ` ${policy}`} of ${address}`;
}

type Compared = Readonly<{ address: Address; title: string; value: string; parts?: readonly Compared[] }>;

function changesOf({ changes }: Plan): readonly Compared[] {
  return changes.map(({ action, address, fields, id, impact }) => ({
    address,
    title: `${action} of ${address}${id === null ? "" : ` (${id})`}`,
    value: impact,
    parts: fields.map((field) => fieldOf(address, field)),
  }));
}

function fieldOf(
  address: Address,
  { after, before, note: _note, origin: _origin, path, reason: _reason, ...rest }: FieldChange,
): Compared {
  const [title, value] = [`${address} ${path}`, canonicalJson(rest)];
  const sides = Object.entries({ "what is live": before, "what is wanted": after });
  const parts = sides.map(([side, json]) => ({ address, title: `${title}, ${side}`, value: canonicalJson(json) }));
  return { address, title, value, parts };
}

function requestsOf({ operations }: Plan): readonly Compared[] {
  return operations.map(({ why: _why, ...operation }) => {
    const { address, id } = operation;
    return { address, title: `${id} of ${address}`, value: canonicalJson(operation) };
  });
}

function differencesBetween(saved: readonly Compared[], fresh: readonly Compared[]): readonly Found[] {
  const open = new Map(saved.map((one) => [one.title, one]));
  const found = fresh.flatMap(({ address, parts = [], title, value }): readonly Found[] => {
    const before = open.get(title);
    if (before === undefined) return [{ address, message: `${title} was not in the plan but is needed now` }];
    open.delete(title);
    const inside = differencesBetween(before.parts ?? [], parts);
    if (inside.length > 0 || before.value === value) return inside;
    const [then, now] = cutPair(before.value, value, 60);
    return [{ address, message: `${title}: ${then} in the plan, ${now} now` }];
  });
  const gone = [...open.values()].map(({ address, title }) => {
    return { address, message: `${title} was in the plan but is not needed now` };
  });
  return [...found, ...gone];
}
