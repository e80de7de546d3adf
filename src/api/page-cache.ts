import { isObject } from "../core/json.js";
import { limits } from "../core/limits.js";
import { parseJson } from "../core/parse-json.js";
import { type ListName, RememberedPages } from "./page-memory.js";

/** The pages of one list, as the file has them. */
export interface CachedList extends ListName {
  readonly pages: readonly string[];
}

const format = "edgewise.pages/v1";

/**
 * Reads the text of a page cache (`schemas/pages.schema.json`). The addresses in it are not checked: nothing is sent to
 * one that can't be a page of its list.
 * @returns why it is not one (the end of a sentence about the file), when it isn't
 */
export function parsePageCache(text: string): readonly CachedList[] | string {
  if (text.trim() === "") return [];
  const parsed = parseJson(text);
  if (!("value" in parsed)) return "is not JSON";
  const { value } = parsed;
  if (!isObject(value) || value["format"] !== format || !Array.isArray(value["lists"])) return `is not ${format}`;
  const lists: CachedList[] = [];
  for (const list of value["lists"] as readonly unknown[]) {
    const read = readList(list);
    if (read === null) return `is not ${format}: a list in it is broken`;
    lists.push(read);
  }
  return lists;
}

function readList(value: unknown): CachedList | null {
  if (!isObject(value)) return null;
  const { baseUrl, collection, pages } = value;
  if (typeof baseUrl !== "string" || typeof collection !== "string" || !Array.isArray(pages)) return null;
  const addresses = pages.filter((page: unknown) => typeof page === "string");
  return addresses.length === pages.length ? { baseUrl, collection, pages: addresses } : null;
}

/**
 * The text of a page cache, with a line for each list, always the same for the same lists. When they are too many, some
 * are left out.
 * @param lists the most important ones last
 */
export function renderPageCache(lists: readonly CachedList[]): string {
  const kept = new RememberedPages();
  for (const { pages, ...name } of lists) kept.remember(name, pages);
  let bytes = 100; // Format and brackets.
  const lines = [...kept].toReversed().flatMap(({ baseUrl, collection, pages }) => {
    const text = JSON.stringify({ baseUrl, collection, pages });
    bytes += Buffer.byteLength(text) + 2;
    return bytes > limits.pageCacheBytes ? [] : [{ baseUrl, collection, text }];
  });
  const sorted = lines.toSorted((a, b) => compare(a.baseUrl, b.baseUrl) || compare(a.collection, b.collection));
  return `{"format":"${format}","lists":[\n${sorted.map(({ text }) => text).join(",\n")}\n]}\n`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
