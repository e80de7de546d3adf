import type { ReadClient } from "../api/client.js";
import { kindOf, nameOf } from "../kinds/names.js";
import type { Address } from "../kinds/names.js";
import { readMarker } from "../kinds/marker.js";
import { kinds } from "../kinds/registry.js";
import type { FindByMarker, Found } from "./apply-deps.js";
import { singleFlight } from "./share-runs.js";

type ByName = ReadonlyMap<string, readonly Found[]>;

/**
 * Looks for what a create of unknown outcome may have made: lists the collection (specification, "Endpoints", List) and
 * gives what carries this stack's marker with the address' name. Lookups that come together share one list, so that
 * an outage in the middle of thousands of creates doesn't cost as many lists.
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
