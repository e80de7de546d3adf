import { type View, decodedRuns, plainView, withoutEscapes } from "./decoded-views.js";
import { maskText } from "./mask-text.js";
import { PartIndex, type TextSpan } from "./part-index.js";
import { ownWords, publicWords } from "./public-words.js";
import { Spellings, type Spelt, secretForms } from "./secret-spellings.js";

/** Longer secrets are looked for by their parts alone, as long as these tell anything. */
const longestWhole = 64;

/** How often escapes are undone in a text that is masked: JSON in JSON in an error message. */
const levels = 4;
/** How often in what is public: more often, as a manifest's text may itself be decoded before it is shown. */
const publicLevels = 6;

/** At how many of these levels Base64 and hexadecimal are undone, in the one and in the other. */
const levelsOfRuns = 2;
const publicRuns = 3;

/** So often public texts are read anew for secrets that became known later: a service may send new ones on and on. */
const mostReadings = 8;

/** How much of one secret that a service sends is indexed, and of all of them; the rest is looked for as a whole. */
const longestSent = 16 * 1024;
const mostSent = 4 * 1024 * 1024;

/**
 * Masks every secret that it was told of, and every part of one from eight characters on, in the spellings of
 * {@link secretForms} and of {@link decodedRuns}. One is shared by a whole run: it learns the API key, every secret
 * that a manifest names, and each that is sent or received.
 *
 * What is public is not masked: else whoever may change a manifest could write guesses into it and read from the mask
 * which of them are right, character by character, or hide what a plan does by naming it as a secret.
 */
export class Redactor {
  readonly #whole = new Spellings<WholeSecret>();
  readonly #parts: PartIndex;
  readonly #known = new Map<string, WholeSecret>();
  /** Long secrets whose parts are looked for, and not yet their spellings as a whole. */
  readonly #long = new Set<WholeSecret>();
  readonly #names = new Set<string>(["(secret", ...ownWords]);
  /** The names that hold a secret, as far as they were looked for. */
  readonly #namesWith = new Map<string, readonly string[]>();
  /** Texts, and values that hold texts, by how much they tell. */
  readonly #public: { readonly value: unknown; readonly publicity: Publicity }[] = [
    { value: [...publicWords, ...ownWords], publicity: "words" },
  ];
  /** How often a secret was added, or hidden more strictly. */
  #changes = 0;
  /** What was read of `#public`, and after how many changes. */
  #read = { texts: 0, changes: 0, times: 0 };
  #sent = 0;

  constructor(parts: PartIndex = new PartIndex()) {
    this.#parts = parts;
  }

  /**
   * Remembers a secret. Texts of fewer than four characters are not masked.
   * @param inManifest whether it stands in a manifest itself, and so in what is public otherwise
   */
  add(secret: string, inManifest = false): void {
    this.#add(secret, inManifest ? "manifest" : "elsewhere");
  }

  /** Remembers the API key, which is masked as a whole wherever it stands. */
  addKey(key: string): void {
    this.#add(key, "key");
  }

  /** Remembers a secret that a service sent. However many these are, they take no room from others. */
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
    for (const form of secretForms(whole.text)) this.#whole.add(form, whole);
  }

  /**
   * Takes note of what everybody may read, as the manifests: a text, or any value with texts in it. A secret that
   * stands in a manifest itself stays hidden.
   */
  reveal(value: unknown): void {
    this.#public.push({ value, publicity: "written" });
  }

  /**
   * Takes note of what manifests say beside their secrets: a secret of a manifest that stands here, too, is readable.
   * @param value as for {@link reveal}, or a function that gives such values once they are asked for
   */
  show(value: unknown): void {
    this.#public.push({ value, publicity: "shown" });
  }

  /** Takes note of what must be readable even where it holds a whole secret: addresses, names of files and variables. */
  name(text: string): void {
    if (this.#names.has(text)) return;
    this.#names.add(text);
    this.#namesWith.clear();
    this.#public.push({ value: text, publicity: "words" });
  }

  /** The text with every known secret replaced by `(secret)`; JSON stays JSON. */
  redact(text: string): string {
    return this.#known.size === 0 ? text : maskText(text, (part) => this.spans(part));
  }

  /** Where secrets and parts of them stand in a text, in order and without overlaps. */
  spans(text: string): readonly TextSpan[] {
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
    for (const { length, place, units } of viewsOf(text, levels, levelsOfRuns)) {
      this.#parts.search(units, length, (start, end) => spans.push(place(start, end)));
    }
    return spans;
  }

  /** Whether the secret is but a part of a name that is shown there. */
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

  /** Reads what is public as far as it was not yet; only done once a text holds what may be a secret or a part of one. */
  #readPublic(): boolean {
    const { changes, texts, times } = this.#read;
    const anew = changes !== this.#changes && times < mostReadings;
    if (!anew && texts === this.#public.length) return false;
    for (const { publicity, value } of this.#public.slice(anew ? 0 : texts)) {
      for (const text of textsIn(value)) {
        for (const whole of this.#whole.in(text)) whole.open(publicity);
        for (const { length, units } of viewsOf(text, publicLevels, publicRuns)) {
          this.#parts.reveal(units, length, publicity !== "written");
        }
      }
    }
    this.#read = { texts: this.#public.length, changes: this.#changes, times: times + 1 };
    this.#spellOpen();
    return true;
  }

  /** Has long secrets looked for as a whole that are not found by their parts any more. */
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

/** The text as it is, and as it is with its encodings undone. */
function* viewsOf(text: string, levels: number, runs: number): Generator<View> {
  let view: View | null = plainView(text);
  for (let level = 0; level <= levels && view !== null; level += 1) {
    yield view;
    if (level < runs) yield* decodedRuns(view);
    view = withoutEscapes(view);
  }
}

/** Every text in a value, names of members too, however deep. */
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

/** The same in order, those that overlap as one. */
function merged(spans: readonly TextSpan[]): readonly TextSpan[] {
  const result: TextSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (last === undefined || span.start >= last.end) result.push(span);
    else if (span.end > last.end) result[result.length - 1] = { start: last.start, end: span.end };
  }
  return result;
}

/** Where a secret has its place: somewhere that is not public, in a manifest itself, or it is the API key. */
export type SecretStanding = "elsewhere" | "manifest" | "key";

/**
 * What a public text is: manifests as they are written, perhaps with secrets in them; what they say besides; or words
 * that must be readable, which tell nothing of a secret as a whole.
 */
export type Publicity = "written" | "shown" | "words";

const strictness: readonly SecretStanding[] = ["elsewhere", "manifest", "key"];

/**
 * A secret as a whole. One that everybody can read beside the places of secrets is none; to hide it would only hide
 * what a manifest says. The API key is always hidden.
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

  /** Takes note of another place of it. @returns whether that changes anything */
  alsoIn(standing: SecretStanding): boolean {
    if (strictness.indexOf(standing) <= strictness.indexOf(this.#standing)) return false;
    this.#standing = standing;
    return true;
  }

  /** Takes note that it stands in a public text. */
  open(publicity: Publicity): void {
    if (publicity !== "words" && this.#opened !== "shown") this.#opened = publicity;
  }
}
