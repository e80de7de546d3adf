import { ApiError, isRefusal } from "../../api/api-error.js";
import type { ReadClient } from "../../api/client.js";
import { EdgewiseError } from "../../core/errors.js";
import { isObject } from "../../core/json.js";
import { type Address, kindOf } from "../../kinds/names.js";
import { kinds } from "../../kinds/registry.js";
import type { Live } from "../../live/live.js";
import { type Listing, readLiveFor, startListing } from "../../live/read-live.js";
import type { Manifest } from "../../manifest/manifest.js";
import { failureWords } from "../error-words.js";

const askedAtOnce = 8;

export class ListHealth {
  readonly #listing: Listing;
  #isFlawed = false;

  constructor(
    private readonly client: ReadClient,
    readonly began: number,
  ) {
    this.#listing = startListing(client);
    for (const collection of this.#listing) {
      void collection.then(({ failure }) => {
        this.#isFlawed ||= failure !== null && !(failure.error instanceof ApiError && isRefusal(failure.error));
      });
    }
  }

  get isFlawed(): boolean {
    return this.#isFlawed;
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

  /** Asks for resources that were live and that no list shows now: are they gone, or are the lists wrong? */
  async whyWrong(missing: ReadonlyMap<Address, string>): Promise<string | null> {
    if (missing.size === 0) return null;
    const { lists } = await this.liveFor([]);
    const listed = new Set(Object.values(lists).flatMap((list) => list.map(({ id }) => id)));
    // What only lost its marker is listed.
    const asked = [...missing].filter(([, id]) => !listed.has(id));
    for (let from = 0; from < asked.length; from += askedAtOnce) {
      const some = asked.slice(from, from + askedAtOnce);
      const there = await Promise.all(some.map(([address, id]) => isThere(address, id, this.client)));
      const [address, id] = some[there.indexOf(true)] ?? [];
      if (address === undefined) continue;
      return (
        `the lists lack ${address}, but the service still has it (${id}), so they can't be believed: ` +
        "nothing is written by them, and it is looked at again"
      );
    }
    return null;
  }
}

async function isThere(address: Address, id: string, client: ReadClient): Promise<boolean> {
  const unknown = `${address} (${id}) is in no list any more, and whether it is gone can't be told, so nothing is written`;
  let body: unknown;
  try {
    ({ body } = await client.get(kinds[kindOf(address)].path(encodeURIComponent(id), {})));
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === "interrupted") throw error;
    if (error.status === 404 || error.status === 410) return false;
    throw new EdgewiseError("api", `${unknown}: ${failureWords(error)}`);
  }
  if (isObject(body) && body["id"] === id) return true;
  throw new EdgewiseError("api", `${unknown}: the service answers with something else`);
}
