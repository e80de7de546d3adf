import type { JsonObject } from "../core/json.js";

/** What services of this API do differently. */
export type ModelOptions = Readonly<{
  baseUrl: string;
  /** 1–100. */
  pageSize: number;
  /** Modules that have PUT, GET and DELETE without an endpoint in their declaration. */
  moduleEndpoints: readonly string[];
  /** With `empty` its resource shows `{}`, too. */
  unsetModule: "404" | "null" | "empty";
  deleteUnsetModule: "204" | "404";
  /** With `dangle` it leaves a dangling reference. */
  deleteReferenced: "refuse" | "dangle";
  unsetText: "" | null | "omitted";
  defaultMinVersion: string | null;
  /** Refuse values of the right type that no known service takes. */
  knownValuesOnly: boolean;
  /** Take what published clients send beside the documented API. */
  lenient: boolean;
}>;

/** For rehearsals: takes what some live service may take. */
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

export interface ModelEnv {
  now(): string;
  newId(prefix: string): string;
  newAddr(region: string): string;
  certificate(chainPem: string, privateKeyPem: string): { readonly facts: JsonObject } | { readonly error: string };
}

/** The same every time; certificates are not parsed. @param label keeps ids apart from a service's */
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
