import type { Result } from "../apply/result.js";

/** What heads the account of an apply. */
export interface ResultHeadline {
  readonly label: string;
  readonly sentence: string;
  readonly good: boolean;
  /** What to do next; null when there is nothing to do. */
  readonly next: string | null;
}

/** How many operations ended in which way. */
export interface StatusCounts {
  readonly done: number;
  readonly failed: number;
  readonly skipped: number;
  readonly unknown: number;
}

/** Counts operations by what became of them. */
export function countByStatus(result: Result): StatusCounts {
  const tally = { done: 0, failed: 0, skipped: 0, unknown: 0 };
  for (const operation of result.operations) tally[operation.status] += 1;
  return tally;
}

/** `7 done, 1 failed, 2 skipped, 0 unknown` */
export function statusCountsLine(tally: StatusCounts): string {
  return `${tally.done} done, ${tally.failed} failed, ${tally.skipped} skipped, ${tally.unknown} unknown`;
}

/** Judges a result, and says what to do next. */
export function resultHeadline(result: Result): ResultHeadline {
  const interrupted = result.interrupted ? " It was interrupted." : "";
  switch (result.outcome) {
    case "nothing":
      if (result.interrupted)
        return { label: "INTERRUPTED", sentence: "Nothing was changed.", good: false, next: "Run apply again." };
      if (result.verified === false) {
        return {
          label: "NOT CONVERGED",
          sentence: "The plan has nothing to do, and yet live differs from the manifests. Nothing was changed.",
          good: false,
          next: "See the warnings.",
        };
      }
      return { label: "NOTHING TO DO", sentence: "Live matches the manifests.", good: true, next: null };
    case "applied":
      return appliedHeadline(result.verified, interrupted);
    case "refused":
      return {
        label: "REFUSED",
        sentence: "Nothing was changed.",
        good: false,
        next: "See what each refusal asks for, then plan again.",
      };
    case "partial":
      return {
        label: "PARTIAL",
        sentence: `Something was changed, not everything.${interrupted}`,
        good: false,
        next: nextAfterPartial(result),
      };
    case "failed":
      return {
        label: "FAILED",
        sentence: `Nothing was changed.${interrupted}`,
        good: false,
        next: "Put right what failed, then run apply again.",
      };
  }
}

function appliedHeadline(verified: boolean | null, interrupted: string): ResultHeadline {
  if (verified === true) {
    return {
      label: "APPLIED",
      sentence: `Planning again gives nothing: live matches the manifests.${interrupted}`,
      good: true,
      next: null,
    };
  }
  if (verified === false) {
    return {
      label: "NOT CONVERGED",
      sentence: `Everything was done, and yet planning again still gives changes.${interrupted}`,
      good: false,
      next: "Run plan to see what still differs: the service changed what was sent, or somebody else did.",
    };
  }
  return {
    label: "APPLIED",
    sentence: `Not verified.${interrupted}`,
    good: true,
    next: "Run plan to see whether anything still differs.",
  };
}

function nextAfterPartial(result: Result): string {
  const { failed, unknown } = countByStatus(result);
  const look = unknown > 0 ? "Run plan: it shows what became of the operations whose outcome is unknown. " : "";
  const mend = failed > 0 ? "Put right what failed, then run apply again" : "Run apply again";
  return `${look}${mend}: it does only what is left.`;
}
