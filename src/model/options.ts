/** What the specification leaves open and live services do differently; see docs/sandbox.md. */
export interface ModelOptions {
  /** Every `uri` begins with it; no trailing slash. */
  readonly baseUrl: string;
  /** Most resources on a page of a list, 1–100. */
  readonly pageSize: number;
  /** TLS edge modules beyond the three of the specification that have PUT, GET and DELETE too. */
  readonly moduleEndpoints: readonly string[];
  /** What GET of a module that is not set answers. */
  readonly unsetModule: "404" | "null" | "204";
  /** What DELETE of a module that is not set answers. */
  readonly deleteUnsetModule: "204" | "404";
  /** What becomes of the DELETE of a backend that an edge refers to: 400, or done and the edge dangles. */
  readonly deleteReferenced: "refuse" | "dangle";
  /** How unset descriptions and metadata come back (lists of backends omit them). */
  readonly unsetText: "" | null;
  /** What `min_version` becomes when a termination at the edge does not name it. */
  readonly defaultMinVersion: string | null;
  /** Refuse a second IP restriction of one type. */
  readonly oneRestrictionPerType: boolean;
  /** Ids of kinds that the API does not manage (`ipp_`, `ca_`, `ec_`, other backends) that exist; null = all do. */
  readonly externals: ReadonlySet<string> | null;
  /**
   * Refuse values that have the right type but that neither specification nor experience knows: other places than edge
   * and upstream, TLS versions but 1.0–1.3, odd hostports, policies that are no JSON, providers in lower case.
   */
  readonly knownValuesOnly: boolean;
  /** Take `id` in PATCH bodies, module PUTs wrapped as `{id, module}`, and `beforeId` for `before_id`. */
  readonly lenient: boolean;
}

/**
 * For rehearsals: refuses what the specification excludes, and takes what it leaves open, as a service may have taken
 * it already. The sandbox is stricter.
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
  oneRestrictionPerType: false,
  externals: null,
  knownValuesOnly: false,
  lenient: false,
};
