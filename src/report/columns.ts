import type { Paint } from "./styles.js";

/** Wider columns are not aligned. */
const mostAligned = 60;

interface Row {
  readonly cells: readonly string[];
  readonly paints?: readonly Paint[];
}

/** Rows as lines with aligned columns; what follows the last cell that is not empty is left out. */
export function alignColumns(rows: readonly Row[]): readonly string[] {
  const widths: number[] = [];
  for (const { cells } of rows)
    for (const [at, cell] of cells.entries())
      widths[at] = Math.min(mostAligned, Math.max(widths[at] ?? 0, cell.length));
  return rows.map(({ cells, paints = [] }) => {
    const last = cells.findLastIndex((cell) => cell !== "");
    const shown = cells.slice(0, last + 1).map((cell, at) => {
      const blanks = at === last ? "" : " ".repeat(Math.max(0, (widths[at] ?? 0) - cell.length));
      return `${paints[at]?.(cell) ?? cell}${blanks}`;
    });
    return shown.join("  ");
  });
}
