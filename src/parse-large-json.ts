import type { ParsedJson } from "./parse-json.js";

/** What comes next in the text, or what is being read. */
type Place =
  | "start"
  | "first-key"
  | "next-key"
  | "key"
  | "colon"
  | "before-value"
  | "value"
  | "list"
  | "after"
  | "end"
  | "whole"
  | "failed";

/** How much of a list is parsed at once, in UTF-16 units; at least one item. */
const batchLength = 65_536;

const [quote, comma, colon, openList, backslash, closeList, openObject, closeObject] = [
  34, 44, 58, 91, 92, 93, 123, 125,
];

/**
 * Reads JSON that comes in pieces. Of an object, only the text of one member is in memory, or of a few items of a member
 * that is a list. Gives the same value as `parseJson` does for the whole text, or the same problem.
 */
export class LargeJsonParser {
  readonly #deepest: number;
  readonly #members = new Map<string, unknown>();
  #place: Place = "start";
  /** Open brackets; counted to the end whatever is wrong with the rest, as `parseJson` does. */
  #depth = 0;
  #isTooDeep = false;
  #inString = false;
  /** Whether the piece before ended with a backslash. */
  #escaped = false;
  /** What earlier pieces had of the text that is being read. */
  #pending = "";
  #key = "";
  #list: unknown[] = [];
  #whole: unknown;
  /** Whether the text does not begin as an object. */
  #isWhole = false;
  #pieces = 0;
  /** Where in the piece it is. */
  #at = 0;
  /** The line of the first piece where the text stopped being JSON, from 1. */
  #flaw: number | null = null;

  /** @param deepest how deep values may be nested */
  constructor(deepest: number) {
    this.#deepest = deepest;
  }

  /** Reads the next piece of the text. */
  push(text: string): void {
    const failedBefore = this.#place === "failed";
    this.#pieces += text === "" ? 0 : 1;
    let from = 0;
    for (let at = 0; at < text.length && !this.#isTooDeep; at += 1) {
      if (this.#inString) {
        at = this.#endOfString(text, at);
        if (this.#inString || this.#place !== "key") continue;
        this.#at = at;
        this.#key = String(this.#parsed(this.#taken(text.slice(from, at + 1))));
        this.#go("colon");
        continue;
      }
      const code = text.charCodeAt(at);
      if (code === quote) this.#inString = true;
      else if (code === openList || code === openObject) {
        this.#depth += 1;
        this.#isTooDeep = this.#depth > this.#deepest;
      }
      if (this.#isReading()) {
        const length = at - from + this.#pending.length;
        if (this.#endsHere(code, length)) {
          this.#at = at;
          this.#finish(this.#taken(text.slice(from, at)), code);
          from = at + 1;
        }
      } else if (code !== 32 && code !== 10 && code !== 13 && code !== 9) {
        this.#at = at;
        this.#step(code);
        from = this.#place === "list" ? at + 1 : at;
      }
      if (code === closeList || code === closeObject) this.#depth -= 1;
    }
    if (this.#isReading() || this.#place === "key") this.#pending += text.slice(from);
    if (this.#place === "failed" && !failedBefore && this.#pieces === 1) {
      this.#flaw = text.slice(0, this.#at).split("\n").length;
    }
  }

  /** The value, when there is no more text. */
  end(): ParsedJson {
    if (this.#isTooDeep) return { problem: "depth" };
    this.#isWhole = this.#place === "whole";
    if (this.#isWhole) this.#whole = this.#parsed(this.#taken(""));
    if (this.#place === "whole") return { value: this.#whole };
    return this.#place === "end" ? { value: Object.fromEntries(this.#members) } : { problem: "syntax" };
  }

  /** What is wrong with a text that is not JSON, without a full stop, after {@link end}; `isCut`: it may have been JSON. */
  flaw(): { readonly why: string; readonly isCut: boolean } {
    if (this.#place === "start") return { why: "it is empty", isCut: true };
    if (this.#place !== "failed") {
      return { why: "it ends in the middle: it was cut off, or is still being written", isCut: true };
    }
    if (this.#isWhole) return { why: "it is not JSON", isCut: false };
    return { why: `it is not valid JSON${this.#flaw === null ? "" : `, at line ${this.#flaw}`}`, isCut: false };
  }

  #isReading(): boolean {
    return this.#place === "value" || this.#place === "list" || this.#place === "whole";
  }

  /** Whether a character ends the text that is being read, of a value or of items of a list. */
  #endsHere(code: number, length: number): boolean {
    if (this.#place === "whole" || this.#depth !== (this.#place === "list" ? 2 : 1)) return false;
    if (code === closeList || code === closeObject) return true;
    return code === comma && (this.#place === "value" || length >= batchLength);
  }

  /** @param code what ended the text: a comma or a closing bracket */
  #finish(text: string, code: number): void {
    if (this.#place === "value") {
      this.#members.set(this.#key, this.#parsed(text));
      this.#go(code === comma ? "next-key" : code === closeObject ? "end" : "failed");
      return;
    }
    const items = this.#parsed(`[${text}]`);
    const isEmpty = !Array.isArray(items) || items.length === 0;
    // Only a list without any items has nothing between its brackets.
    if (isEmpty && (code === comma || this.#list.length > 0)) this.#go("failed");
    if (Array.isArray(items)) for (const item of items) this.#list.push(item);
    if (code === comma) return;
    this.#members.set(this.#key, this.#list);
    this.#list = [];
    this.#go(code === closeList ? "after" : "failed");
  }

  /** Takes a character between names and values. */
  #step(code: number): void {
    switch (this.#place) {
      case "start":
        return this.#go(code === openObject ? "first-key" : "whole");
      case "first-key":
        return this.#go(code === quote ? "key" : code === closeObject ? "end" : "failed");
      case "next-key":
        return this.#go(code === quote ? "key" : "failed");
      case "colon":
        return this.#go(code === colon ? "before-value" : "failed");
      case "before-value":
        if (code === comma || code === closeList || code === closeObject) return this.#go("failed");
        return this.#go(code === openList ? "list" : "value");
      case "after":
        return this.#go(code === comma ? "next-key" : code === closeObject ? "end" : "failed");
      default:
        return this.#go("failed");
    }
  }

  #go(place: Place): void {
    if (this.#place !== "failed") this.#place = place;
  }

  #taken(text: string): string {
    const whole = this.#pending + text;
    this.#pending = "";
    return whole;
  }

  #parsed(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      this.#go("failed");
      return null;
    }
  }

  /** The index of the quote that ends the string, or the length of the text when it doesn't end there. */
  #endOfString(text: string, from: number): number {
    let at = this.#escaped ? from + 1 : from;
    this.#escaped = false;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === backslash) {
        at += 1;
        this.#escaped = at === text.length;
      } else if (code === quote) {
        this.#inString = false;
        return at;
      }
    }
    return text.length;
  }
}
