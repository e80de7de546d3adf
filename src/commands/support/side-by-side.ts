/** How work is done side by side. */
export interface Lanes<Item> {
  /** How many lanes have work at the same time. */
  readonly lanes: number;
  /** An item begins only when fewer than this separate it from the first one that is not done. */
  readonly mostAhead: number;
  /** Items with the same lane are done one after the other, in their order. */
  readonly laneOf: (item: Item) => string;
  readonly run: (item: Item, index: number, lane: string) => Promise<void>;
  /** Called when the last item of a lane is done. */
  readonly endLane: (lane: string) => Promise<void>;
}

/**
 * Does work for every item: lanes side by side, the items of a lane one after the other. The first item whose lane is free
 * is next, so that what comes first is not kept waiting.
 * @throws what `run` or `endLane` throws first, when what was begun has ended; nothing more is begun then
 */
export async function sideBySide<Item>(items: readonly Item[], options: Lanes<Item>): Promise<void> {
  const { endLane, laneOf, lanes, mostAhead, run } = options;
  const waiting = new Map<string, number[]>();
  for (const [index, item] of items.entries()) {
    const lane = laneOf(item);
    const queue = waiting.get(lane);
    if (queue === undefined) waiting.set(lane, [index]);
    else queue.push(index);
  }
  for (const queue of waiting.values()) queue.reverse();
  const running = new Map<string, Promise<void>>();
  const done = new Set<number>();
  const failures: unknown[] = [];
  let first = 0;

  const work = async (lane: string, index: number): Promise<void> => {
    try {
      const item = items[index];
      if (item !== undefined) await run(item, index, lane);
      if ((waiting.get(lane) ?? []).length === 0) {
        waiting.delete(lane);
        await endLane(lane);
      }
    } catch (error) {
      failures.push(error);
    }
    done.add(index);
    while (done.delete(first)) first += 1;
    running.delete(lane);
  };

  /** The lane whose next item is the first of all that may begin; null = none may. */
  const nextLane = (): string | null => {
    let best: string | null = null;
    let lowest = first + mostAhead;
    for (const [lane, queue] of waiting) {
      const next = queue.at(-1);
      if (next !== undefined && next < lowest && !running.has(lane)) [best, lowest] = [lane, next];
    }
    return best;
  };

  while (failures.length === 0) {
    const lane = running.size < lanes ? nextLane() : null;
    const index = lane === null ? undefined : waiting.get(lane)?.pop();
    if (lane !== null && index !== undefined) running.set(lane, work(lane, index));
    else if (running.size > 0) await Promise.race(running.values());
    else break;
  }
  await Promise.all(running.values());
  if (failures.length > 0) throw failures[0];
}
