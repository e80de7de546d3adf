import type { Address } from "../../kinds/names.js";
import { hashPlan } from "../../plan/canonical-json.js";
import { type SourcePlaces, formerSecrets, sourcePlaces } from "../../plan/plan-secrets.js";
import type { PlanOptions } from "../../plan/options.js";
import type { Origin, Plan } from "../../plan/plan-format.js";
import { version } from "../../core/version.js";
import { knownSynced, originsOf } from "../decide/change-origins.js";
import { type PlanWithStates, planWithStates } from "../decide/sync-states.js";
import type { ChangeOrigin, StackMemory } from "../records.js";
import type { LoadedStack } from "./load-stack.js";
import type { PlanSides } from "./pass-parts.js";
import type { SharedListing } from "./shared-listing.js";

/** What one complete look at a stack showed. */
export interface Sight extends PlanWithStates {
  /** When the lists that it comes from were begun. */
  readonly began: number;
  readonly origins: ReadonlyMap<Address, ChangeOrigin>;
  /** Where live policies may hold what manifests gave them from sources. */
  readonly sources: SourcePlaces;
}

/** A look with everything that it was made from, to plan a part of it. Large: thousands of looks don't keep that. */
export interface WholeSight {
  readonly sight: Sight;
  readonly sides: PlanSides;
}

/** What a look needs to know of the stack beside its manifests. */
export interface LookSubject {
  readonly loaded: LoadedStack;
  /** The full id of the commit that the manifests come from. */
  readonly commit: string;
  readonly baseUrl: string;
  readonly memory: StackMemory;
  /** Of the account's lock, when this pass holds it: it is no warning. */
  readonly lockRun: string | null;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Reads live from a listing and plans the whole stack.
 * @throws as `readLiveFor` and the planner do
 */
export async function lookAtStack(subject: LookSubject, listing: SharedListing): Promise<WholeSight> {
  const { loaded, memory } = subject;
  const { manifests } = loaded;
  const live = await listing.liveFor(manifests);
  const options = optionsOf(subject);
  const sources = bothPlaces(memory.sources ?? {}, sourcePlaces(manifests));
  // The commit may have dropped a source, and this process may have started since.
  for (const text of formerSecrets(sources, manifests, live, options)) loaded.redactor.addSecret(text);
  const sides = { desired: manifests, live, options };
  const { closures, states, ...planned } = planWithStates(manifests, live, options);
  const plan = await loaded.judge(planned.plan);
  const origins = originsOf(plan, states, knownSynced(states, memory));
  // What is gone on both sides is forgotten.
  const known = new Set<string>([...states].flatMap(([address, { former }]) => [address, ...former]));
  const kept = Object.fromEntries(Object.entries(sources).filter(([address]) => known.has(address)));
  return { sight: { plan, states, origins, closures, began: listing.began, sources: kept }, sides };
}

function bothPlaces(before: SourcePlaces, now: SourcePlaces): SourcePlaces {
  const both = Object.entries(now).map(([address, places]) => [
    address,
    [...new Set([...(before[address] ?? []), ...places])],
  ]);
  return { ...before, ...Object.fromEntries(both) };
}

/** A plan calls what a commit asks for `desired`, as `plan --base` does. */
const named: { readonly [O in ChangeOrigin]: Origin } = { commit: "desired", drift: "drift", both: "both" };

/** The plan of a look with who made live and Git differ, of each change: what waits for a person must show it. */
export function planWithOrigins({ origins, plan }: Pick<Sight, "origins" | "plan">): Plan {
  const changes = plan.changes.map((change) => ({ ...change, origin: named[origins.get(change.address) ?? "both"] }));
  const told = { ...plan, changes };
  return { ...told, hash: hashPlan(told) };
}

function optionsOf({ baseUrl, commit, loaded, lockRun, now }: LookSubject): PlanOptions {
  const { guards, marker, moduleEndpoints, previousStacks } = loaded.settings;
  return {
    stack: marker,
    previousStacks,
    baseUrl,
    toolVersion: version,
    provenance: {
      commit,
      selection: { only: null, labels: [], files: null, prune: true },
      relaxations: { allow: [], maxDeletes: null, allowEmpty: false, takeOver: false, destroy: false },
    },
    moduleEndpoints,
    prune: true,
    allow: guards.allow,
    configuredAllow: guards.allow,
    maxDeletes: guards.maxDeletes,
    allowEmpty: false,
    takeOver: false,
    only: null,
    destroy: false,
    lookUp: false,
    redact: (text) => loaded.redactor.redact(text),
    now,
    ...(lockRun === null ? {} : { lockRun }),
  };
}
