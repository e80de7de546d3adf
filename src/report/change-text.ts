import type { Change } from "../plan/plan-format.js";
import { changeViews } from "./change-views.js";
import { visibleLine } from "./escape.js";
import { fieldsText } from "./field-text.js";
import type { FieldLimits } from "./field-view.js";
import { paintOfImpact } from "./impact-paint.js";
import type { LineDiff } from "./line-diff.js";
import { actionStyles } from "./marks.js";
import type { Palette } from "./palette.js";
import { wrap } from "./wrap.js";

/** What laying out a change needs. */
export interface ChangeLayout {
  readonly paint: Palette;
  readonly width: number;
  readonly limits: FieldLimits;
  readonly diff: LineDiff;
}

/** One change: a heading line, why it matters, notes, then what changes. */
export function changeText(change: Change, layout: ChangeLayout): readonly string[] {
  const { paint, width } = layout;
  const { mark, paint: tone } = actionStyles[change.action];
  const { fields, reason, notes } = changeViews(change, layout.diff, layout.limits);
  return [
    `  ${paint[tone](mark.padEnd(3))} ${changeHeading(change, layout)}`,
    ...(reason === null ? [] : noteText(reason, width).map((line) => paintOfImpact(change.impact, paint)(line))),
    ...notes.flatMap((note) => noteText(note, width).map((line) => paint.dim(line))),
    ...fieldsText(fields, { paint, width, indent: "      ", words: "plan" }),
  ];
}

function noteText(note: string, width: number): readonly string[] {
  return wrap(note, width, "      # ", "        ");
}

function changeHeading(change: Change, { paint }: ChangeLayout): string {
  const parts = [paint.bold(visibleLine(change.address))];
  if (change.id !== null) parts.push(paint.dim(visibleLine(change.id)));
  if (change.impact !== "none") parts.push(paintOfImpact(change.impact, paint)(`[${change.impact}]`));
  if (change.origin === "drift") parts.push(paint.change("(changed live)"));
  if (change.origin === "both") parts.push(paint.alarm("(conflict: changed here and live)"));
  if (change.source !== null) parts.push(paint.dim(`${visibleLine(change.source.file)}:${change.source.line}`));
  return parts.join("  ");
}
