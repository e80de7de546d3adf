import type { Change } from "../plan/plan.js";
import { visibleLine } from "./escape.js";
import { fieldsText } from "./field-text.js";
import { fieldView, type FieldLimits } from "./field-view.js";
import { impactPaint } from "./impact-paint.js";
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

/** One change: a heading line, then what changes, then notes. */
export function changeText(change: Change, layout: ChangeLayout): readonly string[] {
  const { paint, width } = layout;
  const style = actionStyles[change.action];
  const views = change.fields.map((field) => fieldView(field, layout.diff, layout.limits));
  const told = views.some(
    (view) => view.reason !== null && change.reason !== null && view.reason === visibleLine(change.reason),
  );
  const reason = change.reason === null || told ? [] : [`${change.impact}: ${visibleLine(change.reason)}`];
  return [
    heading(change, layout),
    ...fieldsText(views, { paint, width, indent: "      ", words: "plan" }),
    ...[...reason, ...change.notes.map(visibleLine)].flatMap((note) =>
      wrap(note, width, "      # ", "        ").map((line) => paint.dim(line)),
    ),
  ].map((line, index) => (index === 0 ? `  ${paint[style.paint](style.mark.padEnd(3))} ${line}` : line));
}

function heading(change: Change, { paint }: ChangeLayout): string {
  const parts = [paint.bold(visibleLine(change.address))];
  if (change.id !== null) parts.push(paint.dim(visibleLine(change.id)));
  if (change.impact !== "none") parts.push(impactPaint(change.impact, paint)(`[${change.impact}]`));
  if (change.origin === "drift") parts.push(paint.change("(changed live)"));
  if (change.origin === "both") parts.push(paint.alarm("(conflict: changed here and live)"));
  if (change.source !== null) parts.push(paint.dim(`${visibleLine(change.source.file)}:${change.source.line}`));
  return parts.join("  ");
}
