import { isObject, type Value } from "../../../src/json.ts";

/** An answer that a service gave while a list was read. */
export interface GivenAnswer {
  readonly address: string;
  readonly isAhead: boolean;
  readonly body: Value | number;
}

interface Given {
  readonly isAhead: boolean;
  readonly ids: readonly string[];
  readonly next: string | null;
}

/**
 * Whether answers that were given make up a list, one after another: each begins where the one before it ends, at the
 * address that it gave. In its place may stand the rest of one at an address of the same shape that names an earlier
 * resource, if it repeats all that follows this. One that was asked for ahead counts only with such addresses.
 */
export function isDerived(list: readonly string[], answers: readonly GivenAnswer[], first: string): boolean {
  const given = new Map<string, Given[]>();
  for (const { address, body, isAhead } of answers) {
    const page = readPage(body);
    if (page !== null) given.set(address, [...(given.get(address) ?? []), { ...page, isAhead }]);
  }
  const from = (known: number, address: string, been: readonly string[]): boolean => {
    const last = list[known - 1];
    const names = last !== undefined && address.split(/[=&]/).filter((part) => part === last).length === 1;
    const goesOn = ({ ids, next }: Given, start: number): boolean => {
      if (ids.some((id, index) => list[start + index] !== id) || start + ids.length < known) return false;
      if (next === null) return start + ids.length === list.length;
      const url = new URL(next, address).href;
      return !been.includes(url) && from(start + ids.length, url, [...been, url]);
    };
    for (const page of given.get(address) ?? []) if ((names || !page.isAhead) && goesOn(page, known)) return true;
    if (!names) return false;
    return list.slice(0, known - 1).some((id, at) => {
      const earlier = given.get(address.replace(`=${last}`, `=${id}`)) ?? [];
      return earlier.some((page) => at + 1 + page.ids.length > known && goesOn(page, at + 1));
    });
  };
  return from(0, first, [first]);
}

function readPage(body: Value | number): { readonly ids: readonly string[]; readonly next: string | null } | null {
  if (!isObject(body) || !Array.isArray(body["tls_edges"])) return null;
  const ids = body["tls_edges"].map((item: Value) => (isObject(item) ? item["id"] : null));
  const next = body["next_page_uri"] ?? null;
  if (!ids.every((id) => typeof id === "string") || (next !== null && typeof next !== "string")) return null;
  return { ids: ids.map(String), next };
}
