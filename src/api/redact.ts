import { MASK } from "../secret.js";
import { secretForms, shortestSecret } from "./secret-forms.js";

/** Secrets as short as this are masked only where they stand alone, as words hold them too. */
const short = 8;

/**
 * Masks every secret that it was told of, in every spelling of {@link secretForms}.
 * One is shared by a whole run: the client teaches it the API key and each secret that is sent or received.
 */
export class Redactor {
  /** Spellings by their first characters. */
  readonly #forms = new Map<string, Set<string>>();
  /** The same, the longest first, made when they are needed. */
  readonly #sorted = new Map<string, readonly string[]>();
  readonly #known = new Set<string>();

  /** Remembers a secret. Texts of fewer than four characters are not masked. */
  add(secret: string): void {
    if (this.#known.has(secret)) return;
    this.#known.add(secret);
    for (const form of secretForms(secret)) {
      const start = form.slice(0, shortestSecret);
      const forms = this.#forms.get(start);
      if (forms === undefined) this.#forms.set(start, new Set([form]));
      else forms.add(form);
      this.#sorted.delete(start);
    }
  }

  /** The text with every known secret replaced by `(secret)`. Linear in the length of the text. */
  redact(text: string): string {
    if (this.#forms.size === 0) return text;
    let result = "";
    let kept = 0;
    let at = 0;
    while (at + shortestSecret <= text.length) {
      const found = this.#at(text, at);
      if (found === null) {
        at += 1;
        continue;
      }
      result += text.slice(kept, at) + MASK;
      at += found.length;
      kept = at;
    }
    return kept === 0 ? text : result + text.slice(kept);
  }

  #at(text: string, at: number): string | null {
    for (const form of this.#startingWith(text.slice(at, at + shortestSecret))) {
      if (text.startsWith(form, at) && (form.length >= short || alone(text, at, form.length))) return form;
    }
    return null;
  }

  #startingWith(start: string): readonly string[] {
    const sorted = this.#sorted.get(start);
    if (sorted !== undefined) return sorted;
    const forms = this.#forms.get(start);
    if (forms === undefined) return [];
    const made = [...forms].toSorted((a, b) => b.length - a.length);
    this.#sorted.set(start, made);
    return made;
  }
}

function alone(text: string, at: number, length: number): boolean {
  const word = /[A-Za-z0-9]/;
  return !word.test(text.charAt(at - 1)) && !word.test(text.charAt(at + length));
}
