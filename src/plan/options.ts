import type { Address } from "../kinds/names.js";
import type { Provenance } from "./plan-format.js";

/** How many deletes pass without being allowed one by one. */
export type MaxDeletes = { readonly count: number } | { readonly percent: number };

/** Everything besides manifests and live lists that a plan depends on. */
export interface PlanOptions {
  readonly stack: string;
  /** Markers of these stacks count as this one's, and are rewritten. */
  readonly previousStacks: readonly string[];
  /** Recorded in the plan, so that it can't be applied to another service. */
  readonly baseUrl: string;
  readonly toolVersion: string;
  /** Recorded in the plan; default: everything, no commit, nothing relaxed. */
  readonly provenance?: Provenance;
  /** TLS edge modules beyond the specification's for which the service has PUT, GET and DELETE. */
  readonly moduleEndpoints: readonly string[];
  /** Whether owned resources without a manifest are deleted. */
  readonly prune: boolean;
  /** Addresses whose per-address refusals are lifted. */
  readonly allow: readonly string[];
  /** Of these, the ones that stand in the configuration: when they lift nothing, that is worth a warning. */
  readonly configuredAllow?: readonly string[];
  /** Null = the larger of 3 and 25 % of what the stack owns. */
  readonly maxDeletes: MaxDeletes | null;
  readonly allowEmpty: boolean;
  readonly takeOver: boolean;
  /** Only these addresses and what they depend on; null = everything. */
  readonly only: readonly Address[] | null;
  /** Nothing is desired, on purpose: no `empty-desired`. */
  readonly destroy: boolean;
  /** Names that no manifest has are looked up among the live owned resources (`-f`). */
  readonly lookUp: boolean;
  /** Whose doing impacts tell: what applying does (default), or what somebody did who made live differ (`drift`). */
  readonly judged?: "change" | "drift";
  /** Planning again: an address of `only` may be gone by now, which is no error. */
  readonly again?: boolean;
  /** Whether the plan is rehearsed against the model; default true. */
  readonly rehearse?: boolean;
}
