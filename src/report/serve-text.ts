import { count, spanOf, wrap } from "../core/text.js";
import { visibleLine } from "../core/visible.js";
import { palette } from "./styles.js";

/** What a summary shows of one stack. */
export interface SummarizedStack {
  readonly name: string;
  readonly state: string;
  readonly reason: string | null;
  readonly commit: string | null;
  readonly impact: string;
  readonly message: string;
  /** Since the last look; null = there was none. */
  readonly ageSeconds: number | null;
  /** How many secrets can't be compared with live. */
  readonly uncomparedSecrets: number;
}

/**
 * The stacks of a fleet for people: a line for each, in the given order, with its message below unless all is well, and
 * how many there are in each state.
 * @param ages whether to show how long ago each was looked at; absent = all were just now
 * @param width where messages break; absent = nowhere
 */
export function renderServeText(
  stacks: readonly SummarizedStack[],
  options: { readonly ages?: boolean; readonly color: boolean; readonly width?: number },
): string {
  const { ages = false, color, width = Infinity } = options;
  const paint = palette(color);
  if (stacks.length === 0) return "no stacks: nothing in the sources is what the fleet file names\n";
  const rows = stacks.map(({ ageSeconds, name, state, reason, commit, impact }) => [
    visibleLine(name),
    reason === null ? state : `${state} (${reason})`,
    commit === null ? "-" : commit.slice(0, 12),
    impact,
    ...(ages ? [ageSeconds === null ? "never" : `${spanOf(ageSeconds)} ago`] : []),
  ]);
  const head = ["STACK", "STATE", "COMMIT", "IMPACT", ...(ages ? ["LOOKED AT"] : [])];
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => (row[at] ?? "").length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd();
  const body = stacks.flatMap(({ state, message, uncomparedSecrets }, at) => {
    const row = line(rows[at] ?? []);
    const bad = state === "failed" || state === "refused";
    const isWell = state === "synced" && uncomparedSecrets === 0;
    const text = message === "" || isWell ? [] : wrap(visibleLine(message), width, "  ", "  ");
    return [bad ? paint.alarm(row) : row, ...text];
  });
  return `${[paint.bold(line(head)), ...body, "", countStates(stacks)].join("\n")}\n`;
}

/** `3 stacks: 1 failed, 2 synced`, in the order of the stacks. */
function countStates(stacks: readonly SummarizedStack[]): string {
  const counts = new Map<string, number>();
  for (const { state } of stacks) counts.set(state, (counts.get(state) ?? 0) + 1);
  return `${count(stacks.length, "stack")}: ${[...counts].map(([state, times]) => `${times} ${state}`).join(", ")}`;
}
