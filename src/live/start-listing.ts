import type { ReadClient } from "../api/client.js";
import type { JsonObject } from "../core/json.js";
import { type ListedKind, collectionOf, listedKinds } from "../kinds/names.js";

/** One collection as it was read, whether that went well or not. */
export interface LiveCollection {
  readonly kind: ListedKind;
  readonly items: readonly JsonObject[];
  /** Why it could not be read. */
  readonly failure: { readonly error: unknown } | null;
}

/** The lists of all collections, in progress. A failed list throws only if it is needed. */
export type Listing = readonly Promise<LiveCollection>[];

/**
 * Starts to list all collections at the same time, before it is known which of them are needed. Never rejects.
 */
export function startListing(client: ReadClient): Listing {
  return listedKinds.map((kind) => readCollection(client, kind));
}

async function readCollection(client: ReadClient, kind: ListedKind): Promise<LiveCollection> {
  try {
    return { kind, items: await client.list(collectionOf(kind)), failure: null };
  } catch (error) {
    return { kind, items: [], failure: { error } };
  }
}
