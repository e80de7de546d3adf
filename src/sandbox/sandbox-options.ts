import type { Workplace } from "../files/write-file.js";
import type { JsonObject } from "../core/json.js";
import type { Live } from "../live/live.js";
import type { ModelOptions } from "../model/model-options.js";
import type { ModelRequest, ModelResponse } from "../model/request.js";
import type { Fault } from "./fault.js";

/** See docs/sandbox.md. */
export type SandboxOptions = Readonly<{
  /** Default: any free port. */
  port?: number;
  /** Default: a generated one. */
  apiKey?: string;
  /** Absolute; default: the world is lost when the sandbox closes. */
  dataFile?: string;
  /** Whose links are not trusted when the file is written; default: the file's own directory. */
  workplace?: Workplace;
  /** 1–100. */
  pageSize?: number;
  /** How long every response takes. */
  latencyMs?: number;
  /** Must carry the version `2`; default `Service-Version`. */
  versionHeader?: string;
  lenient?: boolean;
  faults?: readonly Fault[];
  moduleEndpoints?: ModelOptions["moduleEndpoints"];
  /** By default a backend that an edge refers to can't be deleted. */
  model?: Partial<Omit<ModelOptions, "baseUrl" | "pageSize" | "lenient" | "moduleEndpoints">>;
  /** For `created_at`. */
  now?: () => number;
  onRequest?: (record: RequestRecord) => void;
  /** Called when the data file can't be written; `close` then fails too, if it still can't. */
  onDataFileError?: (error: unknown) => void;
}>;

export type RequestRecord = Readonly<{
  method: string;
  /** With the query. */
  path: string;
  /** Null when the connection was cut. */
  status: number | null;
  /** The specs of the faults that applied. */
  faults: readonly string[];
}>;

export type WorldSnapshot = Readonly<{
  /** Newest first. */
  lists: Live["lists"];
  /** Modules of HTTPS edges and routes by path, with secrets in plain text. */
  modules: { readonly [path: string]: JsonObject };
}>;

export type Sandbox = Readonly<{
  baseUrl: string;
  apiKey: string;
  versionHeader: string;
  /** What lists return. */
  world(): WorldSnapshot;
  /** How many there were, and the newest 10,000. */
  requests(): Readonly<{ total: number; log: readonly RequestRecord[] }>;
  /** Sends a request without HTTP, for changes behind edgewise's back. */
  direct(request: ModelRequest): ModelResponse;
  close(): Promise<void>;
}>;
