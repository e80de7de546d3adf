import { createHash, randomBytes } from "node:crypto";
import { hostportClaim } from "../kinds/codecs/reference-codecs.js";
import { listedKinds } from "../kinds/names.js";
import type { ModelEnv } from "../model/model-options.js";
import type { World } from "../model/world.js";
import { describeCertificate } from "./describe-certificate.js";

/** No id or address of the (possibly loaded) world is reused. */
export function sandboxEnv(world: World, random: Random, now: () => number): ModelEnv {
  return {
    now: () => new Date(now()).toISOString().replace(/\.\d+Z$/, "Z"),
    newId(prefix) {
      for (;;) {
        const id = `${prefix}${randomText(random, 27)}`;
        // With a seed, a world from a file already has the ids that the same numbers gave before.
        if (!listedKinds.some((kind) => world.collections[kind].get(id) !== null)) return id;
      }
    },
    newAddr(region) {
      for (;;) {
        const host = `${1 + Math.floor(random() * 9)}.tcp.${region}.example`;
        const addr = `${host}:${10_000 + Math.floor(random() * 55_536)}`;
        if (world.indexes.offer.get(hostportClaim(addr) ?? "").size === 0) return addr;
      }
    },
    certificate: describeCertificate,
  };
}

export type Random = () => number;

/** The same numbers for the same seed; unpredictable without one. */
export function randomFrom(seed: string | undefined): Random {
  const start = seed === undefined ? randomBytes(4) : createHash("sha256").update(seed, "utf8").digest();
  let state = start.readUInt32LE(0);
  // Mulberry32: small, fast and uniform enough for probabilities and ids.
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

function randomText(random: Random, length: number): string {
  let text = "";
  for (let at = 0; at < length; at++) text += letters[Math.floor(random() * letters.length)] ?? "0";
  return text;
}
