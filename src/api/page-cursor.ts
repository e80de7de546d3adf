/** What tells the address of one page of a list from those of all others. */
export interface PageCursor {
  /** The address without the id: pages of one list have the same. */
  readonly shape: string;
  /** The resource that the page comes after. */
  readonly id: string;
}

/** Written alike in a URL and in JSON; and no number, because an offset may happen to equal an id. */
const plainId = /^(?=.*[A-Za-z_])[\w.~-]+$/;

/**
 * Reads an address whose only moving part may be the id of the resource that the page comes after, as in
 * `?before_id=edgtls_1&limit=100`. Such a page stays what it is while other resources are created and deleted, so it may
 * be read at any time. Anything else in a query (an offset, a page number, a snapshot) may move or expire.
 * @returns null when it is another sort of address. Whether the id is a resource's is for the caller to find out.
 */
export function cursorOf({ hash, origin, pathname, search }: URL): PageCursor | null {
  const parts = search.slice(1).split("&");
  const [moving, ...more] = parts.filter((part) => !/^limit=\d+$/.test(part));
  if (moving === undefined || more.length > 0 || hash !== "") return null;
  const [name, id, ...rest] = moving.split("=");
  if (name === undefined || id === undefined || rest.length > 0 || !/^[a-z_]+$/i.test(name)) return null;
  if (name === "limit" || !plainId.test(id)) return null;
  const fixed = parts.map((part) => (part === moving ? `${name}=` : part));
  return { shape: `${origin}${pathname}?${fixed.join("&")}`, id };
}
