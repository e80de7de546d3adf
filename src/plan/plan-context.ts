import type { Kind } from "../kinds/kind.js";
import type { Address } from "../kinds/names.js";
import type { Live } from "../live/live.js";
import { indexLive } from "./live-index.js";
import type {
  Lifted,
  Provenance,
  Refusal,
  RefusalCode,
  UnavailableSecret,
  Warning,
  WarningCode,
} from "./plan-format.js";

export type MaxDeletes = { readonly count: number } | { readonly percent: number };

export type Judged = "change" | "drift";

export type PlanOptions = Readonly<{
  stack: string;
  /** Markers of these stacks count as this one's, and are rewritten. */
  previousStacks: readonly string[];
  baseUrl: string;
  toolVersion: string;
  provenance?: Provenance;
  /** Modules beyond the specification's that have PUT, GET and DELETE. */
  moduleEndpoints: readonly string[];
  prune: boolean;
  allow: readonly string[];
  configuredAllow?: readonly string[];
  maxDeletes: MaxDeletes | null;
  allowEmpty: boolean;
  takeOver: boolean;
  only: readonly Address[] | null;
  /** Not these addresses, nor what can't go without them. */
  exclude?: readonly Address[];
  destroy: boolean;
  /** `-f`: names without a manifest are looked up among the owned live resources. */
  lookUp: boolean;
  judged?: Judged;
  again?: boolean;
  /** Locks that expired before are not worth a warning. */
  now?: number;
  lockRun?: string;
  redact?: (text: string) => string;
  rehearse?: boolean;
}>;

export const planDefaults = {
  previousStacks: [],
  moduleEndpoints: [],
  prune: true,
  allow: [],
  maxDeletes: null,
  allowEmpty: false,
  takeOver: false,
  only: null,
  destroy: false,
  lookUp: false,
} as const satisfies Partial<PlanOptions>;

export type PlanContext = Readonly<ReturnType<typeof planContext>>;

export type OperationContext = PlanContext &
  Readonly<{
    kind: Kind;
    address: Address;
  }>;

export function planContext(live: Live, options: PlanOptions) {
  const { allow, judged = "change" } = options;
  return { live, index: indexLive(live, options), options, judged, findings: new Findings(allow) };
}

const liftable = new Set<RefusalCode>([
  "deletion-protected",
  "irreversible",
  "lockout",
  "ownership-lost",
  "duplicate-marker",
  "still-referenced",
  "reference-not-live",
  "policy",
]);

export class Findings {
  readonly refusals: Refusal[] = [];
  readonly warnings: Warning[] = [];
  readonly lifted: Lifted[] = [];
  readonly unavailable: UnavailableSecret[] = [];
  readonly #allowed: ReadonlySet<string>;

  constructor(allow: readonly string[]) {
    this.#allowed = new Set(allow);
  }

  /** Returns whether it stands. `{allow}` in the remedy becomes the way to lift it. */
  refuse(
    code: RefusalCode,
    address: Address | null,
    message: string,
    remedy: string,
    { isFinal = false, ...more }: Pick<Refusal, "stacks"> & { readonly isFinal?: boolean } = {},
  ): boolean {
    const isLiftable = address !== null && !isFinal && liftable.has(code);
    if (isLiftable && this.#allowed.has(address)) {
      this.warn(`allowed-${code}`, `allowed: ${message}`, address);
      this.lifted.push({ code, address });
      return false;
    }
    const how = `allow it by --allow ${address ?? ""} (or in guards.allow)`;
    const text = remedy.includes("{allow}") || !isLiftable ? remedy : `${remedy}; or {allow}`;
    const subject = address === null ? {} : { address };
    this.refusals.push({ code, ...subject, ...more, message, remedy: text.replace("{allow}", () => how) });
    return true;
  }

  warn(code: WarningCode, message: string, address?: string): void {
    this.warnings.push({ code, message, ...(address !== undefined && { address }) });
  }

  liftedFor(code: RefusalCode): ReadonlySet<string> {
    return new Set(this.lifted.flatMap((one) => (one.code === code ? [one.address] : [])));
  }
}
