import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject, Value } from "../../src/json.ts";
import { runs } from "../support/runs.ts";
import { type GivenAnswer, isDerived } from "./support/derived-list.ts";
import {
  type Answering,
  type Listed,
  type Rank,
  addressAfter,
  addressesOf,
  firstPage,
  idOf,
  keyset,
  listCalmly,
  mutated,
  openList,
  page,
  settle,
} from "./support/paged-service.ts";

/** Numbers that decide what happens next. */
type Dice = (sides: number) => number;

const diceOf = (numbers: readonly number[]): Dice => {
  let at = 0;
  return (sides) => {
    at += 1;
    return ((numbers[at % numbers.length] ?? 0) + at * 7) % sides;
  };
};

/** A service by how it names its pages. Positions move when resources come and go; ids don't. */
const services: { readonly [name: string]: (size: number, dice: Dice) => Answering } = {
  "ids, forever": (size) => keyset(size, false),
  "ids that exist": (size) => keyset(size, true),
  "ids, pages of varying sizes": (size, dice) => (ranks, url) => keyset(1 + dice(size + 1), false)(ranks, url),
  "ids that expire": (size, dice) => (ranks, url) =>
    url.search !== "" && dice(4) === 0 ? 410 : keyset(size, false)(ranks, url),
  offsets: (size) => byPosition(size, (at) => `?offset=${at}&limit=${size}`),
  "offsets that look like ids": (size) => byPosition(size, (at) => `?before_id=edgtls_${at}&limit=${size}`),
  "opaque positions": (size) => byPosition(size, (at) => `?page_token=tok_${at}`),
  "ids beside something that changes": (size, dice) => (ranks, url) => {
    const body = keyset(size, false)(ranks, url);
    if (typeof body === "number") return body;
    const { next_page_uri: next } = body as JsonObject;
    return { ...(body as JsonObject), next_page_uri: typeof next === "string" ? `${next}&call=${dice(9)}` : null };
  },
};

function byPosition(size: number, address: (at: number) => string): Answering {
  return (ranks, url) => {
    const at = Number(/(\d+)/.exec(url.search)?.[1] ?? 0);
    const end = at + size;
    return page(ranks.slice(at, end), end < ranks.length ? `${firstPage}${address(end)}` : null);
  };
}

/** Bends an answer. */
function lie(body: Value | number, dice: Dice): Value | number {
  if (typeof body === "number") return body;
  const { tls_edges: items, next_page_uri: next } = body as { tls_edges: JsonObject[]; next_page_uri: string | null };
  const some = { id: idOf(1 + dice(9)) };
  const lies: (Value | number)[] = [
    500,
    404,
    {},
    { tls_edges: [], next_page_uri: next },
    { tls_edges: items.toReversed(), next_page_uri: next },
    { tls_edges: [...items, some], next_page_uri: next },
    { tls_edges: [some, ...items], next_page_uri: next },
    { tls_edges: items.slice(1), next_page_uri: next },
    { tls_edges: items, next_page_uri: null },
    { tls_edges: items, next_page_uri: addressAfter(1 + dice(9), 2) },
    { tls_edges: items, next_page_uri: "https://other.test/v1/edges/tls?before_id=edgtls_1" },
    { tls_edges: [{ id: "bkdhr_1" }, { id: "bkdhr_2" }], next_page_uri: next },
    { backends: items, next_page_uri: next },
    { tls_edges: [...items, 1], next_page_uri: next },
  ];
  return lies[dice(lies.length)] ?? 500;
}

interface Eventful extends Listed {
  readonly answers: readonly GivenAnswer[];
  readonly worlds: readonly (readonly Rank[])[];
  readonly lies: number;
}

interface Event {
  readonly before: readonly Rank[];
  readonly remembered: readonly string[];
  readonly answering: Answering;
  /** One answer in so many is bent; 0 = none. */
  readonly liesEvery: number;
  readonly changesEvery: number;
  readonly turns: number;
}

/** Lists while resources come and go; answers come in any order. */
async function listEventfully(
  { answering, before, changesEvery, liesEvery, remembered, turns }: Event,
  dice: Dice,
): Promise<Eventful> {
  const answers: GivenAnswer[] = [];
  const worlds = [before];
  let lies = 0;
  const list = openList(remembered, { turns, distance: 3 * turns });
  for (;;) {
    await settle();
    const listed = list.ended();
    if (listed !== null) return { ...listed, answers, worlds, lies };
    const ranks = worlds.at(-1) ?? [];
    if (changesEvery > 0 && dice(changesEvery) === 0) {
      const rank = 1 + dice(18) / 2;
      worlds.push(mutated(ranks, ranks.includes(rank) ? { remove: rank } : { insert: rank }));
      continue;
    }
    const next = list.pending[dice(list.pending.length)];
    if (next === undefined) throw new Error("it waits for nothing");
    let body = answering(ranks, next.url);
    if (liesEvery > 0 && dice(liesEvery) === 0) {
      body = lie(body, dice);
      lies += 1;
    }
    answers.push({ address: next.url.href, isAhead: next.isAhead, body });
    next.answer(body);
  }
}

