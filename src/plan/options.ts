import type { Address } from "../kinds/names.js";
import type { Provenance } from "./plan-format.js";

export type MaxDeletes = { readonly count: number } | { readonly percent: number };

/** What impacts describe: applying the plan (`change`), or what somebody did by changing live resources (`drift`). */
export type Judged = "change" | "drift";

export interface PlanOptions {
  readonly stack: string;
  /** Markers of these stacks count as this one's, and are rewritten. */
  readonly previousStacks: readonly string[];
  readonly baseUrl: string;
  readonly toolVersion: string;
  /** Default: everything, no commit, nothing relaxed. */
  readonly provenance?: Provenance;
  /** TLS edge modules beyond the specification's for which the service has PUT, GET and DELETE. */
  readonly moduleEndpoints: readonly string[];
  readonly prune: boolean;
  readonly allow: readonly string[];
  /** Those of `allow` that come from the configuration: an entry that lifts nothing is worth a warning. */
  readonly configuredAllow?: readonly string[];
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
  readonly judged?: Judged;
  /** A second plan after a run: an address of `only` may be gone by now, which is not an error. */
  readonly again?: boolean;
  /** Milliseconds since 1970: locks that expired before are not worth a warning. Absent = every lock is. */
  readonly now?: number;
  readonly lockRun?: string;
  /** Masks known secrets in live free text. */
  readonly redact?: (text: string) => string;
  readonly rehearse?: boolean;
}
