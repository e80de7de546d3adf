import type { Client, ReadClient } from "../../api/client.js";
import { EdgewiseError } from "../../core/errors.js";
import type { AccountPassInput, DueStack, PassDeps } from "../serve-deps.js";
import type { LoadStack } from "./load-stack.js";
import { ApiError } from "../../api/api-error.js";
import { isObject } from "../../core/json.js";
import { type Address, kindOf } from "../../kinds/names.js";
import { kinds } from "../../kinds/registry.js";
import type { Live } from "../../live/live.js";
import { type Listing, readLiveFor, startListing } from "../../live/read-live.js";
import type { Manifest } from "../../manifest/manifest.js";

const freshMs = 5000;

export class Pass {
  unreadable: string | null = null;
  readonly #client: Client | null;
  #latest: ListHealth | null = null;

  constructor(
    readonly input: AccountPassInput,
    readonly deps: PassDeps,
    readonly load: LoadStack,
    client: Client | string,
  ) {
    this.#client = typeof client === "string" ? null : client;
    if (typeof client === "string") this.unreadable = client;
  }

  get client(): Client {
    const client = this.#client;
    if (client === null) throw new EdgewiseError("config", this.unreadable ?? "there is no connection to the account");
    return {
      ...client,
      send: (request) => {
        this.#latest = null;
        return client.send(request);
      },
    };
  }

  /** Begun under the account's lock and after its last write. */
  listForWriting(anew: boolean): ListHealth {
    const isOld = (this.#latest?.began ?? 0) < this.deps.clock.now() - freshMs;
    if (anew || this.#latest === null || isOld) this.#latest = this.list();
    return this.#latest;
  }

  list(): ListHealth {
    return new ListHealth(this.client, this.deps.clock.now());
  }

  whyNotWritten({ unfollowed }: DueStack): string | null {
    const { clock, dryRun, paused, stop } = this.deps;
    const { quietUntil } = this.deps.claim;
    if (dryRun) return "a dry run writes nothing";
    if (clock.now() < quietUntil)
      return `a pass was cut off while it wrote to the account, and what it sent may arrive until ${new Date(quietUntil).toISOString()}`;
    if (this.unreadable !== null) return `live can't be read any more (${this.unreadable})`;
    if (stop.aborted) return "the loop is stopping";
    return paused || unfollowed?.rewound === true || unfollowed?.unreachable === true
      ? "nothing may be written now"
      : null;
  }
}

export class ListHealth {
  readonly #listing: Listing;

  constructor(
    private readonly client: ReadClient,
    readonly began: number,
  ) {
    this.#listing = startListing(client);
  }

  async liveFor(manifests: readonly Manifest[]): Promise<Live> {
    return readLiveFor(this.client, manifests, [], this.#listing);
  }

  async isReadable(): Promise<boolean> {
    try {
      await this.liveFor([]);
      return true;
    } catch (error) {
      if (error instanceof EdgewiseError) return false;
      throw error;
    }
  }

  /** Are resources that no list shows any more gone, or are the lists wrong? */
  async whyWrong(missing: ReadonlyMap<Address, string>): Promise<string | null> {
    if (missing.size === 0) return null;
    const { lists } = await this.liveFor([]);
    const listed = new Set(Object.values(lists).flatMap((list) => list.map(({ id }) => id)));
    for (const [address, id] of missing)
      if (!listed.has(id) && (await isThere(address, id, this.client)))
        return (
          `the lists lack ${address}, but the service still has it (${id}), so they can't be believed: ` +
          "nothing is written by them, and it is looked at again"
        );
    return null;
  }
}

async function isThere(address: Address, id: string, client: ReadClient): Promise<boolean> {
  try {
    const { body } = await client.get(kinds[kindOf(address)].path(encodeURIComponent(id), {}));
    if (isObject(body) && body["id"] === id) return true;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 410)) return false;
    throw error;
  }
  throw new EdgewiseError(
    "api",
    `${address} (${id}) is in no list any more, and the service answers with something else`,
  );
}
