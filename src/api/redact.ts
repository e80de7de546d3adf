import { decodedRuns, plainView, withoutEscapes, type View } from "./decoded-views.js";
import { maskText } from "./mask-text.js";
import { PartIndex, type Span } from "./part-index.js";
import { publicWords } from "./public-words.js";
import { secretForms } from "./secret-forms.js";
import { Spellings } from "./spellings.js";

/** Longer secrets are looked for by their parts alone. */
const longestWhole = 64;

/** How often escapes are undone in a text that is masked: JSON in JSON in an error message. */
const levels = 4;
/** How often in what is public: more often, as a manifest's text may itself be decoded before it is shown. */
const publicLevels = 6;

/** So often public texts are read anew for secrets that became known later: a service may send new ones on and on. */
const mostReadings = 8;

/**
 * Masks every secret that it was told of, and every part of one from eight characters on, in the spellings of
 * {@link secretForms} and of {@link decodedRuns}. One is shared by a whole run: it learns the API key, every secret
 * that a manifest names, and each that is sent or received.
 *
 * What is public is not masked where only a part of a secret stands there: else whoever may change a manifest could
 * write guesses into it and read from the mask which of them are right, character by character.
 */
export class Redactor {
  readonly #whole = new Spellings();
  readonly #parts: PartIndex;
  readonly #known = new Set<string>();
  readonly #names = new Set<string>(["(secret"]);
  /** The names that hold a secret, as far as they were looked for. */
  readonly #namesWith = new Map<string, readonly string[]>();
  /** Texts, and values that hold texts. */
  readonly #public: unknown[] = [publicWords];
  /** What was read of `#public`, and for how many secrets. */
  #read = { texts: 0, secrets: 0, times: 0 };

  constructor(parts: PartIndex = new PartIndex()) {
    this.#parts = parts;
  }

  /**
   * Remembers a secret. Texts of fewer than four characters are not masked.
   * @param inManifest whether it stands in a manifest itself, and so in what is public otherwise
   */
  add(secret: string, inManifest = false): void {
    if (this.#known.has(secret)) return;
    this.#known.add(secret);
    this.#parts.add(secret, inManifest);
    const bytes = Buffer.from(secret, "utf8");
    if (bytes.length !== secret.length) this.#parts.add(bytes.toString("latin1"), inManifest);
    if (secret.length <= longestWhole) for (const form of secretForms(secret)) this.#whole.add(form);
  }

  /** Takes note of what everybody may read, as the manifests: a text, or any value with texts in it. */
  reveal(value: unknown): void {
    this.#public.push(value);
  }

  /** Takes note of what must be readable even where it holds a whole secret: addresses, names of files and variables. */
  name(text: string): void {
    if (this.#names.has(text)) return;
    this.#names.add(text);
    this.#namesWith.clear();
    this.#public.push(text);
  }

  /** The text with every known secret replaced by `(secret)`; JSON stays JSON. */
  redact(text: string): string {
    return this.#known.size === 0 ? text : maskText(text, (part) => this.spans(part));
  }

  /** Where secrets and parts of them stand in a text, in order and without overlaps. */
  spans(text: string): readonly Span[] {
    const whole = this.#whole.spans(text).filter((span) => !this.#isNamed(text, span));
    let parts = this.#partsIn(text);
    if (parts.length > 0 && this.#readPublic()) parts = this.#partsIn(text);
    if (parts.length === 0) return whole;
    return merged([...whole, ...parts]);
  }

  #partsIn(text: string): readonly Span[] {
    const spans: Span[] = [];
    if (this.#parts.empty) return spans;
    for (const { length, place, units } of viewsOf(text, levels)) {
      this.#parts.search(units, length, (start, end) => spans.push(place(start, end)));
    }
    return spans;
  }

  /** Whether the secret is but a part of a name that is shown there. */
  #isNamed(text: string, { start, end }: Span): boolean {
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

  /** Reads what is public as far as it was not yet; only done once a text holds what may be a part of a secret. */
  #readPublic(): boolean {
    const { secrets, texts, times } = this.#read;
    const anew = secrets !== this.#known.size && times < mostReadings;
    if (!anew && texts === this.#public.length) return false;
    for (const value of this.#public.slice(anew ? 0 : texts)) {
      for (const text of textsIn(value)) {
        for (const { length, units } of viewsOf(text, publicLevels)) this.#parts.reveal(units, length);
      }
    }
    this.#read = { texts: this.#public.length, secrets: this.#known.size, times: times + 1 };
    return true;
  }
}

/** The text as it is, and as it is with its encodings undone. */
function* viewsOf(text: string, levels: number): Generator<View> {
  let view: View | null = plainView(text);
  for (let level = 0; level <= levels && view !== null; level += 1) {
    yield view;
    if (level === 0) yield* decodedRuns(view);
    view = withoutEscapes(view);
  }
}

/** Every text in a value, names of members too, however deep. */
function* textsIn(value: unknown): Generator<string> {
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === "string") yield next;
    else if (Array.isArray(next)) for (const item of next) pending.push(item);
    else if (typeof next === "object" && next !== null) {
      yield* Object.keys(next);
      for (const item of Object.values(next)) pending.push(item);
    } else if (typeof next === "number") yield String(next);
  }
}

/** The same in order, those that overlap as one. */
function merged(spans: readonly Span[]): readonly Span[] {
  const result: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (last === undefined || span.start >= last.end) result.push(span);
    else if (span.end > last.end) result[result.length - 1] = { start: last.start, end: span.end };
  }
  return result;
}
