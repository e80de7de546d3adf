import type { Plan } from "../plan/plan-format.js";
import { waitGraph } from "./wait-graph.js";

/** What limits how fast a plan can be applied. */
export interface Pace {
  /** How many requests any minute may hold; null = no ceiling. */
  readonly requestsPerMinute: number | null;
  readonly concurrency: number;
  /** Of one write, in milliseconds. */
  readonly latencyMs: number;
}

/**
 * The least time that the writes of a plan can take, in seconds, given the rate limit, the longest chain of operations
 * that wait for each other, and the concurrency. Reads, retries and waiting come on top.
 */
export function estimateSeconds(plan: Pick<Plan, "operations">, pace: Pace): number {
  const count = plan.operations.length;
  if (count === 0) return 0;
  const { requestsPerMinute, concurrency, latencyMs } = pace;
  const rounds = Math.max(longestChain(plan), Math.ceil(count / concurrency));
  // As many requests as a minute may hold can be sent at once.
  const limited = requestsPerMinute === null ? 0 : 60 * Math.floor((count - 1) / requestsPerMinute);
  return Math.max((rounds * latencyMs) / 1000, limited + latencyMs / 1000);
}

function longestChain({ operations }: Pick<Plan, "operations">): number {
  const { order, predecessors } = waitGraph(operations);
  const lengths = operations.map(() => 1);
  let longest = 0;
  for (const index of order) {
    let before = 0;
    for (const other of predecessors[index] ?? []) before = Math.max(before, lengths[other] ?? 0);
    lengths[index] = before + 1;
    longest = Math.max(longest, before + 1);
  }
  return longest;
}
