import type { Impact } from "../kinds/impact.js";
import type { FindingType } from "../plan/drift-findings.js";
import type { Action } from "../plan/plan-format.js";
import { styleText } from "node:util";

export type Paint = (text: string) => string;

export type Palette = ReturnType<typeof palette>;

/** The caller decides on colours, so Node's own check of stdout and `NO_COLOR` is switched off. */
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

interface ActionStyle {
  readonly mark: string;
  readonly heading: string;
  readonly paint: keyof Palette;
}

/** The actions, in the order in which they are shown: those that can do harm come first. */
export const actionStyles = {
  delete: { mark: "-", heading: "Delete", paint: "remove" },
  replace: { mark: "-/+", heading: "Replace", paint: "replace" },
  orphan: { mark: "o", heading: "Orphan: kept, no longer managed", paint: "dim" },
  update: { mark: "~", heading: "Update", paint: "change" },
  adopt: { mark: ">", heading: "Adopt", paint: "adopt" },
  create: { mark: "+", heading: "Create", paint: "add" },
} as const satisfies { readonly [A in Action]: ActionStyle };

/** The types of findings, in the order in which they are shown. */
export const findingStyles = {
  missing: { mark: "-", heading: "Missing", meaning: "in a manifest, but not live", paint: "remove" },
  modified: { mark: "~", heading: "Modified", meaning: "live differs from the manifest", paint: "change" },
  unexpected: { mark: "+", heading: "Unexpected", meaning: "owned by this stack, but in no manifest", paint: "add" },
  unmanaged: { mark: "?", heading: "Unmanaged", meaning: "live, but owned by no stack", paint: "dim" },
  expiring: { mark: "!", heading: "Expiring", meaning: "a certificate expires soon", paint: "change" },
  dangling: { mark: "!", heading: "Dangling", meaning: "refers to something that is gone", paint: "remove" },
  tolerated: { mark: "=", heading: "Tolerated", meaning: "the configuration accepts it: not counted", paint: "dim" },
  pending: { mark: "*", heading: "Pending", meaning: "merged and not yet applied: not drift", paint: "dim" },
} as const satisfies { readonly [T in FindingType]: ActionStyle & { readonly meaning: string } };

export const impactBadges = {
  none: "⚪ none",
  cosmetic: "⚪ cosmetic",
  routing: "🟡 routing",
  security: "🟠 security",
  irreversible: "🔴 irreversible",
} as const satisfies { readonly [I in Impact]: string };

export function paintOfImpact(impact: Impact, paint: Palette): Paint {
  if (impact === "security" || impact === "irreversible") return paint.alarm;
  return impact === "routing" ? paint.change : paint.dim;
}

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
