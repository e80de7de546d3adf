import type { Address } from "../kinds/names.js";
import type { Provenance } from "./plan-format.js";

export type MaxDeletes = { readonly count: number } | { readonly percent: number };

/** Whether impacts are those of applying the plan or of what somebody changed live. */
export type Judged = "change" | "drift";

export interface PlanOptions {
  readonly stack: string;
  /** Markers of these stacks count as this one's, and are rewritten. */
  readonly previousStacks: readonly string[];
  readonly baseUrl: string;
  readonly toolVersion: string;
  readonly provenance?: Provenance;
  /** TLS edge modules beyond the specification's for which the service has PUT, GET and DELETE. */
  readonly moduleEndpoints: readonly string[];
  readonly prune: boolean;
  readonly allow: readonly string[];
  /** The part of `allow` from the configuration: an entry that lifts nothing is a warning. */
  readonly configuredAllow?: readonly string[];
  readonly maxDeletes: MaxDeletes | null;
  readonly allowEmpty: boolean;
  readonly takeOver: boolean;
  /** Only these addresses and what they depend on; null = everything. */
  readonly only: readonly Address[] | null;
  /** Not these addresses, nor what can't go without them. */
  readonly exclude?: readonly Address[];
  /** There are no manifests on purpose. */
  readonly destroy: boolean;
  /** Names without a manifest are looked up among the owned live resources (`-f`). */
  readonly lookUp: boolean;
  readonly judged?: Judged;
  /** A second plan after a run: an address of `only` may be gone by now. */
  readonly again?: boolean;
  /** Locks that expired before are not worth a warning. */
  readonly now?: number;
  readonly lockRun?: string;
  /** Masks known secrets in live free text. */
  readonly redact?: (text: string) => string;
  readonly rehearse?: boolean;
}
