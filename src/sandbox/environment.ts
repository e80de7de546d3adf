import { listedKinds } from "../kinds/names.js";
import type { ModelEnv } from "../model/model-options.js";
import { hostportKey } from "../model/read-body.js";
import type { World } from "../model/world.js";
import { describeCertificate } from "./describe-certificate.js";
import { type Random, randomText } from "./random.js";

/** Time, ids, addresses and certificates for a world that may have been loaded: nothing is given twice. */
export function sandboxEnv(world: World, random: Random, now: () => number): ModelEnv {
  return {
    now: () => new Date(now()).toISOString().replace(/\.\d+Z$/, "Z"),
    newId(prefix) {
      for (;;) {
        const id = `${prefix}${randomText(random, 27)}`;
        // With a seed, a world loaded from a file holds the ids that the same dice gave before.
        if (!listedKinds.some((kind) => world.collections[kind].get(id) !== null)) return id;
      }
    },
    newAddr(region) {
      for (;;) {
        const host = `${1 + Math.floor(random() * 9)}.tcp.${region}.example`;
        const addr = `${host}:${10_000 + Math.floor(random() * 55_536)}`;
        if (world.indexes.addr.get(hostportKey(addr)).size === 0) return addr;
      }
    },
    certificate: describeCertificate,
  };
}
