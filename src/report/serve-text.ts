import { count, spanOf, wrap } from "../core/text.js";
import { visibleLine } from "../core/visible.js";
import { alignColumns, palette } from "./styles.js";

export type SummarizedStack = Readonly<{
  name: string;
  state: string;
  reason: string | null;
  commit: string | null;
  impact: string;
  message: string;
  ageSeconds: number | null;
  uncomparedSecrets: number;
}>;

export function renderServeText(
  stacks: readonly SummarizedStack[],
  options: Readonly<{ ages?: boolean; color: boolean; width?: number }>,
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
  const [first = "", ...lines] = alignColumns([head, ...rows]);
  const body = stacks.flatMap(({ state, message, uncomparedSecrets }, at) => {
    const row = lines[at] ?? "";
    const isWell = message === "" || (state === "synced" && uncomparedSecrets === 0);
    const text = isWell ? [] : wrap(visibleLine(message), width, "  ", "  ");
    return [state === "failed" || state === "refused" ? paint.alarm(row) : row, ...text];
  });
  const counts = new Map<string, number>();
  for (const { state } of stacks) counts.set(state, (counts.get(state) ?? 0) + 1);
  const states = [...counts].map(([state, times]) => `${times} ${state}`).join(", ");
  return `${[paint.bold(first), ...body, "", `${count(stacks.length, "stack")}: ${states}`].join("\n")}\n`;
}
