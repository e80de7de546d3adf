/** Both numbers start at 1; columns count UTF-16 code units. */
export type Position = Readonly<{
  line: number;
  column: number;
}>;

export class LineIndex {
  readonly #starts: number[] = [0];

  constructor(readonly text: string) {
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) this.#starts.push(end + 1);
  }

  position(offset: number): Position {
    const at = Math.max(0, Math.min(offset, this.text.length));
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: at - (this.#starts[low] ?? 0) + 1 };
  }

  get count(): number {
    return this.#starts.length;
  }

  line(number: number): string {
    const start = this.#starts[number - 1];
    if (start === undefined) return "";
    return this.text.slice(start, (this.#starts[number] ?? this.text.length + 1) - 1).replace(/\r$/u, "");
  }
}
