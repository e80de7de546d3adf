import { setImmediate } from "node:timers/promises";

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
    await setImmediate();
  }
}