const ranks = fc
  .uniqueArray(fc.integer({ min: 1, max: 9 }), { maxLength: 9 })
  .map((all) => all.toSorted((a, b) => b - a));
const size = fc.integer({ min: 1, max: 4 });
const dice = fc.array(fc.nat(5000), { minLength: 40, maxLength: 40 }).map(diceOf);
const turns = fc.constantFrom(1, 2, 8);

describe("remembered pages", () => {
  it.each(Object.keys(services))("with %s give a list that the service's answers make up", async (name) => {
    const property = fc.asyncProperty(
      fc.record({ ranks, now: ranks, size, turns, dice, changesEvery: fc.constantFrom(0, 3, 9) }),
      async ({ ranks: earlier, now: before, size: pageSize, turns: atATime, dice: roll, changesEvery }) => {
        const answering = (services[name] ?? (() => keyset(1, false)))(pageSize, roll);
        const { remembered: learned } = await listCalmly(answering, earlier, []);
        const remembered = learned ?? addressesOf(earlier, pageSize);
        const event = { before, remembered, answering, liesEvery: 0, changesEvery, turns: atATime };
        const listed = await listEventfully(event, roll);
        expectDerived(listed);
        if (name === "ids, forever" || name === "ids, pages of varying sizes") expectComplete(listed);
      },
    );
    await fc.assert(property, runs(40));
  });

  it("give such a list when the service lies, whatever is remembered", async () => {
    const anyAddress = fc.oneof(
      fc.integer({ min: 0, max: 9 }).map((rank) => addressAfter(rank, 2)),
      fc.integer({ min: 0, max: 9 }).map((rank) => addressAfter(rank, 2).replace("limit=2", "limit=1")),
      fc.constantFrom(
        `${firstPage}?offset=2`,
        `${firstPage}?page_token=tok_2`,
        firstPage,
        "",
        "x:y",
        "//",
        "?before_id=a",
      ),
    );
    const property = fc.asyncProperty(
      fc.record({
        before: ranks,
        size,
        turns,
        dice,
        liesEvery: fc.constantFrom(2, 4, 9),
        name: fc.constantFrom(...Object.keys(services)),
      }),
      fc.oneof(
        fc.array(anyAddress, { maxLength: 9 }),
        fc.shuffledSubarray([1, 2, 3, 4, 5, 6, 7, 8, 9].map((rank) => addressAfter(rank, 2))),
      ),
      async ({ before, size: pageSize, turns: atATime, dice: roll, liesEvery, name }, remembered) => {
        const answering = (services[name] ?? (() => keyset(1, false)))(pageSize, roll);
        expectDerived(
          await listEventfully({ before, remembered, answering, liesEvery, changesEvery: 6, turns: atATime }, roll),
        );
      },
    );
    await fc.assert(property, runs(250));
  });

  it("are those of the last listing, and none when addresses don't name the last resource of a page", async () => {
    const all = [9, 8, 7, 6, 5, 4, 3, 2, 1];
    for (const [name, service] of Object.entries(services)) {
      const { remembered } = await listCalmly(
        service(2, () => 1),
        all,
        [],
      );
      expect(remembered, name).toEqual(
        /^ids, forever|exist|expire/.test(name)
          ? addressesOf(all, 2)
          : name.includes("varying")
            ? expect.anything()
            : [],
      );
    }
  });
});

function expectDerived({ answers, counts, lies, result }: Eventful): void {
  expect(counts.counted).toBeLessThanOrEqual(counts.asked);
  if (result instanceof Error) {
    // Positions move, ids may be refused: following the pages ends with an error then, too.
    const refused = answers.some(({ body, isAhead }) => !isAhead && typeof body === "number");
    expect(refused || lies > 0 || /appears again|leads back/.test(result.message), result.message).toBe(true);
    return;
  }
  expect(isDerived(result, answers, firstPage), JSON.stringify({ result, answers })).toBe(true);
}

/** Every resource that existed all the time is there, once. */
function expectComplete({ result, worlds }: Eventful): void {
  expect(result).not.toBeInstanceOf(Error);
  if (result instanceof Error) return;
  expect(new Set(result).size).toBe(result.length);
  const always = (worlds[0] ?? []).filter((rank) => worlds.every((world) => world.includes(rank)));
  expect(result).toEqual(expect.arrayContaining(always.map(idOf)));
}
