/** Which requests a fault strikes. All selectors must agree. */
export interface FaultSelector {
  /** Empty = every method. */
  readonly methods: readonly string[];
  /** Path with `*` for any characters; null = every path. */
  readonly path: string | null;
  /** Of each request that the rest selects, 0–1. */
  readonly probability: number;
  /** Strikes at most so often; null = always. */
  readonly count: number | null;
  /** Lets so many selected requests pass first. */
  readonly skip: number;
}

/** A ceiling of requests in a rolling window; what exceeds it is answered with 429. */
export interface Rate {
  readonly requests: number;
  readonly windowMs: number;
}

/** How an answer is spoilt; null = it is not. `status` and `html` are instead of the answer, `truncate` cuts it. */
export type FaultEnd =
  | { readonly of: "status"; readonly status: number; readonly html: boolean }
  | { readonly of: "reset" }
  | { readonly of: "truncate" }
  | { readonly of: "rate"; readonly rate: Rate };

/** One way of misbehaving: `--fault`, docs/sandbox.md. */
export interface Fault {
  /** The spec that it was read from. */
  readonly spec: string;
  readonly select: FaultSelector;
  readonly delayMs: number;
  /** Lists answer the state before so many of the last writes; 0 = the state now. */
  readonly staleWrites: number;
  readonly end: FaultEnd | null;
  /** Whether the request is carried out before its answer is spoilt. */
  readonly after: boolean;
  /** Seconds; `auto` = until the window has room; null = no Retry-After header. */
  readonly retryAfter: number | "auto" | null;
}
