import type { Address } from "../kinds/names.js";
import type { Provenance } from "./plan-format.js";

/** How many deletes pass without being allowed one by one. */
export type MaxDeletes = { readonly count: number } | { readonly percent: number };

/**
 * Whose action impacts describe: `change`, what applying the plan does to traffic; `drift`, what somebody did by making
 * live differ from the manifests.
 */
export type Judged = "change" | "drift";

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
  /** Those of `allow` that come from the configuration: an entry that lifts nothing is worth a warning. */
  readonly configuredAllow?: readonly string[];
  /** Null = the larger of 3 and 25 % of what the stack owns. */
  readonly maxDeletes: MaxDeletes | null;
  readonly allowEmpty: boolean;
  readonly takeOver: boolean;
  /** Only these addresses and what they depend on; null = everything. */
  readonly only: readonly Address[] | null;
  /** Not these addresses, nor what can't go without them; absent = none. */
  readonly exclude?: readonly Address[];
  /** There are no manifests on purpose: no `empty-desired`. */
  readonly destroy: boolean;
  /** References to names without a manifest are resolved among the owned live resources (`-f`). */
  readonly lookUp: boolean;
  /** Default: `change`. */
  readonly judged?: Judged;
  /** A second plan after a run: an address of `only` may be gone by now, which is not an error. */
  readonly again?: boolean;
  /** Milliseconds since 1970: locks that expired before are not worth a warning. Absent = every lock is. */
  readonly now?: number;
  /** The run that holds the account's lock for this plan: its lock is no warning. */
  readonly lockRun?: string;
  /** Masks known secrets in live free text, as far as it is shown. Absent = it is shown as it is. */
  readonly redact?: (text: string) => string;
  /** Whether the plan is rehearsed against the model; default true. */
  readonly rehearse?: boolean;
}
