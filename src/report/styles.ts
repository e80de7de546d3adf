import type { Impact } from "../kinds/impact.js";
import { stripVTControlCharacters, styleText } from "node:util";

export type Paint = (text: string) => string;

export type Palette = ReturnType<typeof palette>;

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

/** Cells may be painted. */
export function alignColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const lengthOf = (cell: string): number => stripVTControlCharacters(cell).length;
  const widths: number[] = [];
  for (const [at, cell] of rows.flatMap((cells) => [...cells.entries()]))
    widths[at] = Math.min(mostAligned, Math.max(widths[at] ?? 0, lengthOf(cell)));
  const padded = (cell: string, at: number): string =>
    cell + " ".repeat(Math.max(0, (widths[at] ?? 0) - lengthOf(cell)));
  return rows.map((cells) => cells.map(padded).join("  ").trimEnd());
}
