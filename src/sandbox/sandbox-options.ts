import type { Workplace } from "../files/write-target.js";
import type { JsonObject } from "../json.js";
import type { Live } from "../live/live.js";
import type { ModelOptions } from "../model/model-options.js";
import type { ModelRequest, ModelResponse } from "../model/request.js";
import type { Fault } from "./fault.js";

/** How a sandbox is to be and to behave; docs/sandbox.md. */
export interface SandboxOptions {
  /** 0 (the default) = any free one. */
  readonly port?: number;
  /** Default: one that is made up. */
  readonly apiKey?: string;
  /** Absolute path of the JSON file that the world is kept in; default: the world ends with the sandbox. */
  readonly dataFile?: string;
  /** Whose links are not trusted when the file is written; default: the file's own directory. */
  readonly workplace?: Workplace;
  /** Most resources on a page, 1–100. */
  readonly pageSize?: number;
  /** Every answer waits so long. */
  readonly latencyMs?: number;
  /** The header that must carry the version `2`; default `Service-Version`. */
  readonly versionHeader?: string;
  /** Serve clients that depart from the specification: docs/sandbox.md, "Lenient". */
  readonly lenient?: boolean;
  readonly faults?: readonly Fault[];
  /** Makes ids and the dice of faults the same every time. */
  readonly seed?: string;
  readonly moduleEndpoints?: ModelOptions["moduleEndpoints"];
  /** Further options of the model; by default a backend that an edge refers to can't be deleted. */
  readonly model?: Partial<Omit<ModelOptions, "baseUrl" | "pageSize" | "lenient" | "moduleEndpoints">>;
  /** Longest request body in bytes; default 1 MiB. */
  readonly maxBodyBytes?: number;
  /** Milliseconds since 1970, for `created_at`; default: the time. */
  readonly now?: () => number;
  /** Told of every request once it is answered. */
  readonly onRequest?: (record: RequestRecord) => void;
  /** Told of every request that the service itself answers, before a fault spoils the answer; lists may still be stale. */
  readonly onAnswer?: (request: ModelRequest, response: ModelResponse) => void;
  /** Told when the data file can't be written; `close` then fails too, if it still can't be. */
  readonly onDataFileError?: (error: unknown) => void;
}

/** One request as it was answered. Holds no header and no body. */
export interface RequestRecord {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Null when the connection was cut instead. */
  readonly status: number | null;
  /** The specs of the faults that struck. */
  readonly faults: readonly string[];
}

/** What a sandbox was asked so far. */
export interface RequestsSeen {
  readonly total: number;
  /** By status; cut connections count under `reset`. */
  readonly byStatus: { readonly [status: string]: number };
  /** How often each fault struck, by its spec. */
  readonly faults: { readonly [spec: string]: number };
  /** The newest 10,000, oldest first. */
  readonly log: readonly RequestRecord[];
}

/** What a sandbox holds. */
export interface WorldSnapshot {
  /** As complete lists would give them, newest first. */
  readonly lists: Live["lists"];
  /** Modules of HTTPS edges and routes by path. Secrets stand in clear. */
  readonly modules: { readonly [path: string]: JsonObject };
}

/** A running sandbox. */
export interface Sandbox {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly versionHeader: string;
  world(): WorldSnapshot;
  requests(): RequestsSeen;
  /** A request past HTTP: no key, no latency, no faults, no record. What somebody does behind everybody's back. */
  direct(request: ModelRequest): ModelResponse;
  /** Ends connections and writes the data file. Once is enough; more does nothing. */
  close(): Promise<void>;
}

const keptRequests = 10_000;

/** Counts requests and remembers the newest. */
export class RequestLog {
  #log: RequestRecord[] = [];
  #total = 0;
  readonly #byStatus = new Map<string, number>();

  add(record: RequestRecord): void {
    this.#total += 1;
    const key = record.status === null ? "reset" : String(record.status);
    this.#byStatus.set(key, (this.#byStatus.get(key) ?? 0) + 1);
    this.#log.push(record);
    if (this.#log.length >= 2 * keptRequests) this.#log = this.#log.slice(-keptRequests);
  }

  seen(faults: RequestsSeen["faults"]): RequestsSeen {
    return {
      total: this.#total,
      byStatus: Object.fromEntries(this.#byStatus),
      faults,
      log: this.#log.slice(-keptRequests),
    };
  }
}
