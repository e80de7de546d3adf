import type { Workplace } from "../files/write-file.js";
import type { JsonObject } from "../core/json.js";
import type { Live } from "../live/live.js";
import type { ModelOptions } from "../model/model-options.js";
import type { ModelRequest, ModelResponse } from "../model/request.js";
import type { Fault } from "./fault.js";

/** See docs/sandbox.md. */
export type SandboxOptions = Readonly<{
  port?: number;
  apiKey?: string;
  /** Absolute; default: the world is lost in the end. */
  dataFile?: string;
  /** Default: the file's directory. */
  workplace?: Workplace;
  pageSize?: number;
  latencyMs?: number;
  versionHeader?: string;
  lenient?: boolean;
  faults?: readonly Fault[];
  moduleEndpoints?: ModelOptions["moduleEndpoints"];
  /** By default a backend in use can't be deleted. */
  model?: Partial<Omit<ModelOptions, "baseUrl" | "pageSize" | "lenient" | "moduleEndpoints">>;
  now?: () => number;
  onRequest?: (record: RequestRecord) => void;
  /** `close` then fails too, if it still can't be written. */
  onDataFileError?: (error: unknown) => void;
}>;

export type RequestRecord = Readonly<{
  method: string;
  path: string;
  /** Null = the connection was cut. */
  status: number | null;
  faults: readonly string[];
}>;

export type WorldSnapshot = Readonly<{
  /** Newest first. */
  lists: Live["lists"];
  /** With secrets in plain text. */
  modules: { readonly [path: string]: JsonObject };
}>;

export type Sandbox = Readonly<{
  baseUrl: string;
  apiKey: string;
  versionHeader: string;
  world(): WorldSnapshot;
  requests(): Readonly<{ total: number; log: readonly RequestRecord[] }>;
  /** Without HTTP, behind edgewise's back. */
  direct(request: ModelRequest): ModelResponse;
  close(): Promise<void>;
}>;
