import { limits } from "../core/limits.js";

/**
 * Remembers the addresses of the pages of lists, from the second page on, as the service gave them. It holds nothing of
 * their content. What it returns is not trusted: see {@link AskedAhead}.
 */
export interface PageMemory {
  /** The addresses of a list, in order; empty = none are known. */
  recall(list: ListName): readonly string[];
  /** Replaces what was known about a list; empty = forgets it. */
  remember(list: ListName, pages: readonly string[]): void;
}

/** A list of one service. */
export interface ListName {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** `/edges/tls`. */
  readonly collection: string;
}

/** Remembered pages of any number of lists. What was not remembered anew for longest goes when there are too many. */
export class RememberedPages implements PageMemory {
  readonly #lists = new Map<string, { readonly name: ListName; readonly pages: readonly string[] }>();
  readonly #most: number;
  #count = 0;

  /** @param most how many addresses it holds, of all lists together */
  constructor(most: number = limits.rememberedPages) {
    this.#most = most;
  }

  recall(list: ListName): readonly string[] {
    return this.#lists.get(keyOf(list))?.pages ?? [];
  }

  remember(list: ListName, pages: readonly string[]): void {
    this.#forget(keyOf(list));
    if (pages.length === 0 || pages.length > this.#most) return;
    this.#lists.set(keyOf(list), { name: list, pages });
    this.#count += pages.length;
    for (const oldest of this.#lists.keys()) {
      if (this.#count <= this.#most) break;
      this.#forget(oldest);
    }
  }

  /** All lists, those that were remembered first in front. */
  *[Symbol.iterator](): Generator<ListName & { readonly pages: readonly string[] }> {
    for (const { name, pages } of this.#lists.values()) yield { ...name, pages };
  }

  #forget(key: string): void {
    this.#count -= this.#lists.get(key)?.pages.length ?? 0;
    this.#lists.delete(key);
  }
}

function keyOf({ baseUrl, collection }: ListName): string {
  return JSON.stringify([baseUrl, collection]);
}

/**
 * The same memory for a client that may use it once for each list: later lists, which check what was written, follow the
 * chain of pages. What they find is remembered all the same.
 */
export function recalledOnce(memory: PageMemory): PageMemory {
  const recalled = new Set<string>();
  return {
    recall: (list) => {
      if (recalled.has(keyOf(list))) return [];
      recalled.add(keyOf(list));
      return memory.recall(list);
    },
    remember: (list, pages) => memory.remember(list, pages),
  };
}
