import type { ClientOptions, ReadClient } from "../../api/client.js";
import { createReadClient } from "../../api/create-client.js";
import { RequestWindow } from "../../api/request-window.js";
import { type ApiKeyInput, readApiKey } from "../../config/api-key.js";
import type { Secret } from "../../core/secret.js";
import { ListHealth } from "../../serve/pass/pass.js";

const oldestMs = 5 * 60_000;

/** Then the failure of lists is every stack's. */
const mostListings = 3;

export interface SharedReads {
  /** Closing it does nothing: the next stack uses the same connections. */
  readonly client: ReadClient;
  readonly begin: () => ListHealth;
}

interface Connection {
  readonly client: ReadClient;
  readonly until: number;
  readonly attempt: number;
  listing: ListHealth | null;
}

/** What the stacks of a run share: the API key, whose file may be a pipe, and for each base URL limits and lists. */
export class SharedAccounts {
  readonly #windows = new Map<string, RequestWindow>();
  readonly #connections = new Map<string, Connection>();
  #key: Promise<Secret> | null = null;
  #trace: ClientOptions["trace"];

  constructor(
    private readonly signal: AbortSignal,
    private readonly now: () => number,
  ) {}

  async readKey(input: ApiKeyInput): Promise<Secret> {
    return (this.#key ??= readApiKey(input));
  }

  async connect(options: ClientOptions): Promise<SharedReads> {
    this.#trace = options.trace;
    const { baseUrl, timeoutMs, versionHeader } = options;
    const window = this.#windows.get(baseUrl) ?? new RequestWindow();
    this.#windows.set(baseUrl, window);
    // The limit is the account's, so the lowest one that a stack names holds for all of them.
    const limits = [window.ceiling, options.requestsPerMinute].filter((limit) => limit !== null);
    window.ceiling = limits.length === 0 ? null : Math.min(...limits);
    const name = JSON.stringify([baseUrl, versionHeader, timeoutMs]);
    const before = this.#connections.get(name);
    const mayAskAgain = before?.listing?.isFlawed === true && before.attempt < mostListings;
    let connection = before;
    if (connection === undefined || mayAskAgain || this.now() >= connection.until) {
      await before?.client.close();
      const trace: ClientOptions["trace"] = (event) => this.#trace?.(event);
      const own = { ...options, requestsPerMinute: window.ceiling, window, signal: this.signal, trace };
      // A deadline counts from when the client was made.
      const until = this.now() + Math.min(oldestMs, (options.deadline?.ms ?? Infinity) / 2);
      const attempt = mayAskAgain ? before.attempt + 1 : 1;
      connection = { client: createReadClient(own), until, attempt, listing: null };
      this.#connections.set(name, connection);
    }
    const { client } = connection;
    return {
      client: { ...client, close: async () => {} },
      begin: () => (connection.listing ??= new ListHealth(client, this.now())),
    };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections.values()].map(async ({ client }) => client.close()));
  }
}
