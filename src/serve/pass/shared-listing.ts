import { createHash } from "node:crypto";
import { ApiError, isRefusal } from "../../api/api-error.js";
import type { ReadClient } from "../../api/client.js";
import type { ListedKind } from "../../kinds/names.js";
import { readLiveFor } from "../../live/read-live.js";
import { type Listing, startListing } from "../../live/start-listing.js";
import type { Live } from "../../live/live.js";
import type { Manifest } from "../../manifest/manifest.js";
import { Secret } from "../../core/secret.js";
import { countListed } from "../decide/sight.js";
import type { AccountRecord } from "../records.js";

/** The lists of one account, read once for the looks of all its stacks. */
export class SharedListing {
  /** When its first request was made: what it shows is at least as new. */
  readonly began: number;
  readonly #client: ReadClient;
  readonly #listing: Listing;
  #isFlawed = false;
  #content: string | null = null;

  /** Begins to list. */
  constructor(client: ReadClient, now: number) {
    this.began = now;
    this.#client = client;
    this.#listing = startListing(client);
    for (const collection of this.#listing) {
      void collection.then(({ failure }) => {
        this.#isFlawed ||= failure !== null && !(failure.error instanceof ApiError && isRefusal(failure.error));
      });
    }
  }

  /** Whether a list has failed by now, and not because the service refuses it for good: another attempt may read it. */
  get isFlawed(): boolean {
    return this.#isFlawed;
  }

  /**
   * What is live, as a stack's manifests need it: the shared lists, and the modules that it names, read for it alone.
   * @throws as `readLiveFor` does: when a list that it needs can't be read, and when none can
   */
  async liveFor(manifests: readonly Manifest[]): Promise<Live> {
    return readLiveFor(this.#client, manifests, [], this.#listing);
  }

  /**
   * How many resources each list has, by kind. One that the key may not read keeps the count that it had before.
   * @throws as {@link liveFor} does
   */
  async counts(before: AccountRecord["listed"]): Promise<AccountRecord["listed"]> {
    const { lists, unreadable } = await this.liveFor([]);
    const kept = unreadable.flatMap(({ kind }) => (before[kind] === undefined ? [] : [[kind, before[kind]]]));
    return { ...countListed(lists), ...(Object.fromEntries(kept) as AccountRecord["listed"]) };
  }

  /**
   * A checksum of everything that was listed, secrets included: equal ones, equal lists. It never leaves the process.
   * @throws as {@link liveFor} does
   */
  async content(): Promise<string> {
    if (this.#content === null) {
      const { lists, locks, unreadable } = await this.liveFor([]);
      const hash = createHash("sha256");
      for (const kind of Object.keys(lists) as ListedKind[]) {
        hash.update(`${kind}\n`);
        for (const wire of lists[kind]) hash.update(contentOf(wire));
      }
      hash.update(contentOf(unreadable)).update(contentOf(locks ?? []));
      this.#content = hash.digest("base64");
    }
    return this.#content;
  }
}

/** As JSON with the texts of secrets: only to be hashed. */
function contentOf(value: unknown): string {
  return `${JSON.stringify(value, function (this: { readonly [member: string]: unknown }, member, shown: unknown) {
    const held = this[member];
    return held instanceof Secret && held.missing === null ? held.reveal() : shown;
  })}\n`;
}
