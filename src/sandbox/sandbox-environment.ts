import { randomInt } from "node:crypto";
import { hostportClaim } from "../kinds/codecs/reference-codecs.js";
import { listedKinds } from "../kinds/names.js";
import type { ModelEnv } from "../model/model-options.js";
import type { World } from "../model/world.js";
import { describeCertificate } from "./describe-certificate.js";

/** No id or address of the (possibly loaded) world is reused. */
export function sandboxEnv(world: World, now: () => number): ModelEnv {
  return {
    now: () => new Date(now()).toISOString().replace(/\.\d+Z$/, "Z"),
    newId(prefix) {
      for (;;) {
        const id = `${prefix}${Array.from({ length: 27 }, () => letters[randomInt(letters.length)]).join("")}`;
        if (!listedKinds.some((kind) => world.collections[kind].get(id) !== null)) return id;
      }
    },
    newAddr(region) {
      for (;;) {
        const addr = `${randomInt(1, 10)}.tcp.${region}.example:${randomInt(10_000, 65_536)}`;
        if (world.indexes.offer.get(hostportClaim(addr) ?? "").size === 0) return addr;
      }
    },
    certificate: describeCertificate,
  };
}

const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
