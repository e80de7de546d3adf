import type { MaxDeletes, PlanOptions } from "../options.js";
import type { FindingsCollector } from "../verdicts.js";
import type { ResourceChange } from "../work.js";

/** Refuses more deletes than the stack allows at once (`too-many-deletes`). */
export function checkDeletes(
  works: readonly ResourceChange[],
  owned: number,
  options: PlanOptions,
  verdicts: FindingsCollector,
): void {
  const deletes = works.reduce((sum, work) => sum + work.deleted.length, 0);
  const bound = deleteBound(options.maxDeletes, owned);
  if (deletes <= bound) return;
  verdicts.refuse(
    "too-many-deletes",
    null,
    `${deletes} resources would be deleted (replacements included), and ${bound} of the ${owned} that the stack owns may be`,
    `make sure that no manifest went missing; if this is meant, raise the bound with --max-deletes ${deletes}`,
  );
}

/** How many deletes pass: the given number or share, or the larger of 3 and 25 %, rounded down. */
export function deleteBound(max: MaxDeletes | null, owned: number): number {
  if (max === null) return Math.max(3, Math.floor(owned / 4));
  return "count" in max ? max.count : Math.floor((owned * max.percent) / 100);
}
