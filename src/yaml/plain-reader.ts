import type { Json } from "../core/json.js";
import type { ParsedDocument } from "./parsed-file.js";

/** Tabs, carriage returns, other blanks and invisible characters are left to the YAML library. */
const harmful = /[^\n\x20-\x7e\p{L}\p{M}\p{N}\p{P}\p{S}\u200d\u{10000}-\u{10ffff}]/u;

/** A line that only begins a document. */
const documentStart = /---(?: *| +#.*)(?:\n|$)/y;

/** Beyond these the library checks the limits. */
const longestDocument = 100_000;
const deepest = 40;

/**
 * Reads a file of plain documents: block maps and lists, texts and brackets that end on their line, literal blocks,
 * comments. Null for anything else and any mistake: then the library reads it, several times slower, to the same values.
 */
export function readPlain(text: string): readonly ParsedDocument[] | null {
  if (harmful.test(text) || /^(?:%|\.\.\.)/mu.test(text)) return null;
  const documents: ParsedDocument[] = [];
  try {
    for (let start = 0, end; start < text.length; start = end) {
      end = text.indexOf("\n---", start) + 1 || text.length;
      documentStart.lastIndex = start;
      const isMarked = documentStart.test(text);
      if ((!isMarked && text.startsWith("---", start)) || end - start > longestDocument) return null;
      const from = isMarked ? documentStart.lastIndex : start;
      const reader = new BlockReader(text.slice(from, end).split("\n"));
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

/** One for all: a stack trace for each would be slow. */
const declined = new Error("not a plain document");

function decline(): never {
  throw declined;
}

/** A key and its colon. The library reports keys of more than 1024 characters. */
const blockKey = /^([A-Za-z_\u00a1-\uffff][\w./\u00a1-\uffff-]{0,999}):(?= |$)/;

class BlockReader {
  /** Where the current line's text begins; -1 = the document has ended. */
  column = -1;
  /** Without its indentation. */
  #text = "";
  #line = -1;
  #depth = 0;

  constructor(private readonly lines: readonly string[]) {
    this.#next();
  }

  /** The offset of the current line. */
  get offset(): number {
    return this.lines.slice(0, this.#line).reduce((sum, line) => sum + line.length + 1, 0);
  }

  document(): Json {
    const value = this.#block();
    return this.column === -1 ? value : decline();
  }

  /** Goes to the next line that is neither blank nor a comment. */
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
      if (found === undefined || key === undefined || !isNewKey(key, value)) return decline();
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
    const value = text.startsWith("|") ? this.#literal(text, column) : inline(text);
    this.#next();
    // A continued value, or a mistake.
    return this.column > column ? decline() : value;
  }

  /** The text below `|` or `|-`. */
  #literal(header: string, column: number): string {
    const [, chomping] = /^\|(-?) *(?: #.*)?$/.exec(header) ?? [];
    const lines: string[] = [];
    let indent = 0;
    let at = this.#line + 1;
    for (; at < this.lines.length; at++) {
      const line = this.lines[at] ?? "";
      const first = line.search(/[^ ]/);
      if (first === -1) {
        // Spaces beyond the indentation are content, but before the first line it is not known.
        if ((indent === 0 && at < this.lines.length - 1) || line.length > indent) return decline();
        lines.push("");
        continue;
      }
      indent ||= first;
      // The library decides what a last line without its end is.
      if (indent <= column || at === this.lines.length - 1) return decline();
      if (first < indent) break;
      lines.push(line.slice(indent));
    }
    this.#line = at - 1;
    const text = lines.slice(0, lines.findLastIndex((line) => line !== "") + 1).join("\n");
    if (chomping === undefined || text === "") return decline();
    return chomping === "-" ? text : `${text}\n`;
  }
}

function isItem(text: string): boolean {
  return text === "-" || text.startsWith("- ");
}

/** A value on one line; a comment may follow. */
function inline(text: string): Json {
  if (/^["'[{]/.test(text)) {
    const reader = new FlowReader(text);
    const value = reader.value();
    return /^(?: *$| +#)/.test(text.slice(reader.at)) ? value : decline();
  }
  const comment = text.indexOf(" #");
  const bare = (comment === -1 ? text : text.slice(0, comment)).trimEnd();
  return /^[?:,\]}#&*!|>%@`=<]|^-(?: |$)|:(?: |$)/.test(bare) ? decline() : plainValue(bare);
}

/** Much less than YAML allows inside brackets, but all that manifests need. */
const flowText =
  /(?:[\w$/.\u00a1-\uffff]|-(?=[\w\u00a1-\uffff]))(?:[\w$/.+=@%~;()*\u00a1-\uffff-]|:(?=[\w/.\u00a1-\uffff])| (?=[\w/.$(\u00a1-\uffff]))*/y;

const flowKey = /([A-Za-z_\u00a1-\uffff][\w./\u00a1-\uffff-]*): +/y;

class FlowReader {
  at = 0;

  constructor(private readonly text: string) {}

  value(depth = 0): Json {
    const first = this.text[this.at];
    if (depth > deepest) return decline();
    if (first === "[" || first === "{") return this.#collection(first === "[" ? "]" : "}", depth);
    if (first === '"' || first === "'") return this.#quoted(first);
    return plainValue(this.#take(flowText)[0]);
  }

  #quoted(quote: string): string {
    const close = this.text.indexOf(quote, this.at + 1);
    const value = this.text.slice(this.at + 1, close);
    // Escapes are left to the library.
    if (close === -1 || this.text[close + 1] === quote || (quote === '"' && value.includes("\\"))) return decline();
    this.at = close + 1;
    return value;
  }

  #collection(close: string, depth: number): Json {
    const list: Json[] = [];
    const map: { [member: string]: Json } = {};
    this.#skip(1);
    while (this.text[this.at] !== close) {
      if (close === "]") list.push(this.value(depth + 1));
      else {
        const [, key = ""] = this.#take(flowKey);
        if (!isNewKey(key, map)) return decline();
        map[key] = this.value(depth + 1);
      }
      this.#skip(0);
      if (this.text[this.at] === ",") this.#skip(1);
      else if (this.text[this.at] !== close) decline();
    }
    this.at++;
    return close === "]" ? list : map;
  }

  #skip(characters: number): void {
    this.at += characters;
    while (this.text[this.at] === " ") this.at++;
  }

  #take(pattern: RegExp): RegExpExecArray {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text) ?? decline();
    this.at = pattern.lastIndex;
    return found;
  }
}

/** Words that are not text in the core schema of YAML 1.2. */
const nulls = ["null", "Null", "NULL", "~"];
const booleans = ["true", "True", "TRUE", "false", "False", "FALSE"];

/** A text without quotes. Numbers other than JSON integers are left to the library. */
function plainValue(text: string): Json {
  if (/^[-+.\d]/.test(text)) {
    if (/^(?:0|-?[1-9]\d{0,14})$/.test(text)) return Number(text);
    return /^[-+]?\.?\d[\d.eE+-]*$|^0[box]|^[-+]?\.(?:inf|nan)/i.test(text) ? decline() : text;
  }
  if (text.length > 5) return text;
  return nulls.includes(text) ? null : booleans.includes(text) ? text.toLowerCase() === "true" : text;
}

/** The library reports the others. */
function isNewKey(key: string, known: { readonly [member: string]: Json }): boolean {
  return key !== "__proto__" && !Object.hasOwn(known, key) && typeof plainValue(key) === "string";
}
