import type { Result } from "./result.js";

/**
 * The exit code of an apply: 0 done; 1 an error, nothing was changed; 3 stopped part-way or did
 * not converge, something was changed; 4 refused; 130 interrupted before anything was changed.
 */
export function exitCodeOf(result: Pick<Result, "outcome" | "verified" | "interrupted">): 0 | 1 | 3 | 4 | 130 {
  const { outcome, verified, interrupted } = result;
  switch (outcome) {
    case "refused":
      return 4;
    case "failed":
      return interrupted ? 130 : 1;
    case "partial":
      return 3;
    case "nothing":
      if (interrupted) return 130;
      return verified === false ? 1 : 0;
    case "applied":
      return interrupted || verified === false ? 3 : 0;
  }
}
