// The planner alone, with the rehearsal, as two costs: of a process that plans once, and of one that has planned before.
import { atMost, linear, mib, ratio, thousands, us } from "./format.mjs";
import { inner } from "./inner.mjs";
import { inTurn, median } from "./measure.mjs";

/**
 * "Once" is the median of whole processes that plan once, less the median of equal ones that only make the account: code
 * that runs for the first time is slow, and that is what a command pays. "Warm" is the minimum of several plans in one
 * process, as a service would make them. Memory is that of a process that plans once.
 */
export async function planner({ rounds }) {
  const rows = [];
  for (const changed of [0, 1]) {
    let few = null;
    for (const count of [1000, 10_000]) {
      const [once, account, warm] = await inTurn(
        rounds,
        () => inner("plan", count, changed, 1),
        () => inner("plan", count, changed, 0),
        () => inner("plan", count, changed, 5),
      );
      const each = (member) =>
        ((median(once.map((run) => run[member])) - median(account.map((run) => run[member]))) * 1000) / count;
      const least = Math.min(...warm.map((run) => run.us));
      few ??= least;
      const goal = [];
      if (changed === 0 && count === 10_000) goal.push(atMost(least, 8, "warm ≤ 8 µs"));
      if (count > 1000) goal.push(linear(least, few));
      const peak = median(once.map((run) => run.mib));
      rows.push({
        what: `plan ${thousands(count)} in memory, ${changed === 1 ? "all changed" : "no change"}`,
        measured: `once, median: ${us(each("wholeMs"))} each, CPU ${us(each("wholeCpuMs"))}`,
        against: `warm, minimum: ${us(least)} each; at 1k ${us(few)}`,
        ratio: ratio(least, few),
        goal,
        peak: mib(peak),
      });
      if (changed === 0 && count === 10_000) {
        const what = "bring both sides of 10k to normal form first";
        const read = Math.min(...warm.map((run) => run.readUs));
        rows.push({ what, measured: `minimum: ${us(read)} each`, against: "done while pages are on their way" });
      }
    }
  }
  return rows;
}
