import type { Json } from "../../core/json.js";
import { limits } from "../../core/limits.js";
import { blockScalar } from "./block-scalar.js";
import {
  Declined,
  type PlainRead,
  decline,
  flowCollection,
  isNewKey,
  isQuote,
  isText,
  longestKey,
  plainValue,
  quotedScalar,
} from "./plain-values.js";

/**
 * Whatever else may be in a text than letters, marks, digits, punctuation and symbols of any script: tabs, carriage
 * returns, spaces of other kinds, what is invisible (but for the joiner inside of emoji), and half surrogate pairs.
 */
const harmful = /[^\n\x20-\x7e\p{L}\p{M}\p{N}\p{P}\p{S}\u200d\u{10000}-\u{10ffff}]/u;

/** A document of so many characters can't exceed {@link limits.yamlTokens}: there are at most two tokens for each. */
const tooShortToCount = Math.floor((limits.yamlTokens - 1) / 2);

/** Deeper nesting is left to the library's reader, which checks the limit. */
const deepest = 40;

/** A block key and its colon. The library reports keys of more than 1024 characters. */
const blockKey = /[A-Za-z_\u00a1-\uffff][\w./\u00a1-\uffff-]{0,999}:(?=[ \n]|$)/y;

/**
 * The most tokens on one line outside of brackets: indentation, dash, space, key (two), colon, space, value (two), space,
 * comment, line break.
 */
const tokensOfLine = 12;

/** The value of a plain document, and its place. */
export interface PlainDocument {
  readonly value: Json;
  /** Offsets of the line of the first value, and of that value. */
  readonly line: number;
  readonly content: number;
}

/**
 * Reads a document in the plain subset of YAML: block maps and lists, scalars and brackets that end on their line,
 * literal and folded blocks, comments. Returns null for anything else, and for any mistake: then the YAML library reads
 * it, which is several times slower and knows everything. For all that this accepts, the library gives the same value.
 * @param from the start of the document, after its `---`
 */
export function readPlain(text: string, from: number, to: number): PlainDocument | "empty" | null {
  const source = text.slice(from, to);
  // Values have no carriage returns before line breaks, so they are read without.
  const unix = source.includes("\r") ? source.replaceAll("\r\n", "\n") : source;
  if (harmful.test(unix)) return null;
  try {
    const reader = new PlainReader(unix);
    if (reader.ended) return "empty";
    const { first, line } = reader;
    const before = unix === source ? 0 : returnsBefore(source, line);
    return { value: reader.document(), line: from + line + before, content: from + first + before };
  } catch (error) {
    if (error instanceof Declined) return null;
    throw error;
  }
}

/** The number of carriage returns before a line. @param line its offset in the same text without them */
function returnsBefore(source: string, line: number): number {
  let count = 0;
  for (let at = source.indexOf("\r"); at !== -1 && at - count < line; at = source.indexOf("\r", at + 1)) count++;
  return count;
}

/** Reads a document line by line. `first` is the next offset to read: the first letter of a line, or what follows a dash. */
class PlainReader {
  line = 0;
  first = 0;
  ended = false;
  #stop = -1;
  #column = 0;
  #afterKey = 0;
  #depth = 0;
  #tokens = 1;
  readonly #countsTokens: boolean;

  constructor(readonly text: string) {
    this.#countsTokens = text.length > tooShortToCount;
    this.#advance();
  }

  document(): Json {
    const value = this.#block();
    return this.ended ? value : decline();
  }

  /** Goes to the next line that is neither blank nor a comment. */
  #advance(): void {
    const { text } = this;
    let start = this.#stop + 1;
    for (; start < text.length; start = this.#stop + 1) {
      let first = start;
      while (text.charCodeAt(first) === 32) first++;
      const end = text.indexOf("\n", first);
      this.#stop = end === -1 ? text.length : end;
      this.#spend(tokensOfLine);
      if (first === this.#stop || text.charCodeAt(first) === 35) continue;
      this.line = start;
      this.first = first;
      this.#column = first - start;
      return;
    }
    this.ended = true;
    this.#column = -1;
  }

  /** The map or list that begins here. */
  #block(): Json {
    if (++this.#depth > deepest) return decline();
    const value = this.#isItem() ? this.#list() : this.#map();
    this.#depth--;
    return value;
  }

  #isItem(): boolean {
    const next = this.text.charCodeAt(this.first + 1);
    return this.text.charCodeAt(this.first) === 45 && (next === 32 || next === 10 || this.first + 1 === this.#stop);
  }

