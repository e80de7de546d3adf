import type { DocumentPath } from "../document-path.js";
import type { DocumentMap, ValueForm } from "../yaml/document-map.js";
import type { LineIndex, Position } from "./line-index.js";

/** The value of a problem, or that of a member, as it stands in its file. */
export class WrittenValue {
  readonly #map: DocumentMap;
  readonly #lines: LineIndex;
  readonly #path: DocumentPath;
  readonly #mayQuote: boolean;

  /** @param of the path of the value, and whether its line can't show a secret */
  constructor(
    map: DocumentMap,
    lines: LineIndex,
    of: { readonly path: DocumentPath; readonly mayQuote: boolean },
  ) {
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

  /** The line of a text in the file that lies so many lines after the value's first. */
  startOfLine(after: number): Position & { readonly offset: number } {
    const first = this.#lines.position(this.form?.start ?? 0).line + after;
    const text = this.#lines.line(first);
    const column = Math.max(0, text.search(/\S/u)) + 1;
    return { line: first, column, offset: this.#lines.startOf(first) + column - 1 };
  }
}
