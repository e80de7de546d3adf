import type { Impact } from "../kinds/impact.js";
import { styleText } from "node:util";

export type Paint = (text: string) => string;

export type Palette = ReturnType<typeof palette>;

/** The caller decides on colours. */
export function palette(color: boolean) {
  const paint =
    (...style: Extract<Parameters<typeof styleText>[0], string>[]): Paint =>
    (text) =>
      !color || text === "" ? text : styleText(style, text, { validateStream: false });
  return {
    add: paint("green"),
    remove: paint("red"),
    change: paint("yellow"),
    replace: paint("magenta"),
    adopt: paint("cyan"),
    alarm: paint("bold", "red"),
    bold: paint("bold"),
    dim: paint("dim"),
  } as const;
}

export function paintOfImpact(impact: Impact, paint: Palette): Paint {
  if (impact === "security" || impact === "irreversible") return paint.alarm;
  return impact === "routing" ? paint.change : paint.dim;
}

const mostAligned = 60;

/** Blanks at the end are left out. */
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
