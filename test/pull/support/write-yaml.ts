import { type Value, isObject } from "../../../src/core/json.ts";

/** A small generator of numbers (mulberry32): the style of a document hangs on nothing but its seed. */
export function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
}

/** What makes documents hard to edit. */
interface Habits {
  readonly json: boolean;
  readonly anchors: boolean;
  readonly tags: boolean;
}

/** Writes a manifest in every style that YAML has, by chance. */
export class YamlWriter {
  readonly #roll: (sides: number) => number;
  readonly #step: number;
  readonly #listsIndented: boolean;
  readonly #habits: Habits;
  readonly #anchors = new Map<string, string>();
  /** By field of the spec: its source, with the comments in it and beside it. */
  readonly fields = new Map<string, string>();
  #comments = 0;

  constructor(seed: number, habits: Habits) {
    this.#roll = dice(seed);
    this.#step = 1 + this.#roll(8);
    this.#listsIndented = this.#chance(50);
    this.#habits = habits;
  }

  /** @param top written as the fields of the document, `spec` among them */
  document(top: { readonly [member: string]: Value }): string {
    if (this.#habits.json)
      return `${JSON.stringify(top, null, this.#chance(25) ? "\t" : this.#roll(3) * 2 || undefined)}\n`;
    if (this.#chance(10)) return `${this.#comment(0)}${this.#flow(top, 0, [])}\n`;
    return `${this.#comment(0)}${this.#map(top, 0, [])}`;
  }

  #chance(percent: number): boolean {
    return this.#roll(100) < percent;
  }

  /** A comment on a line of its own, or nothing. */
  #comment(indent: number): string {
    const blank = this.#chance(8) ? "\n" : "";
    if (!this.#chance(20)) return blank;
    return `${blank}${" ".repeat(indent)}# c${++this.#comments} - a: [b]\n`;
  }

  /** A comment beside something, or nothing; ends the line. */
  #beside(): string {
    return this.#chance(20)
      ? `${" ".repeat(1 + this.#roll(3))}# c${++this.#comments} {x}\n`
      : this.#chance(5)
        ? "  \n"
        : "\n";
  }

