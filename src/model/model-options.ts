import type { JsonObject } from "../core/json.js";

/** What services of this API do differently; see docs/sandbox.md. */
export interface ModelOptions {
  /** Every `uri` begins with it; no trailing slash. */
  readonly baseUrl: string;
  /** Most resources on a page of a list, 1–100. */
  readonly pageSize: number;
  /** Modules that have PUT, GET and DELETE although their declaration gives them no endpoint. */
  readonly moduleEndpoints: readonly string[];
  /**
   * How a module that is not set comes back: what GET of it answers, and with `empty` what stands for it in its resource,
   * too: `{}` instead of null.
   */
  readonly unsetModule: "404" | "null" | "204" | "empty";
  /** What DELETE of a module that is not set answers. */
  readonly deleteUnsetModule: "204" | "404";
  /** DELETE of what something refers to: refused with 400, or done, which leaves a dangling reference. */
  readonly deleteReferenced: "refuse" | "dangle";
  /** How unset descriptions and metadata come back (lists of backends always omit them). */
  readonly unsetText: "" | null | "omitted";
  /** What `min_version` becomes when a termination at the edge does not name it. */
  readonly defaultMinVersion: string | null;
  /**
   * Refuse values of the right type that no known service takes: other places than edge and upstream, TLS versions other
   * than 1.0–1.3, odd hostports, policies that are not JSON, providers in lower case, restrictions without policies.
   */
  readonly knownValuesOnly: boolean;
  /**
   * Take `id` in PATCH bodies, module PUTs wrapped as `{id, module}`, `beforeId` for `before_id`, and values that stand
   * for "not given": `region: ""`, no status code, an empty list of policies in a PATCH.
   */
  readonly lenient: boolean;
}

/**
 * For rehearsals: refuses what every service refuses and takes the rest, as the live service may have taken it already.
 * The sandbox is stricter.
 */
export const defaultModelOptions: ModelOptions = {
  baseUrl: "http://model.example",
  pageSize: 100,
  moduleEndpoints: [],
  unsetModule: "404",
  deleteUnsetModule: "204",
  deleteReferenced: "dangle",
  unsetText: "",
  defaultMinVersion: "1.2",
  knownValuesOnly: false,
  lenient: false,
};

/** What the model gets from outside: time, randomness and cryptography. */
export interface ModelEnv {
  /** The time now, RFC 3339. */
  now(): string;
  /** A new id that begins with `prefix` (`edgtls_`); never given twice. */
  newId(prefix: string): string;
  /** A new `hostname:port` in a region; never given twice. */
  newAddr(region: string): string;
  /** What the API shows of a chain's leaf, or why chain and key are not acceptable together. */
  certificate(chainPem: string, privateKeyPem: string): { readonly facts: JsonObject } | { readonly error: string };
}

/**
 * An environment that is the same every time: ids and addresses count up, the clock ticks a second with each call, and
 * certificates are not parsed.
 * @param label stands in every id, so that they can't meet ids of a service
 */
export function countingEnv({ label = "model" }: { readonly label?: string } = {}): ModelEnv {
  let count = 0;
  let seconds = 0;
  return {
    now: () => new Date(Date.UTC(2020, 0, 1, 0, 0, seconds++)).toISOString(),
    newId: (prefix) => `${prefix}${label}${String(++count).padStart(6, "0")}`,
    newAddr: (region) => `${++count}.tcp.${region}.example:${10000 + (count % 50000)}`,
    certificate: () => ({ facts: unparsedCertificate }),
  };
}

/** Readers of live lists need no more. */
const unparsedCertificate: JsonObject = {
  subject_common_name: "",
  not_before: "2000-01-01T00:00:00Z",
  not_after: "2100-01-01T00:00:00Z",
};
