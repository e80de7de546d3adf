import { type View, decodedRuns, plainView, withoutEscapes } from "./decoded-views.js";
import { maskText } from "./mask-text.js";
import { PartIndex, type TextSpan } from "./part-index.js";
import { ownWords, publicWords } from "./public-words.js";
import { mayBeEncoded, quickPieces } from "./quick-pieces.js";
import { Spellings, type Spelt, secretForms } from "./secret-spellings.js";

/** Longer secrets are searched for by their parts alone, unless these may all be shown. */
const longestWhole = 64;

/**
 * How deep encodings are undone: escapes (JSON in JSON in an error message) and, at the first levels, Base64 and
 * hexadecimal. Deeper in public texts, as a manifest's text may itself be decoded before it is shown.
 */
interface Depth {
  readonly escapes: number;
  readonly runs: number;
}
const maskedDepth: Depth = { escapes: 4, runs: 2 };
const publicDepth: Depth = { escapes: 6, runs: 3 };

/** How often public texts are read again for secrets that became known later: a service may send ever new ones. */
const mostReadings = 8;

/** How much of one secret that a service sends is indexed, and of all of them; the rest is searched for as a whole. */
const longestSent = 16 * 1024;
const mostSent = 4 * 1024 * 1024;

/**
 * Masks every secret that was added, and every part of one from eight characters on, in the spellings of
 * {@link secretForms} and {@link decodedRuns}. A run has one: it learns the API key, every secret that a manifest names,
 * and each that is sent or received.
 *
 * Public text is not masked. Otherwise anyone who can change a manifest could write guesses into it and see from the
 * masks which are right, character by character, or hide what a plan does by naming it as a secret.
 */
