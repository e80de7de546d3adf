import { EdgewiseError } from "../../../src/core/errors.ts";
import type { JsonObject, Value } from "../../../src/core/json.ts";
import type { Interpreted } from "../../../src/api/interpret-response.ts";
import { listPages } from "../../../src/api/list-pages.ts";

export const base = new URL("https://api.test/v1");
export const collection = { path: "/edges/tls", member: "tls_edges" };
export const firstPage = `${base.href}${collection.path}`;

/** A resource is its place in the list: the list is in falling order. */
export type Rank = number;

export const idOf = (rank: Rank): string => `edgtls_${String(rank).replace(".", "h")}`;
const rankOf = (id: string): Rank => Number(id.slice("edgtls_".length).replace("h", "."));

export type Mutation = { readonly insert: Rank } | { readonly remove: Rank };

export function mutated(ranks: readonly Rank[], change: Mutation): readonly Rank[] {
  if ("remove" in change) return ranks.filter((rank) => rank !== change.remove);
  return [...ranks.filter((rank) => rank !== change.insert), change.insert].toSorted((a, b) => b - a);
}

/** What a service answers at an address: a body, or a status. */
export type Answering = (ranks: readonly Rank[], url: URL) => Value | number;

export const page = (ranks: readonly Rank[], next: string | null): JsonObject => ({
  tls_edges: ranks.map((rank) => ({ id: idOf(rank) })),
  next_page_uri: next,
});

/**
 * A service whose addresses name the last resource of the page before.
 * @param strict whether it refuses a resource that is gone
 */
export function keyset(size: number, strict: boolean): Answering {
  return (ranks, url) => {
    const before = url.searchParams.get("before_id");
    if (strict && before !== null && !ranks.includes(rankOf(before))) return 400;
    const rest = before === null ? ranks : ranks.filter((rank) => rank < rankOf(before));
    return page(rest.slice(0, size), rest.length > size ? nextOf(rest, size) : null);
  };
}

export const addressAfter = (rank: Rank | undefined, size: number): string =>
  `${firstPage}?before_id=${idOf(rank ?? 0)}&limit=${size}`;

const nextOf = (rest: readonly Rank[], size: number): string => addressAfter(rest[size - 1], size);

export function addressesOf(ranks: readonly Rank[], size: number): string[] {
  const ends = ranks.filter((_, index) => index % size === size - 1 && index < ranks.length - 1);
  return ends.map((rank) => addressAfter(rank, size));
}

export interface Pending {
  readonly url: URL;
  readonly isAhead: boolean;
  answer(with_: Value | number): void;
}

export interface Listed {
  readonly result: readonly string[] | Error;
  readonly remembered: readonly string[] | null;
  readonly counts: { readonly asked: number; readonly counted: number };
}

export interface OpenList {
  readonly pending: Pending[];
  readonly ended: () => Listed | null;
}

export function openList(pages: readonly string[]): OpenList {
  const pending: Pending[] = [];
  let remembered: readonly string[] | null = null;
  let counts = { asked: 0, counted: 0 };
  let listed: Listed | null = null;
  const read = (url: URL, stop?: AbortSignal) =>
    new Promise<Interpreted>((resolve, reject) => {
      const answer = (body: Value | number): void => {
        pending.splice(pending.indexOf(request), 1);
        if (typeof body === "number") reject(new EdgewiseError("api", `status ${body}`));
        else resolve({ status: 200, body, bytes: 10 });
      };
      const request: Pending = { url, isAhead: stop !== undefined, answer };
      pending.push(request);
    });
  const end = (result: readonly string[] | Error): void => {
    listed = { result, remembered, counts };
  };
  listPages(base, collection, {
    read,
    show: (text) => text,
    remembered: pages,
    distance: 24,
    onEnd: (addresses, { asked, counted }) => {
      remembered = addresses;
      counts = { asked, counted };
    },
  }).then(
    (items) => end(items.map(({ id }) => String(id))),
    (error: unknown) => end(error instanceof Error ? error : new Error(String(error))),
  );
  return { pending, ended: () => listed };
}

export const settle = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
