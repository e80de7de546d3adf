import { PartFilter } from "./part-filter.js";

/** Shorter parts of a secret are not searched for: words and numbers share that much by chance. */
export const partLength = 8;

/** The lines around a key in PEM, which all keys share. */
const armor = /-----(?:BEGIN|END) [A-Z0-9 ]{1,40}-----\s?/g;

/** A day: logs and journals are full of them. */
const date = /(?:19|20)\d\d-\d\d-\d\d/g;

/** States of a part; 0 = the same part is indexed at another place, or none begins here. */
const hidden = 1;
/** It may be shown: it occurs in a public text, or carries next to no information. */
const open = 2;
/** It stays hidden in public texts, because its secret appears in a manifest; only text outside of secrets opens it. */
const pinned = 3;

/** A part of a text in UTF-16 units, from `start` up to but not including `end`. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** A larger filter would only cost memory. In bytes. */
const largestFilter = 4 * 1024 * 1024;

/**
 * Every part of {@link partLength} units of every secret, so that a text can be searched for all of them in one pass: a look
 * at a few of its units, and a lookup in a hash table where these may belong to a part, however many secrets there are.
 * Parts are compared in full, so nothing is found by chance.
 */
export class PartIndex {
  #units = new Uint16Array(1024);
  /** The state of the part that begins at each unit. */
  #states = new Uint8Array(1024);
  #length = 0;
  /** A hash table with open addressing: the index in `#units` where a part begins, plus one; 0 = free. */
  #slots = new Int32Array(4096);
  #count = 0;
  /** Random, so that nobody can prepare texts whose hashes collide. */
  readonly #factor: number;
  readonly #leaving: number;
  /** Knows all parts that are not open, and some that were not. */
  readonly filter: PartFilter;
  #steps = 0;

