import type { ClientOptions, ReadClient } from "../../api/client.js";
import { createReadClient } from "../../api/create-client.js";
import { RequestWindow } from "../../api/request-window.js";
import { type ApiKeyInput, readApiKey } from "../../config/api-key.js";
import type { Secret } from "../../core/secret.js";
import { type Listing, startListing } from "../../live/read-live.js";

type Connection = Readonly<{ client: ReadClient; list: () => Listing; close: () => Promise<void> }>;

/** What a run's stacks share: the API key, whose file may be a pipe, and each service's limits and lists. */
export class SharedAccounts {
  readonly #windows = new Map<string, RequestWindow>();
  readonly #connections = new Map<string, Connection>();
  #key: Promise<Secret> | null = null;
  #trace: ClientOptions["trace"];

  constructor(private readonly signal: AbortSignal) {}

  async readKey(input: ApiKeyInput): Promise<Secret> {
    return (this.#key ??= readApiKey(input));
  }

  connect(options: ClientOptions): Connection {
    this.#trace = options.trace;
    const { baseUrl, timeoutMs, versionHeader } = options;
    const window = this.#windows.get(baseUrl) ?? new RequestWindow();
    this.#windows.set(baseUrl, window);
    // The account's limit is the lowest that a stack names.
    const limits = [window.ceiling, options.requestsPerMinute].filter((limit) => limit !== null);
    window.ceiling = limits.length === 0 ? null : Math.min(...limits);
    const name = JSON.stringify([baseUrl, versionHeader, timeoutMs]);
    const known = this.#connections.get(name);
    if (known !== undefined) return known;
    const trace: ClientOptions["trace"] = (event) => this.#trace?.(event);
    const own = { ...options, requestsPerMinute: window.ceiling, window, signal: this.signal, trace };
    const client = createReadClient(own);
    let listing: Listing | undefined;
    const connection: Connection = {
      client: { ...client, close: async () => {} },
      list: () => (listing ??= startListing(client)),
      close: async () => client.close(),
    };
    this.#connections.set(name, connection);
    return connection;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections.values()].map(async (connection) => connection.close()));
  }
}
