import type { ClientOptions, ReadClient } from "../../api/client.js";
import { createReadClient } from "../../api/create-client.js";
import { RequestWindow } from "../../api/request-window.js";
import { type ApiKeyInput, readApiKey } from "../../config/api-key.js";
import type { Secret } from "../../core/secret.js";
import type { KnownHeads } from "./provenance.js";
import { ListHealth } from "../../serve/pass/list-health.js";

/** After this long, the lists are read anew: they show what was live then. */
const oldestMs = 5 * 60_000;

/** Lists that failed are asked for again by the next stack, this often in all. After that, their failure is every stack's. */
const mostListings = 3;

/** What one stack gets of its account. */
export interface SharedReads {
  /** Closing it does nothing: the account's next stack uses the same connections. */
  readonly client: ReadClient;
  /** The lists of the account, which this begins to read unless an earlier stack did. */
  readonly begin: () => ListHealth;
  /** Of all stacks of the run. */
  readonly heads: KnownHeads;
}

/** What the stacks of all accounts have in common. */
export interface SharedRun {
  /** Cuts off everything in flight. */
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly heads: KnownHeads;
  readonly key: SharedKey;
}

/** The API key of a run for several stacks. It is read once: its file may be a pipe, which is empty the second time. */
export class SharedKey {
  #read: Promise<Secret> | null = null;

  /**
   * The key.
   * @param input that of the first stack counts, which gets the warnings, too
   * @throws as `readApiKey` does, for every stack
   */
  async read(input: ApiKeyInput): Promise<Secret> {
    return (this.#read ??= readApiKey(input));
  }
}

/**
 * What the stacks of one base URL share while a command runs for them, one after the other: connections, the limits of
 * requests in flight and per minute, and the lists. Stacks whose key, version header or timeout differs share only the limit
 * per minute.
 */
export class SharedAccount {
  readonly #run: SharedRun;
  readonly #windows = new Map<string, RequestWindow>();
  readonly #connections = new Map<string, Connection>();

  constructor(run: SharedRun) {
    this.#run = run;
  }

  /** The API key, which the run reads once. @throws as `readApiKey` does */
  async readKey(input: ApiKeyInput): Promise<Secret> {
    return this.#run.key.read(input);
  }

  /**
   * What the next stack gets. Whichever stack asked for a request, this one's trace shows it from now on.
   * @param options those of the client that the stack would have alone
   */
  async connect(options: ClientOptions): Promise<SharedReads> {
    const { heads, now, signal } = this.#run;
    const { apiKey, baseUrl, timeoutMs, versionHeader } = options;
    const account = JSON.stringify([baseUrl, apiKey.reveal()]);
    const window = this.#windows.get(account) ?? new RequestWindow();
    this.#windows.set(account, window);
    // The limit is the account's, so the lowest one that a stack names holds for all of them.
    const requestsPerMinute = lower(window.ceiling, options.requestsPerMinute);
    const key = JSON.stringify([account, versionHeader, timeoutMs]);
    let connection = this.#connections.get(key);
    if (connection === undefined || connection.isSpent(now())) {
      await connection?.close();
      const made = { ...options, requestsPerMinute, window, signal };
      connection = new Connection(made, connection?.failures ?? 0, now);
      this.#connections.set(key, connection);
    } else window.ceiling = requestsPerMinute;
    return { ...connection.lendTo(options.trace), heads };
  }

  /** Ends the connections, and forgets the lists. */
  async close(): Promise<void> {
    await Promise.all([...this.#connections.values()].map(async (connection) => connection.close()));
    this.#connections.clear();
  }
}

function lower(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.min(a, b);
}

/** A client, and the lists that it read. */
class Connection {
  readonly #earlierFailures: number;
  readonly #client: ReadClient;
  readonly #now: () => number;
  readonly #madeAt: number;
  readonly #until: number;
  #listing: ListHealth | null = null;
  #trace: ClientOptions["trace"];

  /** @param earlierFailures of connections that this one replaces */
  constructor(options: ClientOptions, earlierFailures: number, now: () => number) {
    this.#earlierFailures = earlierFailures;
    this.#now = now;
    this.#madeAt = now();
    // A deadline counts from when the client was made.
    this.#until = this.#madeAt + Math.min(oldestMs, (options.deadline?.ms ?? Infinity) / 2);
    this.#client = createReadClient({ ...options, trace: (event) => this.#trace?.(event) });
  }

  /** How often lists were read in vain, here and before. */
  get failures(): number {
    return this.#earlierFailures + (this.#listing?.isFlawed === true ? 1 : 0);
  }

  /** Whether the next stack needs another one. Lists that failed too often stay until they would be too old. */
  isSpent(now: number): boolean {
    if (this.#listing?.isFlawed !== true) return now >= this.#until;
    return this.failures < mostListings || now >= this.#madeAt + oldestMs;
  }

  lendTo(trace: ClientOptions["trace"]): Pick<SharedReads, "client" | "begin"> {
    this.#trace = trace;
    const begin = (): ListHealth => (this.#listing ??= new ListHealth(this.#client, this.#now()));
    return { client: { ...this.#client, close: async () => {} }, begin };
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}
