import { type Address, type KindName, isAddress, kindOf } from "../../kinds/names.js";
import { fingerprint } from "../../plan/canonical-json.js";
import type { Change, Plan } from "../../plan/plan-format.js";
import type { StackPolicy } from "../fleet/fleet.js";
import type { ChangeOrigin, StackMemory } from "../records.js";

/** One stack of an account in one pass, as the brake sees it. */
export interface BrakeLook {
  readonly stack: string;
  readonly policy: StackPolicy;
  /** As it was kept before the pass, however often the pass judges. */
  readonly memory: StackMemory;
  /** The beginning of the last complete look before this one; null = there was none. */
  readonly previousLook: number | null;
  /** The beginning of this look: what the status will say. */
  readonly lookedAt: number;
  /** Why Git can't be read, so that the plan is made from an old commit; null = it can. */
  readonly blind: string | null;
  /** What the whole plan changes; null = there is no plan, because the look failed. */
  readonly plan: Pick<Plan, "changes"> | null;
  /** By address, of every change of the plan. */
  readonly origins: ReadonlyMap<Address, ChangeOrigin>;
  /** What would be carried out now if there were no brake: `apply` of the decision without one. */
  readonly unasked: readonly Address[];
}

/** What is known of the eyes of the account, before a look is judged. */
export interface Eyesight {
  /** When the lists could be read again, or suddenly lacked much, for the last time; 0 = never. */
  readonly recoveredAt: number;
  /** When the operator last released a brake of this cause; 0 = never. */
  readonly releasedAt: number;
  /** What the lists of this pass lack although it was in sync, by stack: too much at once to be believed. */
  readonly suspects: ReadonlyMap<string, ReadonlySet<Address>>;
  readonly now: number;
}

/** How far a look can be trusted. */
export interface Sight {
  /** Why nothing of the stack is written unasked; null = it may be. */
  readonly stopped: string | null;
  /** Differences that were not there in the same way at the look before: held alone. */
  readonly held: ReadonlySet<Address>;
  readonly memory: Pick<StackMemory, "sighted" | "sightedAt" | "blind">;
}

/** Whether somebody changed it live, for all that is known. */
export function isDrift(origin: ChangeOrigin | undefined): boolean {
  return origin !== "commit";
}

/** Fewer resources that are gone at once are believed: somebody deleted them. */
const fewest = 3;

/** How many resources each list has, by kind. */
export function countListed(lists: { readonly [kind: string]: readonly unknown[] }): {
  readonly [kind: string]: number;
} {
  return Object.fromEntries(Object.entries(lists).map(([kind, items]) => [kind, items.length]));
}

/**
 * Whether a list of the account suddenly lacks at least three resources and at least a quarter of what it had: an account
 * is seldom emptied by hand, and lists that lie lack everything, or pages of it.
 */
export function hasShrunk(
  before: { readonly [kind: string]: number },
  now: { readonly [kind: string]: number },
): boolean {
  return Object.entries(before).some(([kind, had]) => {
    const gone = had - (now[kind] ?? 0);
    return gone >= fewest && gone * 4 >= had;
  });
}

/**
 * What the lists suddenly lack. Believed is what one hand does: up to two resources. In doubt is a stack that lacks at
 * least three and more than half of what it had, and a kind of which all looks of the pass together had at least three and
 * lack all. Then every stack of the pass is doubted that lacks anything: they share the lists.
 */
export function suspectsOf(looks: readonly BrakeLook[]): ReadonlyMap<string, ReadonlySet<Address>> {
  const missing = new Map<string, ReadonlySet<Address>>();
  const kinds = new Map<KindName, { known: number; missing: number }>();
  let doubtful = false;
  for (const { stack, plan, memory } of looks) {
    if (plan === null) continue;
    const gone = new Set(plan.changes.flatMap((one) => (isGone(one, memory) ? [one.address] : [])));
    if (gone.size > 0) missing.set(stack, gone);
    const known = Object.keys(memory.synced);
    doubtful ||= gone.size >= fewest && gone.size * 2 > known.length;
    for (const address of known) count(kinds, address, "known");
    for (const address of gone) count(kinds, address, "missing");
  }
  for (const kind of kinds.values()) doubtful ||= kind.missing >= fewest && kind.missing === kind.known;
  return doubtful ? missing : new Map();
}

/** What was in sync, and is to be made anew. */
function isGone({ action, address }: Change, { synced, sighted }: StackMemory): boolean {
  return action === "create" && synced[address] !== undefined && sighted?.[address] === undefined;
}

function count(
  kinds: Map<KindName, { known: number; missing: number }>,
  address: string,
  what: "known" | "missing",
): void {
  if (!isAddress(address)) return;
  const kind = kindOf(address);
  const counted = kinds.get(kind) ?? { known: 0, missing: 0 };
  counted[what] += 1;
  kinds.set(kind, counted);
}

/**
 * Whether a look may heal. The first look after a time without sight only records what differs; the next one heals what
 * still differs in the same way.
 */
export function judgeSight(look: BrakeLook, eyes: Eyesight): Sight {
  const { memory, previousLook, lookedAt } = look;
  const differs = differencesOf(look);
  const none = { sighted: null, sightedAt: 0, blind: look.blind !== null };
  const sighting = { sighted: differs, sightedAt: lookedAt, blind: false };
  const holds = (memory: Sight["memory"], held: Iterable<Address> = []): Sight => ({
    stopped: null,
    held: new Set(held),
    memory,
  });
  const stops = (stopped: string, kept: Sight["memory"]): Sight => ({ stopped, held: new Set(), memory: kept });

  if (look.blind !== null) return stops(`Git can't be read, and what it says may be old: ${look.blind}`, none);
  if (Object.keys(differs).length === 0) return holds(none);
  if (memory.sighted !== null && eyes.releasedAt >= memory.sightedAt)
    return holds({ sighted: differs, sightedAt: memory.sightedAt, blind: false });
  if (memory.blind) return stops("this is the first look since Git could not be read", sighting);
  if (isUnseen(look, eyes))
    return stops("this is the first look since the lists could not be read, or suddenly lacked much", sighting);
  const gone = eyes.suspects.get(look.stack)?.size ?? 0;
  if (gone > 0) return stops(`the lists lack ${gone} of its resources that were in sync`, sighting);
  if (memory.sighted === null) return holds(none);
  if (previousLook === null || previousLook < memory.sightedAt)
    return stops("what differs has been seen only once since the lists or Git could not be read", sighting);
  const before = memory.sighted;
  const held = changesOf(look).filter(({ address }) => before[address] !== differs[address]);
  return holds(
    held.length === 0 ? none : sighting,
    held.map(({ address }) => address),
  );
}

/** Whether a stack was not looked at since the lists can be read again. */
function isUnseen({ previousLook }: BrakeLook, { recoveredAt, releasedAt, now }: Eyesight): boolean {
  if (recoveredAt === 0 || releasedAt >= recoveredAt) return false;
  // A look in the future was made before the clock was set back: nobody knows when.
  return previousLook !== null && (previousLook < recoveredAt || previousLook > now);
}

/** What differs for another reason than a commit, by address, with a fingerprint of the difference. */
function differencesOf(look: BrakeLook): { readonly [address: string]: string } {
  return Object.fromEntries(
    changesOf(look).map(({ action, address, id, fields }) => [
      address,
      fingerprint({ action, id, fields: fields.map(({ path, before, after }) => ({ path, before, after })) }),
    ]),
  );
}

function changesOf({ plan, origins }: BrakeLook): readonly Change[] {
  return (plan?.changes ?? []).filter(({ address }) => isDrift(origins.get(address)));
}
