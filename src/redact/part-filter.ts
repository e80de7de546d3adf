/** How many units, and how many bits of an encoded text, are looked at together: a gram. */
const gramUnits = 4;
export const gramBits = 24;

/** Of the eight units of a part, a gram begins at a multiple of this, wherever in a text the part is. */
const stride = 5;

/** At which bits of a part that is written in digits a gram may begin: at even ones, up to this. */
const lastBit = 64 - gramBits;

/**
 * Says of most texts that no hidden part of a secret is in them, after a look at a few of their units. It holds all grams
 * of all these parts, and each part in a text has a gram at a place that is looked at. What has a gram may have a part.
 */
export class PartFilter {
  /** Sets of hashes, as bits. */
  #grams = new Uint8Array(0);
  #bits = new Uint8Array(0);
  /** How much of a hash is left out. */
  #shift = 0;
  /** Where the next part begins if all its grams but the last are known, because it overlaps the one that was added. */
  #next = { part: -1, bytes: -1 };

  /**
   * @param factor random and odd, so that nobody can prepare texts that have a gram everywhere
   * @param size of each set in bytes: a power of two
   */
  constructor(
    private readonly factor: number,
    size: number,
  ) {
    this.clear(size);
  }

  /** Forgets everything, and makes room for more. */
  clear(size: number): void {
    this.#grams = new Uint8Array(size);
    this.#bits = new Uint8Array(size);
    this.#shift = Math.clz32(size * 8 - 1);
    this.#next = { part: -1, bytes: -1 };
  }

  /** Adds the grams of a part, which begins at an index in the units of all secrets. */
  add(units: Uint16Array, at: number): void {
    for (let skipped = at === this.#next.part ? stride - 1 : 0; skipped < stride; skipped += 1) {
      insert(this.#grams, hashOf(gramAt(units, at + skipped, this.factor), this.factor) >>> this.#shift);
    }
    this.#next.part = at + 1;
    // Digits are read as bytes, and a part with anything else is never among them.
    if (!units.subarray(at, at + 8).every((unit) => unit <= 0xff)) return;
    for (let bit = at === this.#next.bytes ? lastBit - 6 : 0; bit <= lastBit; bit += 2) {
      insert(this.#bits, hashOf(bitsAt(units, at, bit), this.factor) >>> this.#shift);
    }
    this.#next.bytes = at + 1;
  }

  /**
   * Calls `visit` for each index of a text, in order, where a part that was added may begin.
   * @returns how many places were looked at
   */
  eachPlace(units: Uint16Array, length: number, visit: (at: number) => void): number {
    const { factor } = this;
    const grams = this.#grams;
    const shift = this.#shift;
    let looked = 0;
    for (; looked + gramUnits <= length; looked += stride) {
      const hash = hashOf(gramAt(units, looked, factor), factor) >>> shift;
      if ((((grams[hash >>> 3] ?? 0) >> (hash & 7)) & 1) === 0) continue;
      for (let at = Math.max(0, looked - stride + 1); at <= looked; at += 1) visit(at);
    }
    return Math.ceil(looked / stride);
  }

  /** Whether a part that was added may have these {@link gramBits} bits from an even one on. */
  mayHoldBits(bits: number): boolean {
    const hash = hashOf(bits, this.factor) >>> this.#shift;
    return (((this.#bits[hash >>> 3] ?? 0) >> (hash & 7)) & 1) === 1;
  }
}

function gramAt(units: Uint16Array, at: number, factor: number): number {
  const low = (units[at] ?? 0) | ((units[at + 1] ?? 0) << 16);
  const high = (units[at + 2] ?? 0) | ((units[at + 3] ?? 0) << 16);
  return Math.imul(low, factor) ^ high;
}

function hashOf(gram: number, factor: number): number {
  const spread = Math.imul(gram, factor);
  return Math.imul(spread ^ (spread >>> 15), 0x9e3779b1);
}

function insert(set: Uint8Array, hash: number): void {
  set[hash >>> 3] = (set[hash >>> 3] ?? 0) | (1 << (hash & 7));
}

/** {@link gramBits} bits of bytes: those that begin so many bits behind an index. */
function bitsAt(bytes: Uint16Array, at: number, bit: number): number {
  const first = at + (bit >>> 3);
  const head = ((bytes[first] ?? 0) << 16) | ((bytes[first + 1] ?? 0) << 8) | (bytes[first + 2] ?? 0);
  const shift = bit & 7;
  return shift === 0 ? head : ((head << shift) | ((bytes[first + 3] ?? 0) >>> (8 - shift))) & 0xffffff;
}
