import { createHash, randomBytes } from "node:crypto";

/** A source of numbers in [0, 1). */
export type Random = () => number;

/** Numbers that are the same for the same seed; without a seed nobody can tell them. */
export function randomFrom(seed: string | undefined): Random {
  const start = seed === undefined ? randomBytes(4) : createHash("sha256").update(seed, "utf8").digest();
  let state = start.readUInt32LE(0);
  // Mulberry32: small, fast and even enough for dice and ids.
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Letters and digits. */
export function randomText(random: Random, length: number): string {
  let text = "";
  for (let at = 0; at < length; at++) text += letters[Math.floor(random() * letters.length)] ?? "0";
  return text;
}
