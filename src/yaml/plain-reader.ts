import type { Json } from "../core/json.js";
import type { ParsedDocument, ParsedFile } from "./parsed-file.js";

/** Tabs, carriage returns, odd blanks, and what is invisible. */
const harmful = /[^\n\x20-\x7e\p{L}\p{M}\p{N}\p{P}\p{S}\u200d\u{10000}-\u{10ffff}]/u;

const documentStart = /---(?: *| +#.*)(?:\n|$)/y;

/** Beyond these the library checks the limits. */
const longestDocument = 100_000;
const deepest = 40;

type Library = (text: string) => ParsedFile;

/**
 * Reads the block maps and lists of plain documents, and leaves odd values to the library: much faster than the library alone.
 * Null for anything else and any mistake: then the library reads the whole file, to the same values.
 */
export function readPlain(text: string, library: Library): readonly ParsedDocument[] | null {
  if (harmful.test(text) || /^(?:%|\.\.\.)/mu.test(text)) return null;
  const documents: ParsedDocument[] = [];
  try {
    for (let start = 0, end; start < text.length; start = end) {
      end = text.indexOf("\n---", start) + 1 || text.length;
      documentStart.lastIndex = start;
      const isMarked = documentStart.test(text);
      if ((!isMarked && text.startsWith("---", start)) || end - start > longestDocument) return null;
      const from = isMarked ? documentStart.lastIndex : start;
      const reader = new BlockReader(text.slice(from, end).split("\n"), library);
      if (reader.column === -1) continue;
      const line = from + reader.offset;
      const content = line + reader.column;
      documents.push({ value: reader.document(), start: isMarked ? start : line, end, content });
    }
  } catch (error) {
    if (error === declined) return null;
    throw error;
  }
  return documents;
}

/** One for all: stack traces are slow. */
const declined = new Error("not a plain document");

function decline(): never {
  throw declined;
}

/** The library reports keys of more than 1024 characters. */
const blockKey = /^([A-Za-z_\u00a1-\uffff][\w./\u00a1-\uffff-]{0,999}):(?= |$)/;

class BlockReader {
  /** Of the current line's text; -1 = the document has ended. */
  column = -1;
  #text = "";
  #line = -1;
  #depth = 0;

  constructor(
    private readonly lines: readonly string[],
    private readonly library: Library,
  ) {
    this.#next();
  }

  get offset(): number {
    return this.lines.slice(0, this.#line).reduce((sum, line) => sum + line.length + 1, 0);
  }

  document(): Json {
    const value = this.#block();
    return this.column === -1 ? value : decline();
  }

  #next(): void {
    this.column = -1;
    while (this.column === -1 && ++this.#line < this.lines.length) {
      const line = this.lines[this.#line] ?? "";
      const first = line.search(/[^ ]/);
      if (first === -1 || line[first] === "#") continue;
      this.column = first;
      this.#text = line.slice(first);
    }
  }

  #block(): Json {
    if (++this.#depth > deepest) return decline();
    const { column } = this;
    const value = isItem(this.#text) ? this.#list(column) : this.#map(column);
    this.#depth--;
    return this.column > column ? decline() : value;
  }

  #map(column: number): Json {
    const value: { [member: string]: Json } = {};
    while (this.column === column && !isItem(this.#text)) {
      const [found, key] = blockKey.exec(this.#text) ?? [];
      // The library reports the others.
      const isNew = key !== undefined && key !== "__proto__" && !words.test(key) && !Object.hasOwn(value, key);
      if (found === undefined || !isNew) return decline();
      value[key] = this.#value(this.#text.slice(found.length).trimStart(), column, true);
    }
    return value;
  }

  #list(column: number): Json {
    const value: Json[] = [];
    while (this.column === column && isItem(this.#text)) {
      const rest = this.#text.slice(1).trimStart();
      if (!blockKey.test(rest)) value.push(this.#value(rest, column, false));
      else {
        // A map beside the dash has the column of its first key.
        this.column += this.#text.length - rest.length;
        this.#text = rest;
        value.push(this.#block());
      }
    }
    return value;
  }

  /** The value after a key's colon or a dash. Below a key, a list may begin at the same column. */
  #value(text: string, column: number, ofKey: boolean): Json {
    if (text === "" || text.startsWith("#")) {
      this.#next();
      if (this.column > column || (ofKey && this.column === column && isItem(this.#text))) return this.#block();
      // The library decides where a document with an empty last value ends.
      return this.column === -1 ? decline() : null;
    }
    const value = simple(text) ?? this.#odd(text, column);
    this.#next();
    return this.column > column ? decline() : value;
  }

  /** A value that the library reads. It counts aliases and levels by the document. */
  #odd(text: string, column: number): Json {
    if (/^[&!]|^[[{].*&|^[|>][-+]?\d/.test(text) || hasManyBrackets(text)) return decline();
    const lines = [text];
    if (/^[|>]/.test(text)) {
      for (let line; (line = this.lines[this.#line + 1]) !== undefined; this.#line++) {
        const first = line.search(/[^ ]/);
        if (first !== -1 && first <= column) break;
        lines.push(line);
      }
    }
    const end = this.#line === this.lines.length - 1 ? "" : "\n";
    const { documents, problems } = this.library(`x: ${lines.join("\n")}${end}`);
    const [document] = documents;
    return document === undefined || problems.length > 0 ? decline() : (document.value as { readonly x: Json }).x;
  }
}

function isItem(text: string): boolean {
  return text === "-" || text.startsWith("- ");
}

function hasManyBrackets(text: string): boolean {
  return text.split(/[[{]/).length > 20;
}

/** Words that are no text, in any case. */
const words = /^(?:null|true|false)$/i;

/** A text on one line that YAML reads as it stands; a comment may follow. */
const plainText = /^([A-Za-z](?:[\w./-]|:(?=[\w/])| (?=\w))*)(?: *| +#.*)$/;
const quotedText = /^(?:"([^"\\]*)"|'([^']*)')(?: *| +#.*)$/;

const flowToken = /"[^"\\]*"|[A-Za-z][\w./-]*(?: [A-Za-z][\w./-]*)*|-?[1-9]\d{0,14}| *[[\]{},] *| *: +|./g;

/** What is JSON once its words have quotes; undefined = YAML may read it otherwise. */
function simple(text: string): Json | undefined {
  const plain = plainText.exec(text)?.[1];
  if (plain !== undefined) return words.test(plain) ? undefined : plain;
  const [quoted, double, single] = quotedText.exec(text) ?? [];
  if (quoted !== undefined) return double ?? single;
  if (hasManyBrackets(text) || text.includes("__proto__")) return undefined;
  const json = text.replaceAll(flowToken, (token) => {
    if (/^(?:".*"|-?\d+)$/.test(token) || words.test(token)) return token;
    return /^[A-Za-z]/.test(token) ? `"${token}"` : /[[\]{},:] *$/.test(token) ? token.trim() : "?";
  });
  try {
    const value = JSON.parse(json) as Json;
    // Otherwise a member stands there twice.
    return JSON.stringify(value) === json ? value : undefined;
  } catch {
    return undefined;
  }
}
