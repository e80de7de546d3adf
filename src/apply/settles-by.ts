import type { WaitGraph } from "./graph.js";

/** How long services may take to settle, in milliseconds. */
export const defaultConsistencyMs = 30_000;

/**
 * Until when a refusal of an operation may be no more than the service not having settled: for a while after the last
 * of what it uses was made, or of what it takes was freed, in this run. Counted from there and not from the refusal, so
 * that thousands of operations with one real mistake don't each wait in vain.
 * @param endTimes when operations ended, in milliseconds since 1970
 * @returns milliseconds since 1970; null when it uses and takes nothing of this run
 */
export function consistencyDeadline(
  graph: WaitGraph,
  index: number,
  endTimes: readonly (number | undefined)[],
  settleMs: number = defaultConsistencyMs,
): number | null {
  const operation = graph.operations[index];
  let last: number | null = null;
  for (const before of graph.predecessors[index] ?? []) {
    const earlier = graph.operations[before];
    const reason = operation?.waits[earlier?.id ?? ""];
    const at = endTimes[before];
    // What changes a resource that this run made uses it as much as what refers to it does.
    const uses = reason === "use" || reason === "free" || (reason === "same" && earlier?.kind === "create");
    if (uses && at !== undefined) last = Math.max(last ?? at, at);
  }
  return last === null ? null : last + settleMs;
}
