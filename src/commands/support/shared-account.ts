import { ApiError, isRefusal } from "../../api/api-error.js";
import type { ClientOptions, ReadClient } from "../../api/client.js";
import { createReadClient } from "../../api/create-client.js";
import { RequestWindow } from "../../api/request-window.js";
import { type ApiKeyInput, readApiKey } from "../../config/api-key.js";
import type { Secret } from "../../core/secret.js";
import { type Listing, startListing } from "../../live/read-live.js";

const oldestMs = 5 * 60_000;

/** Then the failure of lists is every stack's. */
const mostListings = 3;

interface Connection {
  readonly client: ReadClient;
  readonly until: number;
  readonly attempt: number;
  listing?: Listing;
  isFlawed: boolean;
}

/** What the stacks of a run share: the API key, whose file may be a pipe, and each service's limits and lists. */
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

  /** The client stays open for the next stack. */
  async connect(options: ClientOptions): Promise<Readonly<{ client: ReadClient; list: () => Listing }>> {
    this.#trace = options.trace;
    const { baseUrl, timeoutMs, versionHeader } = options;
    const window = this.#windows.get(baseUrl) ?? new RequestWindow();
    this.#windows.set(baseUrl, window);
    // The account's limit is the lowest that a stack names.
    const limits = [window.ceiling, options.requestsPerMinute].filter((limit) => limit !== null);
    window.ceiling = limits.length === 0 ? null : Math.min(...limits);
    const name = JSON.stringify([baseUrl, versionHeader, timeoutMs]);
    const before = this.#connections.get(name);
    const mayListAgain = before?.isFlawed === true && before.attempt < mostListings;
    let connection = before;
    if (connection === undefined || mayListAgain || this.now() >= connection.until) {
      await before?.client.close();
      const trace: ClientOptions["trace"] = (event) => this.#trace?.(event);
      const own = { ...options, requestsPerMinute: window.ceiling, window, signal: this.signal, trace };
      // A deadline counts from when the client was made.
      const until = this.now() + Math.min(oldestMs, (options.deadline?.ms ?? Infinity) / 2);
      const attempt = mayListAgain ? before.attempt + 1 : 1;
      connection = { client: createReadClient(own), until, attempt, isFlawed: false };
      this.#connections.set(name, connection);
    }
    const shared = connection;
    return { client: { ...shared.client, close: async () => {} }, list: () => (shared.listing ??= listingOf(shared)) };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections.values()].map(async ({ client }) => client.close()));
  }
}

function listingOf(connection: Connection): Listing {
  const listing = startListing(connection.client);
  for (const collection of listing)
    void collection.then(({ failure }) => {
      const { error } = failure ?? {};
      connection.isFlawed ||= failure !== null && !(error instanceof ApiError && isRefusal(error));
    });
  return listing;
}
