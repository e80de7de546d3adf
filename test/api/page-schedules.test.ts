import { describe, expect, it } from "vitest";
import {
  type Answering,
  type Listed,
  type Mutation,
  type Rank,
  addressesOf,
  idOf,
  keyset,
  mutated,
  openList,
  settle,
} from "./support/paged-service.ts";

/** Makes every choice once: each run replays a prefix of earlier choices and takes the first option from there on. */
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
      // Otherwise nothing would have been tried.
      expect(lists).toBeGreaterThan(100);
      expect(counted).toBeGreaterThan(lists / 4);
    },
  );
});
