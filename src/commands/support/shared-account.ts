import type { ClientOptions, ReadClient } from "../../api/client.js";
import { createReadClient } from "../../api/create-client.js";
import { RequestWindow } from "../../api/request-window.js";
import { type ApiKeyInput, readApiKey } from "../../config/api-key.js";
import type { Secret } from "../../core/secret.js";
import { ListHealth } from "../../serve/pass/list-health.js";

/** After this long, the lists are read anew: they show what was live then. */
const oldestMs = 5 * 60_000;

/** So often lists that failed are asked for again by the next stack; then their failure is every stack's. */
const mostListings = 3;

/** What one stack gets of its account. */
export interface SharedReads {
  /** Closing it does nothing: the next stack uses the same connections. */
  readonly client: ReadClient;
  /** The lists of the account, which this begins to read unless an earlier stack did. */
  readonly begin: () => ListHealth;
}

interface Connection {
  readonly client: ReadClient;
  readonly madeAt: number;
  readonly until: number;
  /** How often lists were read in vain before this connection. */
  readonly failures: number;
  listing: ListHealth | null;
}

/**
 * What the stacks of a run share, one after the other: the API key, which is read once because its file may be a pipe;
 * and for each base URL connections, limits and lists. Stacks whose version header or timeout differs share only the
 * limit per minute.
 */
export class SharedAccounts {
  readonly #run: { readonly signal: AbortSignal; readonly now: () => number };
  readonly #windows = new Map<string, RequestWindow>();
  readonly #connections = new Map<string, Connection>();
  #key: Promise<Secret> | null = null;
  #trace: ClientOptions["trace"];

  constructor(run: { readonly signal: AbortSignal; readonly now: () => number }) {
    this.#run = run;
  }

  /** @throws as `readApiKey` does, for every stack */
  async readKey(input: ApiKeyInput): Promise<Secret> {
    return (this.#key ??= readApiKey(input));
  }

  /**
   * What the next stack gets. Whichever stack asked for a request, this one's trace shows it from now on.
   * @param options those of the client that the stack would have alone
   */
  async connect(options: ClientOptions): Promise<SharedReads> {
    this.#trace = options.trace;
    const { baseUrl, timeoutMs, versionHeader } = options;
    const window = this.#windows.get(baseUrl) ?? new RequestWindow();
    this.#windows.set(baseUrl, window);
    // The limit is the account's, so the lowest one that a stack names holds for all of them.
    const limits = [window.ceiling, options.requestsPerMinute].filter((limit) => limit !== null);
    const requestsPerMinute = limits.length === 0 ? null : Math.min(...limits);
    const name = JSON.stringify([baseUrl, versionHeader, timeoutMs]);
    const before = this.#connections.get(name);
    const isSpent = before === undefined || this.#isSpent(before);
    if (isSpent) await before?.client.close();
    const connection = isSpent ? this.#made({ ...options, requestsPerMinute, window }, before) : before;
    this.#connections.set(name, connection);
    window.ceiling = requestsPerMinute;
    const { client } = connection;
    return {
      client: { ...client, close: async () => {} },
      begin: () => (connection.listing ??= new ListHealth(client, this.#run.now())),
    };
  }

  #made(options: ClientOptions, before: Connection | undefined): Connection {
    const { now, signal } = this.#run;
    const client = createReadClient({ ...options, signal, trace: (event) => this.#trace?.(event) });
    // A deadline counts from when the client was made.
    const until = now() + Math.min(oldestMs, (options.deadline?.ms ?? Infinity) / 2);
    return { client, madeAt: now(), until, failures: before === undefined ? 0 : failuresOf(before), listing: null };
  }

  /** Lists that failed too often stay until they would be too old. */
  #isSpent(connection: Connection): boolean {
    const now = this.#run.now();
    if (connection.listing?.isFlawed !== true) return now >= connection.until;
    return failuresOf(connection) < mostListings || now >= connection.madeAt + oldestMs;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections.values()].map(async ({ client }) => client.close()));
  }
}

function failuresOf({ failures, listing }: Connection): number {
  return failures + (listing?.isFlawed === true ? 1 : 0);
}