export class Redactor {
  readonly #whole = new Spellings<WholeSecret>();
  readonly #parts: PartIndex;
  readonly #known = new Map<string, WholeSecret>();
  /** Long secrets that are searched for by their parts only, not as a whole. */
  readonly #long = new Set<WholeSecret>();
  readonly #names = new Set<string>(["(secret", ...ownWords]);
  /** The names that contain a secret, by secret, as far as they were asked for. */
  readonly #namesWith = new Map<string, readonly string[]>();
  /** Public texts, and values that contain texts, with what they may reveal. */
  readonly #public: { readonly value: unknown; readonly publicity: Publicity }[] = [
    { value: [...publicWords, ...ownWords], publicity: "words" },
  ];
  /** How often a secret was added, or got a stricter standing. */
  #changes = 0;
  /** How much of `#public` was read, and after how many changes. */
  #read = { texts: 0, changes: 0, times: 0 };
  #sent = 0;
  /** See {@link quickPieces}; undefined when they have to be made. */
  #quick: readonly string[] | null | undefined;

  constructor(parts: PartIndex = new PartIndex()) {
    this.#parts = parts;
  }

  /**
   * Adds a secret. Texts of fewer than four characters are not masked.
   * @param inManifest whether it appears in a manifest itself, which is otherwise public
   */
  add(secret: string, inManifest = false): void {
    this.#add(secret, inManifest ? "manifest" : "elsewhere");
  }

  /** Adds the API key, which is masked as a whole wherever it appears. */
  addKey(key: string): void {
    this.#add(key, "key");
  }

  /** Adds a secret that a service sent. However many there are, they take no room from the others. */
  addSent(secret: string): void {
    if (this.#known.has(secret)) return;
    const indexed = secret.slice(0, Math.min(longestSent, mostSent - this.#sent));
    this.#sent += indexed.length;
    this.#add(secret, "elsewhere", indexed);
  }

  #add(secret: string, standing: SecretStanding, indexed = secret): void {
    if (ownWords.has(secret)) return;
    let whole = this.#known.get(secret);
    if (whole !== undefined && !whole.alsoIn(standing)) return;
    this.#changes += 1;
    this.#quick = undefined;
    const pin = standing === "manifest";
    this.#parts.add(indexed, pin);
    const bytes = Buffer.from(indexed, "utf8");
    if (bytes.length !== indexed.length) this.#parts.add(bytes.toString("latin1"), pin);
    if (whole !== undefined) return;
    whole = new WholeSecret(secret, standing);
    this.#known.set(secret, whole);
    if (secret.length <= longestWhole || indexed !== secret || this.#isOpen(secret)) this.#spell(whole);
    else this.#long.add(whole);
  }

  /** Whether no part of a secret would be found. */
  #isOpen(secret: string): boolean {
    const { length, units } = plainView(secret);
    return this.#parts.isOpen(units, length);
  }

  #spell(whole: WholeSecret): void {
    this.#quick = undefined;
    for (const form of secretForms(whole.text)) this.#whole.add(form, whole);
  }

  /**
   * Declares public what everyone may read, like the manifests: a text, or any value with texts in it. Secrets that
   * appear in a manifest itself stay hidden.
   */
  reveal(value: unknown): void {
    this.#public.push({ value, publicity: "written" });
  }

  /**
   * Declares public what manifests contain besides their secrets: a secret of a manifest that also appears here is shown.
   * @param value as for {@link reveal}, or a function that returns such values when they are needed
   */
  show(value: unknown): void {
    this.#public.push({ value, publicity: "shown" });
  }

  /** Declares a name that is shown even if it contains a whole secret: of addresses, files and variables. */
  name(text: string): void {
    if (this.#names.has(text)) return;
    this.#names.add(text);
    this.#namesWith.clear();
    this.#public.push({ value: text, publicity: "words" });
  }

  /** The text with every known secret replaced by `(secret)`; JSON stays JSON. */
  redact(text: string): string {
    return this.#mayHold(text) ? maskText(text, (part) => this.spans(part)) : text;
  }

  /** Whether a text has to be searched. */
  #mayHold(text: string): boolean {
    if (this.#known.size === 0) return false;
    if (this.#quick === undefined) this.#quick = quickPieces(this.#whole.starts, this.#parts);
    return this.#quick === null || this.#quick.some((piece) => text.includes(piece)) || mayBeEncoded(text);
  }

  /** Where secrets and parts of them are in a text, in order and without overlaps. */
  spans(text: string): readonly TextSpan[] {
    if (!this.#mayHold(text)) return [];
    let whole = this.#wholeIn(text);
    let parts = this.#partsIn(text);
    if (whole.length + parts.length > 0 && this.#readPublic()) {
      whole = this.#wholeIn(text);
      parts = this.#partsIn(text);
    }
    return parts.length === 0 ? whole : merged([...whole, ...parts]);
  }

  #wholeIn(text: string): readonly TextSpan[] {
    return this.#whole.spans(text).filter((span) => !this.#isNamed(text, span));
  }

  #partsIn(text: string): readonly TextSpan[] {
    const spans: TextSpan[] = [];
    if (this.#parts.empty) return spans;
    this.#eachView(text, maskedDepth, ({ length, place, units }) =>
      this.#parts.search(units, length, (start, end) => spans.push(place(start, end))),
    );
    return spans;
  }

  /** Calls `visit` for the text as it is, and with its encodings undone where a part of a secret may be in them. */
  #eachView(text: string, depth: Depth, visit: (view: View) => void): void {
    let view: View | null = plainView(text);
    for (let level = 0; level <= depth.escapes && view !== null; level += 1) {
      visit(view);
      if (level < depth.runs) decodedRuns(view, this.#parts.filter, visit);
      view = withoutEscapes(view);
    }
  }

  /** Whether the span is part of a declared name. */
  #isNamed(text: string, { start, end }: TextSpan): boolean {
    const secret = text.slice(start, end);
    let names = this.#namesWith.get(secret);
    if (names === undefined) {
      names = [...this.#names].filter((name) => name.includes(secret));
      this.#namesWith.set(secret, names);
    }
    return names.some((name) => {
      for (let at = name.indexOf(secret); at !== -1; at = name.indexOf(secret, at + 1)) {
        if (start >= at && text.startsWith(name, start - at)) return true;
      }
      return false;
    });
  }

  /** Reads the public texts that were not read yet. Only called when a text may contain a secret. Returns whether it read any. */
  #readPublic(): boolean {
    const { changes, texts, times } = this.#read;
    const anew = changes !== this.#changes && times < mostReadings;
    if (!anew && texts === this.#public.length) return false;
    for (const { publicity, value } of this.#public.slice(anew ? 0 : texts)) {
      for (const text of textsIn(value)) {
        for (const whole of this.#whole.in(text)) whole.open(publicity);
        this.#eachView(text, publicDepth, ({ length, units }) =>
          this.#parts.reveal(units, length, publicity !== "written"),
        );
      }
    }
    this.#read = { texts: this.#public.length, changes: this.#changes, times: times + 1 };
    this.#spellOpen();
    return true;
  }

  /** Makes long secrets that are no longer found by their parts be searched for as a whole. */
  #spellOpen(): void {
    const open = [...this.#long].filter(({ text }) => this.#isOpen(text));
    if (open.length === 0) return;
    for (const whole of open) {
      this.#long.delete(whole);
      this.#spell(whole);
    }
    for (const { publicity, value } of this.#public) {
      for (const text of textsIn(value)) for (const whole of this.#whole.in(text)) whole.open(publicity);
    }
  }
}

/** Every text in a value at any depth, member names included. */
function* textsIn(value: unknown): Generator<string> {
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === "string") yield next;
    else if (typeof next === "function") for (const item of (next as () => Iterable<unknown>)()) pending.push(item);
    else if (Array.isArray(next)) for (const item of next) pending.push(item);
    else if (typeof next === "object" && next !== null) {
      yield* Object.keys(next);
      for (const item of Object.values(next)) pending.push(item);
    } else if (typeof next === "number") yield String(next);
  }
}

