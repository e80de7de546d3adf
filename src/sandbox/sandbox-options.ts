import type { Workplace } from "../files/write-file.js";
import type { JsonObject } from "../core/json.js";
import type { Live } from "../live/live.js";
import type { ModelOptions } from "../model/model-options.js";
import type { ModelRequest, ModelResponse } from "../model/request.js";
import type { Fault } from "./fault.js";

/** See docs/sandbox.md. */
export interface SandboxOptions {
  /** Default: any free port. */
  readonly port?: number;
  /** Default: a generated one. */
  readonly apiKey?: string;
  /** Absolute; default: the world is lost when the sandbox closes. */
  readonly dataFile?: string;
  /** Whose links are not trusted when the file is written; default: the file's own directory. */
  readonly workplace?: Workplace;
  /** 1–100. */
  readonly pageSize?: number;
  /** How long every response takes. */
  readonly latencyMs?: number;
  /** Must carry the version `2`; default `Service-Version`. */
  readonly versionHeader?: string;
  readonly lenient?: boolean;
  readonly faults?: readonly Fault[];
  readonly moduleEndpoints?: ModelOptions["moduleEndpoints"];
  /** By default a backend that an edge refers to can't be deleted. */
  readonly model?: Partial<Omit<ModelOptions, "baseUrl" | "pageSize" | "lenient" | "moduleEndpoints">>;
  /** For `created_at`. */
  readonly now?: () => number;
  readonly onRequest?: (record: RequestRecord) => void;
  /** Called when the data file can't be written; `close` then fails too, if it still can't. */
  readonly onDataFileError?: (error: unknown) => void;
}

export interface RequestRecord {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Null when the connection was cut. */
  readonly status: number | null;
  /** The specs of the faults that applied. */
  readonly faults: readonly string[];
}

export interface WorldSnapshot {
  /** Newest first. */
  readonly lists: Live["lists"];
  /** Modules of HTTPS edges and routes by path, with secrets in plain text. */
  readonly modules: { readonly [path: string]: JsonObject };
}

export interface Sandbox {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly versionHeader: string;
  /** What lists return. */
  world(): WorldSnapshot;
  /** How many there were, and the newest 10,000. */
  requests(): { readonly total: number; readonly log: readonly RequestRecord[] };
  /** Sends a request without HTTP, for changes behind edgewise's back. */
  direct(request: ModelRequest): ModelResponse;
  close(): Promise<void>;
}
