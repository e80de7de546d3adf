import { MASK } from "../secret.js";
import { secretForms, shortestSecret } from "./secret-forms.js";

/** Secrets as short as this are masked only where they stand alone, as words hold them too. */
const short = 8;

/** Spellings of the same length, and how long they are. */
interface Group {
  readonly length: number;
  readonly forms: Set<string>;
}

/**
 * Masks every secret that it was told of, in every spelling of {@link secretForms}.
 * One is shared by a whole run: the client teaches it the API key and each secret that is sent or received.
 */
export class Redactor {
  /**
   * Spellings by their first characters, the longest first. Those of one length are in one set, so that a place is
   * looked at once for each length and not for each spelling: all private keys begin alike.
   */
  readonly #groups = new Map<string, Group[]>();
  /** The first characters of all spellings: most places in a text need no more than a look at this. */
  readonly #firsts = new Set<number>();
  readonly #known = new Set<string>();

  /** Remembers a secret. Texts of fewer than four characters are not masked. */
  add(secret: string): void {
    if (this.#known.has(secret)) return;
    this.#known.add(secret);
    for (const form of secretForms(secret)) {
      const start = form.slice(0, shortestSecret);
      const groups = this.#groups.get(start) ?? [];
      this.#groups.set(start, groups);
      this.#firsts.add(form.charCodeAt(0));
      groupFor(groups, form.length).forms.add(form);
    }
  }

  /** The text with every known secret replaced by `(secret)`. */
  redact(text: string): string {
    if (this.#groups.size === 0) return text;
    let result = "";
    let kept = 0;
    let at = 0;
    while (at + shortestSecret <= text.length) {
      const length = this.#firsts.has(text.charCodeAt(at)) ? this.#lengthAt(text, at) : 0;
      if (length === 0) {
        at += 1;
        continue;
      }
      result += text.slice(kept, at) + MASK;
      at += length;
      kept = at;
    }
    return kept === 0 ? text : result + text.slice(kept);
  }

  /** How long the secret is that begins at a place; 0 when none does. */
  #lengthAt(text: string, at: number): number {
    const groups = this.#groups.get(text.slice(at, at + shortestSecret));
    if (groups === undefined) return 0;
    for (const { length, forms } of groups) {
      if (forms.has(text.slice(at, at + length)) && (length >= short || alone(text, at, length))) return length;
    }
    return 0;
  }
}

/** The group of a length, made in its place when there is none yet. */
function groupFor(groups: Group[], length: number): Group {
  const at = groups.findIndex((group) => group.length <= length);
  const found = groups[at];
  if (found?.length === length) return found;
  const made = { length, forms: new Set<string>() };
  groups.splice(at === -1 ? groups.length : at, 0, made);
  return made;
}

function alone(text: string, at: number, length: number): boolean {
  const word = /[A-Za-z0-9]/;
  return !word.test(text.charAt(at - 1)) && !word.test(text.charAt(at + length));
}
