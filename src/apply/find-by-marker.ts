import type { ReadClient } from "../api/client.js";
import type { JsonObject } from "../core/json.js";
import { readMarker } from "../kinds/marker.js";
import { type Address, kindOf, nameOf } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";

/** A live resource that carries the marker that was searched for. */
export interface Found {
  readonly id: string;
  readonly wire: JsonObject;
}

/** Finds every live resource that carries this stack's marker for an address, whatever it replaces. Throws as the client does. */
export type FindByMarker = (address: Address) => Promise<readonly Found[]>;

type ByName = ReadonlyMap<string, readonly Found[]>;

/**
 * Searches for what a create of unknown outcome may have created: lists the collection and returns the resources that
 * carry this stack's marker with the name in the address. Simultaneous lookups share one list, so that an outage in the
 * middle of thousands of creates doesn't cost as many lists.
 */
export function createFindByMarker(client: Pick<ReadClient, "list">, stack: string): FindByMarker {
  const lookups = new Map<string, () => Promise<ByName>>();
  return async (address: Address) => {
    const { collection } = kinds[kindOf(address)];
    if (collection === null) throw new RangeError(`${address} is of a kind that has no list`);
    let lookup = lookups.get(collection.path);
    if (lookup === undefined) {
      lookup = singleFlight(async () => byName(await client.list(collection), stack));
      lookups.set(collection.path, lookup);
    }
    return (await lookup()).get(nameOf(address)) ?? [];
  };
}

function byName(resources: Awaited<ReturnType<ReadClient["list"]>>, stack: string): ByName {
  const found = new Map<string, Found[]>();
  for (const wire of resources) {
    const id = wire["id"];
    const { marker } = readMarker(wire["metadata"]);
    if (typeof id !== "string" || marker?.stack !== stack) continue;
    const same = found.get(marker.name);
    if (same === undefined) found.set(marker.name, [{ id, wire }]);
    else same.push({ id, wire });
  }
  return found;
}

/**
 * A function whose calls share runs of another. A call never gets a run that began before the call: while one is under
 * way, all further calls get the next. So at most one is under way at a time, however many calls there are.
 */
function singleFlight<T>(run: () => Promise<T>): () => Promise<T> {
  let current: Promise<unknown> | null = null;
  let next: Promise<T> | null = null;
  const start = (): Promise<T> => {
    const started = run();
    const over = started.then(
      () => {},
      () => {},
    );
    current = over;
    void over.then(() => {
      if (current === over) current = null;
    });
    return started;
  };
  return () => {
    if (next !== null) return next;
    if (current === null) return start();
    next = current.then(() => {
      next = null;
      return start();
    });
    return next;
  };
}
