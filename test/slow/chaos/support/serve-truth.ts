import { impacts } from "../../../../src/kinds/impact.ts";
import type { Autonomy, StackPolicy } from "../../../../src/serve/fleet/fleet.ts";
import type { LiveResource } from "./serve-account.ts";
import { type Wanted, type WantedStack, cellsOf } from "./serve-desired.ts";

/** What somebody says from a time on, in elapsed milliseconds. */
export interface Version<T> {
  readonly from: number;
  readonly value: T;
}

/** What was said at any time between two, the one that was in effect at the first included. */
export function during<T>(versions: readonly Version<T>[], from: number, to: number): readonly T[] {
  return versions.flatMap((one, at) => {
    const end = versions[at + 1]?.from ?? Infinity;
    return one.from <= to && end >= from ? [one.value] : [];
  });
}

/** "#" tells whether a resource is there. */
const existence = "#";

/**
 * What can have been last seen in sync, field by field: every value in which live and Git agreed since that is certain.
 * Who knows less than the loop must allow for more than it knows.
 */
export class Agreements {
  readonly #values = new Map<string, Set<string>>();

  /** Notes where live and Git agree now. `certain`: the loop has seen it. */
  note(stack: string, wanted: WantedStack, live: readonly LiveResource[], certain: boolean): void {
    const found = new Map(live.filter((one) => one.stack === stack).map((one) => [one.address, cellsOf(one, live)]));
    for (const address of new Set([...Object.keys(wanted), ...found.keys()])) {
      const [git, now] = [withExistence(wanted[address]), withExistence(found.get(address))];
      for (const field of Object.keys({ ...git, ...now })) {
        const value = git[field];
        if (value === undefined || value !== now[field]) continue;
        const key = `${stack} ${address} ${field}`;
        const known = this.#values.get(key);
        if (certain || known === undefined) this.#values.set(key, new Set([value, ...(certain ? [] : ["unknown"])]));
        else known.add(value);
      }
    }
  }

  of(stack: string, address: string, field: string): ReadonlySet<string> {
    return this.#values.get(`${stack} ${address} ${field}`) ?? new Set(["unknown"]);
  }
}

function withExistence(cells: Wanted | undefined): Wanted {
  return cells === undefined ? { [existence]: "absent" } : { [existence]: "present", ...cells };
}

/** A change of one resource: what is live, and what Git says. */
export interface TrueChange {
  readonly stack: string;
  readonly address: string;
  readonly live: Wanted | undefined;
  readonly git: Wanted | undefined;
}

/** The fields that differ; of what is not on both sides, only that. */
export function differing({ git, live }: TrueChange): readonly string[] {
  if (git === undefined || live === undefined) return git === live ? [] : [existence];
  return Object.keys(git).filter((field) => git[field] !== live[field]);
}

/** Why the table does not allow a change unasked, whatever was last seen in sync; null = it may allow it. */
export function forbidden(change: TrueChange, { apply }: StackPolicy, agreements: Agreements): string | null {
  const fields = differing(change);
  const impact = worst(fields.map((field) => impactOf(change, field)));
  const origins = possibleOrigins(change, fields, agreements);
  const isDelete = change.git === undefined;
  const allowed = origins.some((origin) => {
    if (isDelete && origin !== "commit") return false;
    const needed = origin === "both" ? (["commit", "drift"] as const) : ([origin] as const);
    return needed.every((which) => allows(apply[which], impact));
  });
  if (allowed) return null;
  return `${isDelete ? "a delete" : fields.join(", ")} of impact ${impact} and origin ${origins.join(" or ")}, although commit: ${apply.commit}, drift: ${apply.drift}`;
}

/** Whether the table allows a change for each origin that it can have. */
export function surelyAllowed(change: TrueChange, { apply }: StackPolicy): boolean {
  const impact = worst(differing(change).map((field) => impactOf(change, field)));
  // Whether the loop ever saw it in sync as it is, only the loop knows: without that nothing is deleted.
  return change.git !== undefined && allows(apply.commit, impact) && allows(apply.drift, impact);
}

function possibleOrigins(
  { address, git, live, stack }: TrueChange,
  fields: readonly string[],
  agreements: Agreements,
): readonly ("commit" | "drift" | "both")[] {
  const [wanted, now] = [withExistence(git), withExistence(live)];
  const isCreate = live === undefined;
  const every = (is: (known: string, field: string) => boolean): boolean =>
    fields.every((field) => [...agreements.of(stack, address, field)].some((known) => is(known, field)));
  const isCommit = every(
    (known, field) => (isCreate && known === "unknown") || (known === now[field] && known !== wanted[field]),
  );
  const isDrift = every((known, field) => known === wanted[field] && known !== now[field]);
  if (isCommit || isDrift)
    return [...(isCommit ? (["commit"] as const) : []), ...(isDrift ? (["drift"] as const) : [])];
  return ["both"];
}

type TrueImpact = (typeof impacts)[number];

/** The worst that a change of a field does, as the documentation of the kinds says. */
function impactOf({ address, git, live }: TrueChange, field: string): TrueImpact {
  const isEdge = address.startsWith("TLSEdge/");
  if (field === existence && live === undefined) return isEdge ? "routing" : "none";
  // The modules of a deleted edge go with it: they leave nothing unguarded.
  if (field === existence) return "routing";
  if (field === "description") return "cosmetic";
  return field === "min_version" && (live?.[field] ?? "") > (git?.[field] ?? "") ? "security" : "routing";
}

function worst(all: readonly TrueImpact[]): TrueImpact {
  return impacts[Math.max(0, ...all.map((one) => impacts.indexOf(one)))] ?? "none";
}

function allows(autonomy: Autonomy, impact: TrueImpact): boolean {
  return autonomy !== "never" && impacts.indexOf(autonomy) >= impacts.indexOf(impact);
}