  /** @param seed for tests; any number */
  constructor(seed = Math.random() * 2 ** 32) {
    // Odd, and large enough to spread the units of a part over all bits.
    this.#factor = (seed >>> 0) | 0x01000193;
    let leaving = 1;
    for (let index = 1; index < partLength; index += 1) leaving = Math.imul(leaving, this.#factor);
    this.#leaving = leaving;
    this.filter = new PartFilter(this.#factor, this.#slots.length);
  }

  /** How many places of texts and slots of the table were looked at: the cost of a search. */
  get steps(): number {
    return this.#steps;
  }

  /** Whether nothing can be found. */
  get empty(): boolean {
    return this.#count === 0;
  }

  /** How many UTF-16 units are indexed: ten bytes of memory for each, doubled while the table grows. */
  get size(): number {
    return this.#length;
  }

  /** Texts of which each part may have to be masked; those of all secrets together have all such parts. */
  stretches(): readonly string[] {
    const found: string[] = [];
    for (let at = 0; at < this.#length; at += 1) {
      if (!this.#isHidden(at)) continue;
      const start = at;
      while (this.#isHidden(at + 1)) at += 1;
      found.push(String.fromCharCode(...this.#units.subarray(start, at + partLength)));
    }
    return found;
  }

  /** Whether a part begins here that is not open. */
  #isHidden(at: number): boolean {
    const state = this.#states[at];
    return at < this.#length && (state === hidden || state === pinned);
  }

  /** Adds the parts of a secret. @param pin whether they stay hidden when a text that contains secrets is {@link reveal}ed */
  add(secret: string, pin = false): void {
    if (secret.length < partLength) return;
    const from = this.#append(secret);
    this.#scan(this.#units, from, this.#length, (at, hash) => {
      const slot = this.#find(this.#units, at, hash);
      const known = this.#slots[slot] ?? 0;
      if (known !== 0) {
        if (!pin) return;
        this.#states[known - 1] = pinned;
        this.filter.add(this.#units, known - 1);
        return;
      }
      this.#slots[slot] = at + 1;
      this.#states[at] = pin ? pinned : isInsignificant(this.#units, at) ? open : hidden;
      if (this.#states[at] !== open) this.filter.add(this.#units, at);
      this.#count += 1;
      if (this.#count * 2 > this.#slots.length) this.#grow();
    });
    for (const { 0: line, index } of secret.matchAll(armor)) {
      this.#open(Math.max(from, from + index - partLength + 1), from + index + line.length);
    }
    for (const { 0: day, index } of secret.matchAll(date)) {
      this.#open(from + index, from + index + day.length - partLength + 1);
    }
  }

  /** Lets the parts that begin between two indexes be shown. */
  #open(from: number, to: number): void {
    for (let at = from; at < to; at += 1) if (this.#states[at] === hidden) this.#states[at] = open;
  }

  /**
   * Lets the parts that occur in a public text be shown.
   * @param pinnedToo including the pinned ones
   */
  reveal(units: Uint16Array, length: number, pinnedToo = false): void {
    this.#eachHidden(units, length, (_at, known) => {
      if (pinnedToo || this.#states[known - 1] === hidden) this.#states[known - 1] = open;
    });
  }

  /** Whether no part of a text is hidden: then a secret is not found by its parts. */
  isOpen(units: Uint16Array, length: number): boolean {
    return this.#scan(units, 0, length, (at, hash) => {
      const known = this.#slots[this.#find(units, at, hash)] ?? 0;
      return known === 0 || this.#states[known - 1] === open;
    });
  }

  /**
   * Finds the runs of adjoining parts of secrets in a text. A run whose parts may all be shown is left out; a run with a
   * single hidden part is reported whole, including what may be shown at its ends.
   */
  search(units: Uint16Array, length: number, found: (start: number, end: number) => void): void {
    let last = -1;
    this.#eachHidden(units, length, (at) => {
      if (at <= last) return;
      let start = at;
      while (this.#knownAt(units, length, start - 1) !== 0) start -= 1;
      last = at;
      while (this.#knownAt(units, length, last + 1) !== 0) last += 1;
      found(start, last + partLength);
    });
  }

  /** Calls `visit` for each part of a text that is not open, in order, with what is known there. */
  #eachHidden(units: Uint16Array, length: number, visit: (at: number, known: number) => void): void {
    // In a statement of its own: `+=` would forget the steps that are counted on the way.
    const places = this.filter.eachPlace(units, length, (at) => {
      const known = this.#knownAt(units, length, at);
      if (known !== 0 && this.#states[known - 1] !== open) visit(at, known);
    });
    this.#steps += places;
  }

  /** The part that begins at an index of a text: its own index, plus one; 0 when none does. */
  #knownAt(units: Uint16Array, length: number, at: number): number {
    if (at < 0 || at + partLength > length) return 0;
    let hash = 0;
    for (let index = at; index < at + partLength; index += 1) {
      hash = (Math.imul(hash, this.#factor) + (units[index] ?? 0)) | 0;
    }
    return this.#slots[this.#find(units, at, hash)] ?? 0;
  }

  /** Calls `visit` for each part of a text, with its hash, until one call returns false. Returns whether none did. */
  #scan(units: Uint16Array, from: number, to: number, visit: (at: number, hash: number) => unknown): boolean {
    if (to - from < partLength) return true;
    let hash = 0;
    for (let index = from; index < from + partLength - 1; index += 1) {
      hash = (Math.imul(hash, this.#factor) + (units[index] ?? 0)) | 0;
    }
    for (let at = from; at + partLength <= to; at += 1) {
      hash = (Math.imul(hash, this.#factor) + (units[at + partLength - 1] ?? 0)) | 0;
      if (visit(at, hash) === false) return false;
      hash = (hash - Math.imul(this.#leaving, units[at] ?? 0)) | 0;
    }
    return true;
  }

  /** The slot that holds a part, or the free one for it. */
  #find(units: Uint16Array, at: number, hash: number): number {
    const mask = this.#slots.length - 1;
    const spread = Math.imul(hash ^ (hash >>> 15), 0x9e3779b1);
    let slot = (spread ^ (spread >>> 13)) & mask;
    for (;;) {
      this.#steps += 1;
      const known = this.#slots[slot] ?? 0;
      if (known === 0 || this.#same(known - 1, units, at)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #same(mine: number, units: Uint16Array, at: number): boolean {
    for (let index = 0; index < partLength; index += 1) {
      if (this.#units[mine + index] !== units[at + index]) return false;
    }
    return true;
  }

  /** Adds the units of a text, and returns where they begin. */
  #append(text: string): number {
    const from = this.#length;
    const needed = from + text.length;
    if (needed > this.#units.length) {
      const size = Math.max(needed, 2 * this.#units.length);
      this.#units = enlarged(this.#units, new Uint16Array(size));
      this.#states = enlarged(this.#states, new Uint8Array(size));
    }
    for (let index = 0; index < text.length; index += 1) this.#units[from + index] = text.charCodeAt(index);
    this.#length = needed;
    return from;
  }

  /** Enlarges the table. Goes through the parts in order: random access to memory is much slower. */
  #grow(): void {
    this.#slots = new Int32Array(4 * this.#slots.length);
    this.filter.clear(Math.min(this.#slots.length, largestFilter));
    this.#scan(this.#units, 0, this.#length, (at, hash) => {
      const state = this.#states[at];
      if (state === 0) return;
      this.#slots[this.#find(this.#units, at, hash)] = at + 1;
      if (state !== open) this.filter.add(this.#units, at);
    });
  }
}

function enlarged<T extends Uint16Array | Uint8Array>(old: T, larger: T): T {
  larger.set(old);
  return larger;
}

/** Prose, rulers and indentation: only letters and spaces, fewer than four different characters, or mostly spaces. */
function isInsignificant(units: Uint16Array, at: number): boolean {
  let different = 0;
  let blanks = 0;
  let letters = 0;
  for (let index = at; index < at + partLength; index += 1) {
    const unit = units[index] ?? 0;
    if (unit <= 0x20) blanks += 1;
    if ((unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a) letters += 1;
    let before = at;
    while (units[before] !== unit) before += 1;
    if (before === index) different += 1;
  }
  return different < 4 || blanks > 3 || (blanks > 0 && blanks + letters === partLength);
}
