import type { JsonObject } from "../core/json.js";

/** What services of this API do differently; see docs/sandbox.md. */
export type ModelOptions = Readonly<{
  /** Every `uri` begins with it; no trailing slash. */
  baseUrl: string;
  /** Most resources on a page, 1–100. */
  pageSize: number;
  /** Modules that have PUT, GET and DELETE although their declaration gives them no endpoint. */
  moduleEndpoints: readonly string[];
  /** What GET of a module that is not set answers; with `empty`, `{}` stands for it in its resource, too. */
  unsetModule: "404" | "null" | "204" | "empty";
  deleteUnsetModule: "204" | "404";
  /** DELETE of what something refers to: refused with 400, or done, which leaves a dangling reference. */
  deleteReferenced: "refuse" | "dangle";
  /** How unset descriptions and metadata come back. */
  unsetText: "" | null | "omitted";
  /** What `min_version` becomes when a termination at the edge does not name it. */
  defaultMinVersion: string | null;
  /** Refuse values of the right type that no known service takes. */
  knownValuesOnly: boolean;
  /** Take what published clients send beside the documented API. */
  lenient: boolean;
}>;

/** For rehearsals: takes what some live service may have taken. The sandbox is stricter. */
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

/** What the model gets from outside. */
export interface ModelEnv {
  /** RFC 3339. */
  now(): string;
  /** Never given twice. */
  newId(prefix: string): string;
  /** A `hostname:port` that was never given before. */
  newAddr(region: string): string;
  /** What the API shows of a chain's leaf, or why chain and key are refused. */
  certificate(chainPem: string, privateKeyPem: string): { readonly facts: JsonObject } | { readonly error: string };
}

/**
 * The same every time: ids and addresses count up, the clock ticks a second with each call, certificates are not parsed.
 * @param label stands in every id, so that they can't meet ids of a service
 */
export function countingEnv({ label = "model" }: { readonly label?: string } = {}): ModelEnv {
  let count = 0;
  let seconds = 0;
  const facts = {
    subject_common_name: "",
    not_before: "2000-01-01T00:00:00Z",
    not_after: "2100-01-01T00:00:00Z",
  };
  return {
    now: () => new Date(Date.UTC(2020, 0, 1, 0, 0, seconds++)).toISOString(),
    newId: (prefix) => `${prefix}${label}${String(++count).padStart(6, "0")}`,
    newAddr: (region) => `${++count}.tcp.${region}.example:${10000 + (count % 50000)}`,
    certificate: () => ({ facts }),
  };
}