  #map(): Json {
    const column = this.#column;
    const value: { [member: string]: Json } = {};
    while (this.#column === column && !this.#isItem()) {
      const key = this.#key(this.first);
      if (key === null || !isNewKey(key, value)) return decline();
      value[key] = this.#value(this.#afterKey, column, true);
    }
    return this.#column > column ? decline() : value;
  }

  #list(): Json {
    const column = this.#column;
    // Most lists have one item; one that begins empty takes room for 17.
    const value: Json[] = [this.#item(column)];
    while (this.#column === column && this.#isItem()) value.push(this.#item(column));
    return this.#column > column ? decline() : value;
  }

  /** The item that begins here. @param column of its dash */
  #item(column: number): Json {
    const at = this.#skipSpaces(this.first + 1);
    if (at === this.#stop || this.#key(at) === null) return this.#value(at, column, false);
    // A map beside the dash has the column of its first key.
    this.#column += at - this.first;
    this.first = at;
    return this.#block();
  }

  /** The key that begins here, after whose colon is `#afterKey`; null when there is none. */
  #key(at: number): string | null {
    const { text } = this;
    if (isQuote(text.charCodeAt(at))) {
      const { after, value } = quotedScalar(text, at, this.#stop);
      if (text.charCodeAt(after) !== 58 || !(after + 1 === this.#stop || text.charCodeAt(after + 1) === 32))
        return null;
      this.#afterKey = after + 1;
      return after - at > longestKey ? decline() : value;
    }
    blockKey.lastIndex = at;
    if (!blockKey.test(text)) return null;
    this.#afterKey = blockKey.lastIndex;
    const key = text.slice(at, blockKey.lastIndex - 1);
    return isText(key) ? key : decline();
  }

  /**
   * The value after a key's colon or a dash, on the same line or below; then goes to the next line.
   * @param column of the key or dash
   * @param ofKey whether a list may begin below at the same column
   */
  #value(from: number, column: number, ofKey: boolean): Json {
    const { text } = this;
    const at = this.#skipSpaces(from);
    const first = text.charCodeAt(at);
    if (at === this.#stop || first === 35) {
      this.#advance();
      if (this.#column > column || (ofKey && this.#column === column && this.#isItem())) return this.#block();
      // The library decides where a document with an empty last value ends.
      return this.ended ? decline() : null;
    }
    if (first === 124 || first === 62) {
      const { stop, value } = blockScalar(text, at, this.#stop, column);
      this.#stop = stop;
      this.#advance();
      return this.#column > column ? decline() : value;
    }
    const read = this.#inline(at, first);
    this.#advance();
    // A continued value, or a mistake.
    return this.#column > column ? decline() : read;
  }

  #inline(at: number, first: number): Json {
    let read: PlainRead;
    if (isQuote(first)) read = quotedScalar(this.text, at, this.#stop);
    else if (first === 91 || first === 123) {
      read = flowCollection(this.text, at, this.#stop);
      // Each text in brackets has two tokens, and at least one character beside it.
      this.#spend(Math.ceil((read.after - at) * 1.5) + 1);
    } else return this.#plain(at);
    const after = this.#skipSpaces(read.after);
    if (after < this.#stop && (after === read.after || this.text.charCodeAt(after) !== 35)) return decline();
    return read.value;
  }

  /** A plain scalar to the end of the line or its comment. */
  #plain(at: number): Json {
    const { text } = this;
    if ("?:,[]{}#&*!|>'\"%@`=<".includes(text[at] ?? "?") || this.#startsWithDash(at)) return decline();
    let end = this.#stop;
    for (let here = at; here < this.#stop; here++) {
      const code = text.charCodeAt(here);
      if (code === 58 && (here + 1 === this.#stop || text.charCodeAt(here + 1) === 32)) return decline();
      if (code === 35 && text.charCodeAt(here - 1) === 32) {
        end = here;
        break;
      }
    }
    while (text.charCodeAt(end - 1) === 32) end--;
    return plainValue(text.slice(at, end));
  }

  #startsWithDash(at: number): boolean {
    return this.text.charCodeAt(at) === 45 && (at + 1 === this.#stop || this.text.charCodeAt(at + 1) === 32);
  }

  #spend(tokens: number): void {
    this.#tokens += tokens;
    if (this.#countsTokens && this.#tokens > limits.yamlTokens) decline();
  }

  #skipSpaces(from: number): number {
    let at = from;
    while (this.text.charCodeAt(at) === 32) at++;
    return at;
  }
}
