import type { Paint } from "./styles.js";

/** Wider columns are not aligned. */
const mostAligned = 60;

/** Rows as lines with aligned columns; what follows the last cell that is not empty is left out. */
export function alignColumns(
  rows: readonly (readonly string[])[],
  paints: readonly (readonly Paint[])[] = [],
): readonly string[] {
  const widths: number[] = [];
  for (const [at, cell] of rows.flatMap((cells) => [...cells.entries()]))
    widths[at] = Math.min(mostAligned, Math.max(widths[at] ?? 0, cell.length));
  return rows.map((cells, row) => {
    const last = cells.findLastIndex((cell) => cell !== "");
    const shown = cells.slice(0, last + 1).map((cell, at) => {
      const blanks = at === last ? "" : " ".repeat(Math.max(0, (widths[at] ?? 0) - cell.length));
      return (paints[row]?.[at]?.(cell) ?? cell) + blanks;
    });
    return shown.join("  ");
  });
}
