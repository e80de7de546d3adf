let steps = 0;

/** Counts a step of a request of this process: it is sent, or a part of its response has come. */
export function countNetworkStep(): void {
  steps += 1;
}

/**
 * How many steps there were so far. If there was one in the last turn of the event loop, another is likely in the next: a
 * response comes in several parts, and the next request follows it. Work that can wait should let them pass.
 */
export function networkSteps(): number {
  return steps;
}
