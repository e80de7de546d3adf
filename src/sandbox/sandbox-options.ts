import type { Workplace } from "../files/write-file.js";
import type { JsonObject } from "../core/json.js";
import type { Live } from "../live/live.js";
import type { ModelOptions } from "../model/model-options.js";
import type { ModelRequest, ModelResponse } from "../model/request.js";
import type { Fault } from "./fault.js";

/** How a sandbox behaves; see docs/sandbox.md. */
export interface SandboxOptions {
  /** 0 (the default) = any free port. */
  readonly port?: number;
  /** Default: a generated one. */
  readonly apiKey?: string;
  /** Absolute path of the JSON file that stores the world; default: the world is lost when the sandbox closes. */
  readonly dataFile?: string;
  /** Whose links are not trusted when the file is written; default: the file's own directory. */
  readonly workplace?: Workplace;
  /** Most resources on a page, 1–100. */
  readonly pageSize?: number;
  /** How long every response takes. */
  readonly latencyMs?: number;
  /** The header that must carry the version `2`; default `Service-Version`. */
  readonly versionHeader?: string;
  /** Accepts clients that deviate from the documented API; see docs/sandbox.md, "Lenient". */
  readonly lenient?: boolean;
  readonly faults?: readonly Fault[];
  /** Makes ids and the random choices of faults the same every time. */
  readonly seed?: string;
  readonly moduleEndpoints?: ModelOptions["moduleEndpoints"];
  /** More options of the model; by default a backend that an edge refers to can't be deleted. */
  readonly model?: Partial<Omit<ModelOptions, "baseUrl" | "pageSize" | "lenient" | "moduleEndpoints">>;
  /** Longest request body in bytes; default 1 MiB. */
  readonly maxBodyBytes?: number;
  /** Milliseconds since 1970, for `created_at`; default: the current time. */
  readonly now?: () => number;
  /** Called for every request once it is answered. */
  readonly onRequest?: (record: RequestRecord) => void;
  /** Called for every request that reaches the model, before a fault breaks the response; lists may be stale. */
  readonly onAnswer?: (request: ModelRequest, response: ModelResponse) => void;
  /** Called when the data file can't be written; `close` then fails too, if it still can't. */
  readonly onDataFileError?: (error: unknown) => void;
}

/** One request and its response, without headers and bodies. */
export interface RequestRecord {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Null when the connection was cut. */
  readonly status: number | null;
  /** The specs of the faults that applied. */
  readonly faults: readonly string[];
}

export interface RequestsSeen {
  readonly total: number;
  /** How often each fault was applied, by its spec. */
  readonly faults: { readonly [spec: string]: number };
  /** The newest 10,000, oldest first. */
  readonly log: readonly RequestRecord[];
}

export interface WorldSnapshot {
  /** As complete lists return them, newest first. */
  readonly lists: Live["lists"];
  /** Modules of HTTPS edges and routes by path, with secrets in plain text. */
  readonly modules: { readonly [path: string]: JsonObject };
}

export interface Sandbox {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly versionHeader: string;
  world(): WorldSnapshot;
  requests(): RequestsSeen;
  /** Sends a request without HTTP: no key, latency, faults or record. For changes behind edgewise's back. */
  direct(request: ModelRequest): ModelResponse;
  /** Closes connections and writes the data file. Further calls do nothing. */
  close(): Promise<void>;
}
