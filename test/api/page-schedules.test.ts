import { describe, expect, it } from "vitest";
import type { Interpreted } from "../../src/api/interpret-response.ts";
import { listPages } from "../../src/api/list-pages.ts";
import { EdgewiseError } from "../../src/core/errors.ts";
import type { JsonObject, Value } from "../../src/core/json.ts";

const base = new URL("https://api.test/v1");
const collection = { path: "/edges/tls", member: "tls_edges" };
const firstPage = `${base.href}${collection.path}`;

/** A resource is its place in the list: the list is in falling order. */
type Rank = number;

const idOf = (rank: Rank): string => `edgtls_${String(rank).replace(".", "h")}`;
const rankOf = (id: string): Rank => Number(id.slice("edgtls_".length).replace("h", "."));

type Mutation = { readonly insert: Rank } | { readonly remove: Rank };

function mutated(ranks: readonly Rank[], change: Mutation): readonly Rank[] {
  if ("remove" in change) return ranks.filter((rank) => rank !== change.remove);
  return [...ranks.filter((rank) => rank !== change.insert), change.insert].toSorted((a, b) => b - a);
}

type Answering = (ranks: readonly Rank[], url: URL) => Value | number;

const page = (ranks: readonly Rank[], next: string | null): JsonObject => ({
  tls_edges: ranks.map((rank) => ({ id: idOf(rank) })),
  next_page_uri: next,
});

/** A service whose addresses name the last resource of the page before. */
function keyset(size: number, strict: boolean): Answering {
  return (ranks, url) => {
    const before = url.searchParams.get("before_id");
    if (strict && before !== null && !ranks.includes(rankOf(before))) return 400;
    const rest = before === null ? ranks : ranks.filter((rank) => rank < rankOf(before));
    return page(rest.slice(0, size), rest.length > size ? nextOf(rest, size) : null);
  };
}

const addressAfter = (rank: Rank | undefined, size: number): string =>
  `${firstPage}?before_id=${idOf(rank ?? 0)}&limit=${size}`;

const nextOf = (rest: readonly Rank[], size: number): string => addressAfter(rest[size - 1], size);

function addressesOf(ranks: readonly Rank[], size: number): string[] {
  const ends = ranks.filter((_, index) => index % size === size - 1 && index < ranks.length - 1);
  return ends.map((rank) => addressAfter(rank, size));
}

interface Pending {
  readonly url: URL;
  readonly isAhead: boolean;
  answer(with_: Value | number): void;
}

interface Listed {
  readonly result: readonly string[] | Error;
  readonly remembered: readonly string[] | null;
  readonly counts: { readonly asked: number; readonly counted: number };
}

interface OpenList {
  readonly pending: Pending[];
  readonly ended: () => Listed | null;
}

function openList(pages: readonly string[]): OpenList {
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

const settle = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

class Choices {
  readonly #path: { chosen: number; readonly options: number }[] = [];
  #at = 0;

  choose(options: number): number {
    const known = this.#path[this.#at];
    this.#at += 1;
    if (known !== undefined) return known.chosen;
    this.#path.push({ chosen: 0, options });
    return 0;
  }

  next(): boolean {
    this.#at = 0;
    while (this.#path.length > 0) {
      const last = this.#path.at(-1);
      if (last !== undefined && last.chosen + 1 < last.options) {
        last.chosen += 1;
        return true;
      }
      this.#path.pop();
    }
    return false;
  }
}

interface Situation {
  readonly answering: Answering;
  readonly before: readonly Rank[];
  readonly remembered: readonly string[];
  readonly mutations: readonly Mutation[];
}

/** Lists once. Each request is answered after so many of the mutations as the choices say. */
async function listOnce(situation: Situation, choices: Choices): Promise<Listed> {
  const list = openList(situation.remembered);
  const due = new Map<object, number>();
  let happened = 0;
  let { before: ranks } = situation;
  for (;;) {
    await settle();
    const listed = list.ended();
    if (listed !== null) return listed;
    for (const request of list.pending)
      if (!due.has(request)) due.set(request, happened + choices.choose(situation.mutations.length - happened + 1));
    const next = list.pending.find((request) => (due.get(request) ?? 0) <= happened);
    if (next !== undefined) {
      next.answer(situation.answering(ranks, next.url));
      continue;
    }
    const mutation = situation.mutations[happened];
    if (mutation === undefined) throw new Error("it waits for nothing");
    ranks = mutated(ranks, mutation);
    happened += 1;
  }
}

function wrongWith({ result }: Listed, { before, mutations }: Situation, strict: boolean): string | null {
  const worlds = [before];
  for (const mutation of mutations) worlds.push(mutated(worlds.at(-1) ?? [], mutation));
  if (result instanceof Error) return strict && result.message === "status 400" ? null : result.message;
  const ranked = worlds.flat().filter((rank, index, all) => all.indexOf(rank) === index);
  const places = result.map((id) => ranked.find((rank) => idOf(rank) === id) ?? Number.NaN);
  if (places.some((place, index) => index > 0 && !(place < (places[index - 1] ?? 0)))) return "not in order, or twice";
  const missing = ranked.filter(
    (rank) => worlds.every((world) => world.includes(rank)) && !result.includes(idOf(rank)),
  );
  return missing.length === 0 ? null : `missing ${missing.map(idOf).join()}`;
}

function changesOf(ranks: readonly Rank[]): Mutation[] {
  const removals = ranks.map((remove) => ({ remove }));
  return [...removals, ...[0.5, ...ranks.map((rank) => rank + 0.5)].map((insert) => ({ insert }))];
}

async function tryAll(situations: Iterable<Situation>, strict: boolean): Promise<{ lists: number; counted: number }> {
  let lists = 0;
  let counted = 0;
  for (const situation of situations) {
    const choices = new Choices();
    do {
      const listed = await listOnce(situation, choices);
      lists += 1;
      counted += listed.counts.counted;
      const wrong = wrongWith(listed, situation, strict);
      if (wrong !== null) expect.fail(`${wrong}: ${JSON.stringify({ ...situation, listed })}`);
    } while (choices.next());
  }
  return { lists, counted };
}

function* situationsOf(ranks: readonly Rank[], size: number, during: number, strict: boolean): Generator<Situation> {
  const remembered = addressesOf(ranks, size);
  const answering = keyset(size, strict);
  for (const earlier of [null, ...changesOf(ranks)]) {
    const before = earlier === null ? ranks : mutated(ranks, earlier);
    const first = changesOf(before);
    const series =
      during === 1
        ? first.map((change) => [change])
        : first.flatMap((change) => changesOf(mutated(before, change)).map((next) => [change, next]));
    for (const mutations of series) yield { answering, before, remembered, mutations };
  }
}

describe("a list with remembered pages", () => {
  it.each([
    [[4, 3, 2, 1], 1, 1, false],
    [[5, 4, 3, 2, 1], 2, 1, true],
    [[3, 2, 1], 2, 2, false],
    [[2, 1], 1, 2, true],
  ] as const)(
    "misses and repeats nothing: %j in pages of %i, %i changes at any moment, refuses gone cursors: %s",
    async (ranks, size, during, strict) => {
      const { lists, counted } = await tryAll(situationsOf(ranks, size, during, strict), strict);
      expect(lists).toBeGreaterThan(100);
      expect(counted).toBeGreaterThan(lists / 4);
    },
  );
});
