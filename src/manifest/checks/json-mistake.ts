/** The first mistake in a text that is not JSON. */
export interface JsonMistake {
  /** In characters (UTF-16) from the start of the text. */
  readonly index: number;
  /** Continues "it is not JSON:". Quotes nothing of the text but words of other languages. */
  readonly message: string;
  readonly remedy: string;
}

/**
 * Finds where a text stops being JSON, and why. `JSON.parse` says it in words that differ between versions of Node and
 * quote the text, which may be a secret.
 * @returns null for a text that is JSON
 */
export function findJsonMistake(text: string): JsonMistake | null {
  const scanner = new JsonScanner(text);
  try {
    scanner.scan();
    return null;
  } catch (error) {
    if (error instanceof Found) return error.mistake;
    throw error;
  }
}

class Found extends Error {
  override readonly name = "Found";

  constructor(readonly mistake: JsonMistake) {
    super(mistake.message);
  }
}

/** Words of other languages, and how JSON writes them. */
const otherWords: { readonly [word: string]: string } = {
  None: "null",
  nil: "null",
  undefined: "null",
  Null: "null",
  NULL: "null",
  True: "true",
  TRUE: "true",
  yes: "true",
  False: "false",
  FALSE: "false",
  no: "false",
  NaN: "null",
};

class JsonScanner {
  #at = 0;
  /** The brackets that are open, with their places. */
  readonly #open: { readonly close: string; readonly index: number }[] = [];

  constructor(private readonly text: string) {}

  scan(): void {
    this.#blanks();
    if (this.#at === this.text.length) this.#fail(0, "it is empty", "Write the value.");
    this.#value();
    this.#blanks();
    if (this.#at < this.text.length)
      this.#fail(this.#at, "something follows its end", "Remove what follows the last bracket.");
  }

  #value(): void {
    this.#blanks();
    const first = this.text[this.#at];
    if (first === "{") return this.#members("}", () => this.#member());
    if (first === "[") return this.#members("]", () => this.#value());
    if (first === '"') return this.#string();
    if (first === undefined) return this.#unclosed();
    const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
    number.lastIndex = this.#at;
    const word = /[\w.+-]+/y;
    word.lastIndex = this.#at;
    const found = word.exec(this.text)?.[0] ?? "";
    if (number.exec(this.text)?.[0] === found && found !== "") this.#at += found.length;
    else if (found === "true" || found === "false" || found === "null") this.#at += found.length;
    else this.#wrongValue(first, found);
  }

  #wrongValue(first: string, word: string): never {
    const instead = Object.hasOwn(otherWords, word) ? otherWords[word] : undefined;
    if (instead !== undefined) this.#fail(this.#at, `JSON has no ${word}`, `Write ${instead}.`);
    if (first === "'") this.#singleQuotes();
    if (first === "}" || first === "]")
      this.#fail(this.#at, "a value is missing here", "Write the value, or remove the comma or key before it.");
    if (first === ",")
      this.#fail(this.#at, "there are two commas, or a comma without a value before it", "Remove the comma.");
    if (/[\d+.-]/u.test(first))
      this.#fail(
        this.#at,
        "this is not a number as JSON writes it",
        "Write it in decimal digits, without a leading zero or +, or put it in quotes.",
      );
    this.#fail(this.#at, "a text is not in quotes", "Put double quotes around it.");
  }

  #members(close: string, item: () => void): void {
    this.#open.push({ close, index: this.#at });
    this.#at++;
    this.#blanks();
    if (this.text[this.#at] === close) return this.#close();
    for (;;) {
      item();
      this.#blanks();
      const next = this.text[this.#at];
      if (next === close) return this.#close();
      if (next === undefined) return this.#unclosed();
      if (next !== ",") this.#notAComma(next, close);
      const comma = this.#at;
      this.#at++;
      this.#blanks();
      if (this.text[this.#at] === close) this.#fail(comma, "a comma follows the last item", "Remove the comma.");
    }
  }

  #notAComma(next: string, close: string): never {
    if (next === "}" || next === "]") {
      const isOpen = this.#open.some((open) => open.close === next);
      const opener = close === "}" ? "{" : "[";
      if (isOpen) this.#fail(this.#at, `a ${close} is missing before this ${next}`, `Write ${close} before it.`);
      this.#fail(this.#at, `this ${next} does not close the ${opener} that is open`, `Write ${close} instead.`);
    }
    this.#fail(this.#at, "a comma is missing before this", "Put a comma after the item before it.");
  }

  #member(): void {
    this.#blanks();
    const first = this.text[this.#at];
    if (first === "'") this.#singleQuotes();
    if (first === undefined) return this.#unclosed();
    if (first === ",")
      this.#fail(this.#at, "there are two commas, or a comma without a member before it", "Remove the comma.");
    if (first !== '"') this.#fail(this.#at, "the name of a member is not in quotes", "Put double quotes around it.");
    this.#string();
    this.#blanks();
    if (this.text[this.#at] !== ":")
      this.#fail(this.#at, "a colon is missing after the name of a member", "Put a colon between name and value.");
    this.#at++;
    this.#value();
  }

  #string(): void {
    const start = this.#at;
    for (this.#at++; this.#at < this.text.length; this.#at++) {
      const code = this.text.charCodeAt(this.#at);
      if (code === 34) {
        this.#at++;
        return;
      }
      if (code === 10 || code === 13)
        this.#fail(
          start,
          "this quote is not closed before the end of its line",
          "Close it, or write \\n for a line break inside a text.",
        );
      if (code < 32)
        this.#fail(this.#at, "a tab or another control character is inside a text", "Write \\t for a tab.");
      if (code !== 92) continue;
      const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
      escape.lastIndex = this.#at;
      const found = escape.exec(this.text)?.[0];
      if (found === undefined) this.#fail(this.#at, "JSON has no such escape", "Write a backslash as \\\\.");
      this.#at += found.length - 1;
    }
    this.#fail(start, "this quote is never closed", "Close it.");
  }

  #blanks(): void {
    while (/[ \t\r\n]/u.test(this.text[this.#at] ?? "")) this.#at++;
    const rest = this.text.slice(this.#at, this.#at + 2);
    if (rest === "//" || rest === "/*" || rest.startsWith("#"))
      this.#fail(this.#at, "JSON has no comments", "Remove the comment, or write the value as YAML, which has them.");
    if (rest.startsWith("\u00a0") || rest.startsWith("\ufeff"))
      this.#fail(this.#at, "this is a space that JSON does not know", "Replace it with an ordinary one.");
  }

  #singleQuotes(): never {
    this.#fail(this.#at, "JSON has no single quotes", 'Write double quotes: ".');
  }

  #close(): void {
    this.#open.pop();
    this.#at++;
  }

  #unclosed(): never {
    const open = this.#open.at(-1);
    if (open === undefined) this.#fail(this.#at, "it ends too early", "Write the rest of it.");
    this.#fail(open.index, `this ${this.text[open.index] ?? ""} is never closed`, `Close it with ${open.close}.`);
  }

  #fail(index: number, message: string, remedy: string): never {
    throw new Found({ index, message, remedy });
  }
}
