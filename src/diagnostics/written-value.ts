import type { DocumentPath } from "../core/document-path.js";
import type { BetterWords } from "./diagnostic.js";
import type { DocumentMap, ValueForm } from "../yaml/document-map.js";
import type { LineIndex, Position } from "./line-index.js";

/** The value of a problem, or that of a member, as it stands in its file. */
export class WrittenValue {
  readonly #map: DocumentMap;
  readonly #lines: LineIndex;
  readonly #path: DocumentPath;
  readonly #mayQuote: boolean;

  /** @param of the path of the value, and whether its line can't show a secret */
  constructor(map: DocumentMap, lines: LineIndex, of: { readonly path: DocumentPath; readonly mayQuote: boolean }) {
    this.#map = map;
    this.#lines = lines;
    this.#path = of.path;
    this.#mayQuote = of.mayQuote;
  }

  /** How it is written; null when nothing is, or an alias. */
  get form(): ValueForm | null {
    return this.#map.form(this.#path);
  }

  /** Its text in the file when that is on one line, not in a block, and may be shown; otherwise null. */
  get text(): string | null {
    const { form } = this;
    if (form === null || form.style === "block" || !this.#mayQuote) return null;
    const text = this.#lines.text.slice(form.start, form.end);
    return text === "" || /[\r\n]/u.test(text) ? null : text;
  }

  /** Its lines in the file, when they may be shown. */
  get lines(): readonly string[] {
    const { form } = this;
    if (form === null || !this.#mayQuote) return [];
    return this.#lines.text.slice(form.start, form.end).split(/\r?\n/u);
  }

  /** Where its key is; of another member when a path is given. */
  keyAt(path: DocumentPath = this.#path): Position & { readonly offset: number } {
    const offset = this.#map.find(path, "key").start;
    return { ...this.#lines.position(offset), offset };
  }

  /** How the value of another member is written. */
  formOf(path: DocumentPath): ValueForm | null {
    return this.#map.form(path);
  }

  /** The offset in the file of a character of its text; null when it is folded or has escapes. */
  offsetOf(text: string, index: number): number | null {
    return this.#map.offsetInText(this.#path, text, index);
  }

  /**
   * Words for an item that is too far in: YAML reads it as a part of the text before it, whatever is found wrong with that
   * text. Null when there is none.
   */
  swallowedItem(): BetterWords | null {
    const { form } = this;
    if (form?.style !== "plain") return null;
    const first = this.#lines.position(form.start).line;
    const last = this.#lines.position(form.end - 1).line;
    for (let number = first + 1; number <= last; number++) {
      const line = this.#lines.line(number);
      const indent = line.search(/\S/u);
      const dash = this.#lines.line(first).search(/-\s/u);
      if (!line.startsWith("- ", indent) || dash === -1) continue;
      return {
        message: "this item begins further in than the one before it, and is read as a part of that one's text",
        remedy: `Begin it in column ${dash + 1}, not ${indent + 1}, like the item in line ${first}.`,
        offset: this.#lines.startOf(number) + indent,
      };
    }
    return null;
  }
}
