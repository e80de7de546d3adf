import type { Refusal, Warning } from "../plan/plan-format.js";
import { visibleLine } from "./escape.js";
import type { Palette } from "./palette.js";
import { wrap } from "./wrap.js";

/** Refusals with what to do about each. */
export function refusalsText(refusals: readonly Refusal[], paint: Palette, width: number): readonly string[] {
  if (refusals.length === 0) return [];
  return [
    "",
    paint.alarm(`Refused (${refusals.length})`),
    ...refusals.flatMap((refusal) => [
      `  ${paint.alarm("!")} ${paint.bold(refusal.code)}${refusal.address === undefined ? "" : `  ${visibleLine(refusal.address)}`}`,
      ...wrap(visibleLine(refusal.message), width, "      ", "      "),
      ...wrap(visibleLine(refusal.remedy), width, "      To do: ", "      "),
    ]),
  ];
}

/** Warnings, each on its own lines. */
export function warningsText(warnings: readonly Warning[], paint: Palette, width: number): readonly string[] {
  if (warnings.length === 0) return [];
  return [
    "",
    paint.change(`Warnings (${warnings.length})`),
    ...warnings.flatMap((warning) => [
      `  ${paint.change("!")} ${paint.bold(visibleLine(warning.code))}${warning.address === undefined ? "" : `  ${visibleLine(warning.address)}`}`,
      ...wrap(visibleLine(warning.message), width, "      ", "      "),
    ]),
  ];
}
