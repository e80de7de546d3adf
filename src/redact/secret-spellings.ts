import type { TextSpan } from "./part-index.js";
import { mostStarts } from "./quick-pieces.js";

/** Shorter secrets are masked only between non-word characters, as words may contain them. */
const shortestInWords = 8;

/** What a spelling belongs to. */
export interface Spelt {
  /** Whether it is masked. */
  readonly hidden: boolean;
}

/** Spellings of the same length, and how long they are. */
interface Group<S extends Spelt> {
  readonly length: number;
  /** Several secrets may have one spelling. */
  readonly forms: Map<string, readonly S[]>;
  readonly hashes: Set<number>;
}

/** Finds whole secrets in a text, in all their spellings. */
export class Spellings<S extends Spelt = Spelt> {
  /**
   * Spellings by their first characters, the longest first. Those of one length are in one group, so that each index is
   * compared once for each length and not for each spelling.
   */
  readonly #groups = new Map<string, Group<S>[]>();
  /** The first characters of all spellings: enough to rule out most indexes of a text. */
  readonly #firsts = new Set<number>();

  /** Random, so that nobody can prepare texts whose hashes collide. */
  readonly #factor = (Math.random() * 2 ** 32) | 1;

  /** The first characters of all spellings. */
  get starts(): readonly string[] {
    return [...this.#groups.keys()];
  }

  add(form: string, spelt: S): void {
    const start = form.slice(0, shortestSecret);
    const groups = this.#groups.get(start) ?? [];
    this.#groups.set(start, groups);
    this.#firsts.add(form.charCodeAt(0));
    const group = groupFor(groups, form.length);
    group.forms.set(form, [...(group.forms.get(form) ?? []), spelt]);
    group.hashes.add(new Hashes(form, this.#factor).of(0, form.length));
  }

  /** Where hidden secrets are, in order and without overlaps; the longest at each index. */
  spans(text: string): readonly TextSpan[] {
    const found: TextSpan[] = [];
    if (!this.#mayBegin(text)) return found;
    const hashes = new Hashes(text, this.#factor);
    for (let at = 0; at + shortestSecret <= text.length;) {
      const length = this.#firsts.has(text.charCodeAt(at)) ? this.#lengthAt(text, at, hashes) : 0;
      if (length > 0) found.push({ start: at, end: at + length });
      at += Math.max(1, length);
    }
    return found;
  }

  /** Every secret that occurs in a text, hidden or not. */
  *in(text: string): Generator<S> {
    if (!this.#mayBegin(text)) return;
    const hashes = new Hashes(text, this.#factor);
    for (let at = 0; at + shortestSecret <= text.length; at += 1) {
      if (!this.#firsts.has(text.charCodeAt(at))) continue;
      for (const { spelt } of this.#at(text, at, hashes)) yield* spelt;
    }
  }

  /** Whether a spelling may begin anywhere: a look for few beginnings takes a fraction of a loop over all indexes. */
  #mayBegin(text: string): boolean {
    if (this.#groups.size > mostStarts) return true;
    for (const start of this.#groups.keys()) if (text.includes(start)) return true;
    return false;
  }

  /** The length of the hidden secret that begins at an index; 0 when none does. */
  #lengthAt(text: string, at: number, hashes: Hashes): number {
    for (const { length, spelt } of this.#at(text, at, hashes)) if (spelt.some(({ hidden }) => hidden)) return length;
    return 0;
  }

  /** The spellings that begin at an index, the longest first. */
  *#at(text: string, at: number, hashes: Hashes): Generator<{ readonly length: number; readonly spelt: readonly S[] }> {
    const groups = this.#groups.get(text.slice(at, at + shortestSecret)) ?? [];
    for (const { length, forms, hashes: known } of groups) {
      if (at + length > text.length || !known.has(hashes.of(at, length))) continue;
      const spelt = forms.get(text.slice(at, at + length));
      if (spelt !== undefined && (length >= shortestInWords || alone(text, at, length))) yield { length, spelt };
    }
  }
}

/** The hash of any part of a text in constant time; prepared when the first one is asked for. */
class Hashes {
  #sums: Int32Array | null = null;
  #powers = new Int32Array(0);

  constructor(
    private readonly text: string,
    private readonly factor: number,
  ) {}

  of(start: number, length: number): number {
    const sums = (this.#sums ??= this.#prepare());
    return ((sums[start + length] ?? 0) - Math.imul(sums[start] ?? 0, this.#powers[length] ?? 0)) | 0;
  }

  #prepare(): Int32Array {
    const sums = new Int32Array(this.text.length + 1);
    this.#powers = new Int32Array(this.text.length + 1);
    this.#powers[0] = 1;
    for (let at = 0; at < this.text.length; at += 1) {
      sums[at + 1] = (Math.imul(sums[at] ?? 0, this.factor) + this.text.charCodeAt(at)) | 0;
      this.#powers[at + 1] = Math.imul(this.#powers[at] ?? 0, this.factor);
    }
    return sums;
  }
}

/** The group of a length, inserted in order when there is none yet. */
function groupFor<S extends Spelt>(groups: Group<S>[], length: number): Group<S> {
  const at = groups.findIndex((group) => group.length <= length);
  const found = groups[at];
  if (found?.length === length) return found;
  const made = { length, forms: new Map<string, readonly S[]>(), hashes: new Set<number>() };
  groups.splice(at === -1 ? groups.length : at, 0, made);
  return made;
}

function alone(text: string, at: number, length: number): boolean {
  const word = /[A-Za-z0-9]/;
  const escape = text.charAt(at - 2) === "\\";
  return (escape || !word.test(text.charAt(at - 1))) && !word.test(text.charAt(at + length));
}

/** Shorter secrets are not masked: they would be found everywhere. */
const shortestSecret = 4;

/** Words that JSON documents contain outside of strings: a mask would make the JSON invalid, and they reveal nothing. */
const jsonWords: ReadonlySet<string> = new Set(["null", "true", "false"]);

/** Shorter lines of a longer secret reveal nothing. */
const shortestLine = 16;

/**
 * The spellings in which a secret may be echoed: raw, in JSON, URL-encoded, in HTML, hexadecimal, Base64 (alone or as a
 * part of something longer), and its lines if it has several.
 */
export function secretForms(secret: string): readonly string[] {
  const forms = new Set<string>();
  for (const text of new Set([secret, secret.trim()])) {
    forms.add(text);
    for (const form of jsonForms(text)) forms.add(form);
    for (const form of urlForms(text)) forms.add(form);
    forms.add(html(text));
    const bytes = Buffer.from(text, "utf8");
    forms.add(bytes.toString("hex"));
    forms.add(bytes.toString("hex").toUpperCase());
    for (const form of base64Forms(bytes)) forms.add(form);
  }
  for (const form of lines(secret)) forms.add(form);
  return [...forms].filter((form) => form.length >= shortestSecret && !jsonWords.has(form));
}

/** Some JSON writers escape slashes too, or characters that are special in HTML. */
function jsonForms(text: string): readonly string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const html = json.replaceAll(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
  return [json, json.replaceAll("/", "\\/"), html];
}

function urlForms(text: string): readonly string[] {
  let encoded: string;
  try {
    encoded = encodeURIComponent(text);
  } catch {
    return []; // A lone surrogate can't be encoded, nor be sent.
  }
  const lower = encoded.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
  const form = new URLSearchParams({ k: text }).toString().slice(2);
  return [encoded, lower, form, encodeURI(text)];
}

function html(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** All of it in Base64, and the digits that depend on it alone when it is part of something longer. */
function base64Forms(bytes: Buffer): readonly string[] {
  const forms = [bytes.toString("base64").replaceAll("=", "")];
  for (const offset of [0, 1, 2]) {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const from = Math.ceil((offset * 8) / 6);
    const to = Math.floor((padded.length * 8) / 6);
    forms.push(padded.toString("base64").slice(from, to));
  }
  return forms
    .filter((form) => form.length >= 8)
    .flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]);
}

function lines(secret: string): readonly string[] {
  const all = secret.split(/\r?\n/).map((line) => line.trim());
  if (all.length === 1) return [];
  return all
    .filter((line) => line.length >= shortestLine && !line.startsWith("-----"))
    .flatMap((line) => [line, ...jsonForms(line), ...urlForms(line)]);
}