  #entries(value: { readonly [member: string]: Value }): [string, Value][] {
    const entries = Object.entries(value);
    for (let at = entries.length - 1; at > 0; at--) {
      const other = this.#roll(at + 1);
      const [a, b] = [entries[at], entries[other]];
      if (a !== undefined && b !== undefined) [entries[at], entries[other]] = [b, a];
    }
    return entries;
  }

  /** A block map; each line is ended. */
  #map(value: { readonly [member: string]: Value }, indent: number, path: readonly string[]): string {
    let text = "";
    for (const [name, part] of this.#entries(value)) {
      const above = this.#comment(indent);
      const source = this.#member(name, part, indent, [...path, name]);
      if (path.length === 1 && path[0] === "spec") this.fields.set(name, source);
      text += above + source;
    }
    return text;
  }

  #member(name: string, value: Value, indent: number, path: readonly string[]): string {
    const key = this.#key(name);
    if (this.#chance(4))
      return `${" ".repeat(indent)}? ${key}\n${" ".repeat(indent)}:${this.#node(value, indent, path, false)}`;
    return `${" ".repeat(indent)}${key}${this.#chance(5) ? " " : ""}:${this.#node(value, indent, path, false)}`;
  }

  #key(name: string): string {
    const dice = this.#roll(12);
    if (!/^[a-z][\w-]*$/iu.test(name)) return JSON.stringify(name);
    return dice === 0 ? `"${name}"` : dice === 1 ? `'${name}'` : name;
  }

  /** What follows a colon or dash, with the end of its line. */
  #node(value: Value, indent: number, path: readonly string[], afterDash: boolean): string {
    const lead = afterDash || this.#chance(95) ? " " : "   ";
    const known = JSON.stringify(value);
    const anchor = this.#anchors.get(known);
    if (anchor !== undefined && path[0] === "spec" && this.#chance(50)) return `${lead}*${anchor}${this.#beside()}`;
    let props = "";
    if (this.#habits.anchors && path[0] === "spec" && path.length > 1 && this.#chance(12)) {
      const name = `n${this.#anchors.size}`;
      props = `${lead}&${name}`;
      const written = this.#valueNode(value, indent, path, props === "" ? lead : " ");
      // Only now: nothing inside of it may refer to it.
      this.#anchors.set(known, name);
      return props + written;
    }
    return this.#valueNode(value, indent, path, lead);
  }

  #valueNode(value: Value, indent: number, path: readonly string[], lead: string): string {
    if (Array.isArray(value) || isObject(value)) {
      const empty = Object.keys(value).length === 0;
      if (empty || this.#chance(path.length < 2 ? 8 : 40))
        return `${lead}${this.#flow(value, indent + this.#step, path)}${this.#beside()}`;
      const head = this.#beside();
      if (Array.isArray(value)) return head + this.#list(value, indent + (this.#listsIndented ? this.#step : 0), path);
      return head + this.#map(value as { [m: string]: Value }, indent + this.#step, path);
    }
    const block = typeof value === "string" && this.#chance(25) ? this.#block(value, indent) : null;
    return block === null ? `${lead}${this.#scalar(value, false, path)}${this.#beside()}` : lead + block;
  }

  #list(items: readonly Value[], indent: number, path: readonly string[]): string {
    let text = "";
    for (const item of items) {
      text += this.#comment(indent);
      const dash = `${" ".repeat(indent)}-`;
      if (isObject(item) && Object.keys(item).length > 0 && this.#chance(50)) {
        const inner = this.#map(item as { [m: string]: Value }, indent + 2, [...path, "-"]);
        const [first = ""] = inner.split("\n");
        text +=
          first.startsWith(" ".repeat(indent + 2)) && !first.trimStart().startsWith("#")
            ? `${dash} ${inner.slice(indent + 2)}`
            : `${dash}\n${inner}`;
      } else text += dash + this.#node(item, indent, [...path, "-"], true);
    }
    return text;
  }

  #flow(value: Value, indent: number, path: readonly string[]): string {
    const isList = Array.isArray(value);
    if (!isList && !isObject(value)) return this.#scalar(value, true, path);
    const pad = (): string => (this.#chance(30) ? " ".repeat(1 + this.#roll(2)) : "");
    const parts = isList
      ? (value as readonly Value[]).map((item) => this.#flow(item, indent + this.#step, [...path, "-"]))
      : this.#entries(value as { [m: string]: Value }).map(([name, part]) => {
          const [before, after] = [this.#chance(10) ? "  " : "", this.#chance(10) ? "   " : " "];
          const source = `${this.#key(name)}${before}:${after}${this.#flow(part, indent + this.#step, [...path, name])}`;
          if (path.length === 1 && path[0] === "spec") this.fields.set(name, source);
          return source;
        });
    const [open, close] = isList ? ["[", "]"] : ["{", "}"];
    if (parts.length === 0) return open + pad() + close;
    if (this.#chance(70)) {
      const row = parts.map((part, at) => (at === 0 ? part : `${pad()},${pad() || " "}${part}`)).join("");
      return `${open}${pad()}${row}${this.#chance(10) ? `${pad()},` : ""}${pad()}${close}`;
    }
    const inside = " ".repeat(indent + 1);
    const trailing = this.#chance(50);
    const lines = parts.map((part, at) => {
      const comma = at < parts.length - 1 || trailing ? "," : "";
      return `${this.#comment(indent + 1)}${inside}${part}${comma}${this.#beside()}`;
    });
    return `${open}${this.#beside()}${lines.join("")}${" ".repeat(indent)}${close}`;
  }

  #scalar(value: Value, inFlow: boolean, path: readonly string[]): string {
    if (value === null) return ["null", "~", "Null"][this.#roll(3)] ?? "null";
    if (typeof value !== "string") return JSON.stringify(value);
    const tag = this.#habits.tags && path[0] === "spec" && this.#chance(10) ? "!!str " : "";
    const plain =
      /^[A-Za-z][\w./-]*(?: [A-Za-z][\w./-]*)*(?::\d+)?$/u.test(value) && !/^(?:true|false|null|yes|no)$/iu.test(value);
    const dice = this.#roll(3);
    if (dice === 0 && plain && !(inFlow && value.includes(": "))) return tag + value;
    if (dice === 1 && !/[\n\r\t]|[^\x20-\x7e]/u.test(value)) return `${tag}'${value.replaceAll("'", "''")}'`;
    return tag + JSON.stringify(value);
  }

  /** A literal or folded block; null where there is none for the text. */
  #block(value: string, indent: number): string | null {
    const chomped = value.endsWith("\n") ? value.slice(0, -1) : value;
    if (chomped.trim() === "" || /[\r\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff]/u.test(value))
      return null;
    const chomp = chomped.endsWith("\n") ? "+" : value.endsWith("\n") ? "" : "-";
    // Only literal blocks can hold every text: others fold at blanks, and without a number the first line says how deep.
    const folded = this.#chance(50) && !/^\s|\n\s|\s$|[ \t]\n/u.test(chomped);
    const depth = /^\s/u.test(chomped) ? String(this.#step) : "";
    const inside = " ".repeat(indent + this.#step);
    const lines = folded
      ? chomped.split("\n").flatMap((line, at) => (at === 0 ? [line] : ["", line]))
      : chomped.split("\n");
    const header = `${folded ? ">" : "|"}${depth}${chomp}${this.#beside()}`;
    return header + lines.map((line) => (line === "" ? "\n" : `${inside}${line}\n`)).join("");
  }
}
