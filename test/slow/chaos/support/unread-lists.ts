/** Which lists a connection could not read, the last time that it looked. */
export class UnreadLists {
  readonly #unread = new Map<string, string>();
  /** Lists that are searched for what a request without a clear answer may have made. */
  readonly #searched = new Set<string>();

  /** The first of them; null = it could read all. */
  get first(): string | null {
    const [first = null] = this.#unread.keys();
    return first;
  }

  /** A list was asked for. @param why it could not be read; null = it could */
  asked(path: string, why: string | null): void {
    // A search asks for that list alone, while others go on writing by what they read before. A look asks for all lists.
    if (!this.#searched.has(path)) this.#searched.clear();
    else if (why !== null) return;
    if (why === null) this.#unread.delete(path);
    else this.#unread.set(path, why);
  }

  /** Something was to be made in a list, and what became of it is not known. */
  doubted(path: string): void {
    this.#searched.add(path);
  }
}
