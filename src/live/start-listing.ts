import type { ReadClient } from "../api/client.js";
import type { JsonObject } from "../json.js";
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
 * Starts to list all collections at the same time, before it is known which of them are needed. Never rejects. Needs no
 * declaration of a kind, so that the first request doesn't wait until they are loaded.
 * @param onPage called with the resources of each page as it arrives
 */
export function startListing(
  client: ReadClient,
  onPage?: (kind: ListedKind, items: readonly JsonObject[]) => void,
): Listing {
  return listedKinds.map((kind) => readCollection(client, kind, (items) => onPage?.(kind, items)));
}

async function readCollection(
  client: ReadClient,
  kind: ListedKind,
  onPage: (items: readonly JsonObject[]) => void,
): Promise<LiveCollection> {
  try {
    return { kind, items: await client.list(collectionOf(kind), onPage), failure: null };
  } catch (error) {
    return { kind, items: [], failure: { error } };
  }
}