/** The spans in order, with overlapping ones joined. */
function merged(spans: readonly TextSpan[]): readonly TextSpan[] {
  const result: TextSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (last === undefined || span.start >= last.end) result.push(span);
    else if (span.end > last.end) result[result.length - 1] = { start: last.start, end: span.end };
  }
  return result;
}

/** Where a secret is kept: somewhere that is not public, in a manifest itself, or it is the API key. */
export type SecretStanding = "elsewhere" | "manifest" | "key";

/**
 * The type of a public text: manifests as written, perhaps with secrets in them; what they contain besides secrets; or
 * words that must be readable, which reveal nothing about a whole secret.
 */
export type Publicity = "written" | "shown" | "words";

const strictness: readonly SecretStanding[] = ["elsewhere", "manifest", "key"];

/**
 * A whole secret. One that everyone can read outside of a secret's place is not secret; masking it would only hide what
 * a manifest contains. The API key is always hidden.
 */
export class WholeSecret implements Spelt {
  #standing: SecretStanding;
  #opened: Publicity | null = null;

  constructor(
    readonly text: string,
    standing: SecretStanding,
  ) {
    this.#standing = standing;
  }

  get standing(): SecretStanding {
    return this.#standing;
  }

  get hidden(): boolean {
    if (this.#standing === "key") return true;
    return this.#standing === "manifest" ? this.#opened !== "shown" : this.#opened === null;
  }

  /** Records another standing. @returns whether that changes anything */
  alsoIn(standing: SecretStanding): boolean {
    if (strictness.indexOf(standing) <= strictness.indexOf(this.#standing)) return false;
    this.#standing = standing;
    return true;
  }

  /** Records that it appears in a public text. */
  open(publicity: Publicity): void {
    if (publicity !== "words" && this.#opened !== "shown") this.#opened = publicity;
  }
}
