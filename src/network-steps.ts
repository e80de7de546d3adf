import { setImmediate as turnOfTheLoop } from "node:timers/promises";

let steps = 0;

/** Counts a step of a request of this process: it is sent, or a part of its response has come. */
export function countNetworkStep(): void {
  steps += 1;
}

/** Requests go first, but not for ever: a process may always have some. */
const mostTurns = 5;

/**
 * Waits for a turn of the event loop, and for more while requests get on in them: a response comes in several parts, and
 * the next request follows it. For work that can wait a little.
 */
export async function letRequestsPass(): Promise<void> {
  for (let turn = 0, before = -1; turn < mostTurns && before !== steps; turn += 1) {
    before = steps;
    await turnOfTheLoop();
  }
}

const waiting: (() => void)[] = [];
let isTaken = false;

/**
 * Hands on a response. Of several that come in one turn of the event loop each gets a turn of its own: what the first one
 * leads to is sent before the next is looked at. Otherwise requests that were once sent together would go on being sent
 * together, each after the work for all of them.
 */
export function handOn(response: () => void): void {
  if (isTaken) {
    waiting.push(response);
    return;
  }
  isTaken = true;
  response();
  handOnNext();
}

/** In milliseconds. If two turns take longer, something else keeps the process busy, and would delay each response again. */
const longestTurns = 5;

/** After two turns: a kept connection is looked at for one before it is written to. */
function handOnNext(): void {
  const began = performance.now();
  setImmediate(() =>
    setImmediate(() => {
      isTaken = waiting.length > 0;
      const atOnce = performance.now() - began > longestTurns ? waiting.length : 1;
      for (const next of waiting.splice(0, atOnce)) next();
      if (isTaken) handOnNext();
    }),
  );
}
