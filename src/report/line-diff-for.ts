import type { FieldChange } from "../plan/plan-format.js";
import { isLongText } from "./block-lines.js";
import { type LineDiff, loadLineDiff } from "./line-diff.js";

/** The comparison of lines that these items need; the real one is loaded only when two texts or objects meet. */
export async function lineDiffFor(items: readonly { readonly fields: readonly FieldChange[] }[]): Promise<LineDiff> {
  return items.some((item) => item.fields.some(needsDiff)) ? loadLineDiff() : replaceWhole;
}

function needsDiff(field: FieldChange): boolean {
  return spansLines(field.before) && spansLines(field.after);
}

function spansLines(value: FieldChange["before"]): boolean {
  return typeof value === "string" ? isLongText(value) : typeof value === "object" && value !== null;
}

const replaceWhole: LineDiff = (before, after) => [
  ...before.map((text) => ({ mark: "-", text }) as const),
  ...after.map((text) => ({ mark: "+", text }) as const),
];
