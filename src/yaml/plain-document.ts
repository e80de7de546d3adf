import type { Json } from "../json.js";
import {
  Declined,
  type PlainRead,
  decline,
  flowCollection,
  isTextKey,
  plainValue,
  quotedScalar,
} from "./plain-values.js";

/** Characters without special treatment: no tabs, carriage returns, invisible characters or surrogates. */
const harmless = /^[\n\x20-\x7e\u00a1-\u00ac\u00ae-\u05ff\u2010-\u2027\u2030-\u205e\u20a0-\u2fff\u3001-\ud7ff]*$/;

/** A longer document might exceed the limits, which only the library's reader checks. */
const longest = 100_000;

/** Deeper nesting is left to the library's reader, which checks the limit. */
const deepest = 40;

/** A block key and its colon. */
const blockKey = /([A-Za-z_][\w./-]*):(?=[ \n]|$)/y;

/** The header of a literal block. */
const literalHeader = /\|(-?) *(?: #[^\n]*)?(?=\n)/y;

/** The value of a plain document, and its place. */
export interface PlainDocument {
  readonly value: Json;
  /** Offsets of the line of the first value, and of that value. */
  readonly line: number;
  readonly content: number;
}

/**
 * Reads a document in the plain subset of YAML: block maps and lists, scalars and brackets that end on their line,
 * literal blocks, comments. Returns null for anything else, and for any mistake: then the YAML library reads it, which
 * is several times slower and knows everything. For all that this accepts, the library gives the same value.
 * @param from the start of the document, after its `---`
 */
export function readPlain(text: string, from: number, to: number): PlainDocument | "empty" | null {
  const source = text.slice(from, to);
  if (source.length > longest || !harmless.test(source)) return null;
  try {
    const reader = new PlainReader(source);
    if (reader.ended) return "empty";
    const { first, line } = reader;
    return { value: reader.document(), line: from + line, content: from + first };
  } catch (error) {
    if (error instanceof Declined) return null;
    throw error;
  }
}

/** Reads a document line by line. `first` is the next offset to read: the first letter of a line, or what follows a dash. */
class PlainReader {
  line = 0;
  first = 0;
  ended = false;
  #stop = -1;
  #column = 0;
  #depth = 0;

  constructor(readonly text: string) {
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
      blockKey.lastIndex = this.first;
      const key = blockKey.exec(this.text)?.[1];
      if (key === undefined || !isTextKey(key, value)) return decline();
      value[key] = this.#value(this.first + key.length + 1, column, true);
    }
    return this.#column > column ? decline() : value;
  }

  #list(): Json {
    const column = this.#column;
    const value: Json[] = [];
    while (this.#column === column && this.#isItem()) {
      const at = this.#skipSpaces(this.first + 1);
      blockKey.lastIndex = at;
      if (at < this.#stop && blockKey.test(this.text)) {
        // A map beside the dash has the column of its first key.
        this.#column += at - this.first;
        this.first = at;
        value.push(this.#block());
      } else value.push(this.#value(at, column, false));
    }
    return this.#column > column ? decline() : value;
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
    if (first === 124) return this.#literal(at, column);
    const read = this.#inline(at, first);
    this.#advance();
    // A continued value, or a mistake.
    return this.#column > column ? decline() : read;
  }

  #inline(at: number, first: number): Json {
    let read: PlainRead;
    if (first === 34 || first === 39) read = quotedScalar(this.text, at, this.#stop);
    else if (first === 91 || first === 123) read = flowCollection(this.text, at, this.#stop);
    else return this.#plain(at);
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

  /** The text of a literal block (`|` or `|-`) below a key or dash at `column`. */
  #literal(at: number, column: number): Json {
    const { text } = this;
    literalHeader.lastIndex = at;
    const strip = literalHeader.exec(text)?.[1];
    if (strip === undefined) return decline();
    const lines: string[] = [];
    let indent = 0;
    for (let start = this.#stop + 1; start < text.length; start = this.#stop + 1) {
      const first = this.#skipSpaces(start);
      const end = text.indexOf("\n", first);
      if (end === -1) return decline();
      if (first === end) {
        // A blank line: spaces beyond the indentation are content, but before the first line it is not known.
        if (indent === 0 || first - start > indent) return decline();
        lines.push("");
      } else {
        if (indent === 0) indent = first - start;
        if (indent <= column) return decline();
        if (first - start < indent) break;
        lines.push(text.slice(start + indent, end));
      }
      this.#stop = end;
    }
    if (indent === 0) return decline();
    this.#advance();
    if (this.#column > column) return decline();
    while (lines.at(-1) === "") lines.pop();
    return lines.join("\n") + (strip === "" ? "\n" : "");
  }

  #skipSpaces(from: number): number {
    let at = from;
    while (this.text.charCodeAt(at) === 32) at++;
    return at;
  }
}
