import { type Value, isObject } from "../core/json.js";
import { isResourceId } from "../kinds/names.js";

/** One page of a list. */
export interface ListPage {
  readonly items: readonly { readonly id: string; readonly item: Value }[];
  /** The page's `next_page_uri`, which nobody has checked; null = it is the last page. */
  readonly next: string | null;
}

/**
 * Reads the body of a response as a page.
 * @param member the member that holds the resources
 * @returns why it is no page, when it isn't one
 */
export function pageOf(body: Value, member: string): ListPage | string {
  if (!isObject(body)) return "the response is not a JSON object";
  const list = body[member];
  if (!Array.isArray(list)) return `the response has no array ${JSON.stringify(member)}`;
  const items: { readonly id: string; readonly item: Value }[] = [];
  for (const [index, item] of list.entries()) {
    const id: unknown = isObject(item) ? item["id"] : undefined;
    if (!isResourceId(id)) return `${member}[${index}] is not an object with an id`;
    items.push({ id, item: item as Value });
  }
  const next = body["next_page_uri"] ?? null;
  if (next !== null && (typeof next !== "string" || next === "")) return "next_page_uri is neither null nor a text";
  return { items, next };
}
