import { MASK } from "./core/secret.js";

/** Shorter texts are part of too many words to be masked; as secrets of manifests they are errors. */
export const shortestSecret = 8;

/** Beginnings and ends of the API key, and lines of a PEM key, are masked from this length on. */
const shortestPart = 16;

type Spelling = Readonly<{
  text: string;
  least: number;
  /** What is masked with it where it stands before it. */
  before: string;
}>;

/**
 * Masks known secrets in foreign text. Everything else is kept without them by its structure (see `Secret`) and never
 * passes here: a manifest could hide what a plan does by naming its words as secrets.
 */
export class Redactor {
  readonly #known = new Set<string>();
  readonly #heads = new Map<string, Spelling[]>();

  constructor(readonly mask: string = MASK) {}

  addSecret(secret: string): void {
    if (this.#known.has(secret)) return;
    this.#known.add(secret);
    for (const form of formsOf(secret)) this.#add({ text: form, least: form.length, before: "" });
  }

  addKey(key: string): void {
    this.addSecret(key);
    if (key.length < shortestPart || this.#known.has(`key ${key}`)) return;
    this.#known.add(`key ${key}`);
    this.#add({ text: key, least: shortestPart, before: "" });
    this.#add({ text: key.slice(-shortestPart), least: shortestPart, before: key.slice(0, -shortestPart) });
  }

  #add(spelling: Spelling): void {
    if (spelling.text.length < shortestSecret) return;
    const head = spelling.text.slice(0, shortestSecret);
    const others = this.#heads.get(head);
    if (others === undefined) this.#heads.set(head, [spelling]);
    else others.push(spelling);
  }

  redact(text: string): string {
    let masked = "";
    let shown = 0;
    for (const { start, end } of [...this.#spans(text)].sort((a, b) => a.start - b.start)) {
      if (start >= shown) masked += text.slice(shown, start) + this.mask;
      shown = Math.max(shown, end);
    }
    return masked + text.slice(shown);
  }

  *#spans(text: string): Generator<Readonly<{ start: number; end: number }>> {
    for (let at = 0; at + shortestSecret <= text.length; at += 1) {
      for (const spelling of this.#heads.get(text.slice(at, at + shortestSecret)) ?? []) {
        const length = commonLength(text, at, spelling.text);
        if (length >= spelling.least) yield { start: at - lengthBefore(text, at, spelling.before), end: at + length };
      }
    }
  }
}

function commonLength(text: string, at: number, wanted: string): number {
  let length = 0;
  while (length < wanted.length && text[at + length] === wanted[length]) length += 1;
  return length;
}

function lengthBefore(text: string, at: number, before: string): number {
  let length = 0;
  while (length < before.length && length < at && text[at - 1 - length] === before.at(-1 - length)) length += 1;
  return length;
}

/** As it stands, in JSON, in URLs and in Base64, and the lines of a PEM key. */
function formsOf(secret: string): ReadonlySet<string> {
  const whole = secret.trim();
  if (whole.length < shortestSecret) return new Set();
  const lines = whole.includes("-----BEGIN ") ? whole.split(/\r?\n/u).filter(isKeyLine) : [];
  const plain = [whole, ...lines];
  const inUrl = (text: string): string => encodeURIComponent(text.replaceAll(/\p{Cs}/gu, "\uFFFD"));
  const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
  return new Set([...plain, ...plain.map(inJson), ...plain.map(inUrl), ...inBase64(whole)]);
}

function isKeyLine(line: string): boolean {
  return line.length >= shortestPart && !line.startsWith("-----");
}

/** The digits of Base64 that depend on the text alone, also behind a user's name, as in `Basic`. */
function inBase64(text: string): readonly string[] {
  const bytes = Buffer.from(text, "utf8");
  return [0, 1, 2].map((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const digits = [Math.ceil((offset * 8) / 6), Math.floor((padded.length * 8) / 6)];
    return padded.toString("base64").slice(...digits);
  });
}

const longest = 65_536;

/** Dropped from the end of a text that was longer, where a secret may have been cut in two. */
const margin = 16_384;

/** Foreign text for a terminal or a log: masked, on one line, at most `max` long. */
export function cleanText(text: string, redactor: Redactor, max: number): string {
  // A secret may be on both sides of an escape sequence or of joined whitespace, or be cut.
  let masked = redactor.redact(text.slice(0, longest).replaceAll(/\p{Cc}\[[0-9;?]*[A-Za-z]/gu, ""));
  if (text.length > longest) masked = masked.slice(0, -margin);
  const line = redactor.redact(
    masked
      .replaceAll(/\s+/gu, " ")
      .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "\uFFFD")
      .trim(),
  );
  return line.length <= max ? line : `${line.slice(0, max).replace(/\p{Cs}$/u, "")}…`;
}
