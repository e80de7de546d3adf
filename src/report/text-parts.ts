import type { Refusal, Warning } from "../plan/plan-format.js";
import { wrap } from "../text/layout.js";
import type { Paint, Palette } from "../text/palette.js";
import { visibleLine } from "../text/visible.js";
import type { FieldView } from "./field-view.js";
import type { DiffLine } from "./line-diff.js";
import { paintOfImpact } from "./styles.js";

/** How fields are laid out on a terminal. */
export interface FieldLayout {
  readonly paint: Palette;
  readonly width: number;
  readonly indent: string;
  /** In a plan, values go from live to the manifest's; drift tells both by name. */
  readonly words: "plan" | "drift";
}

/** The fields of one change as lines of text; values that stand alone are aligned. */
export function fieldsText(views: readonly FieldView[], layout: FieldLayout): readonly string[] {
  let column = 0;
  for (const view of views) if (isAlone(view)) column = Math.max(column, view.path.length);
  return views.flatMap((view) => [...withReason(view, fieldText(view, layout, Math.min(column, 40)), layout)]);
}

function isAlone(view: FieldView): boolean {
  return view.lines === null && (view.before === null || view.after === null);
}

/** A line, and its length without colours. */
interface MeasuredLine {
  readonly text: string;
  readonly length: number;
}

function withReason(view: FieldView, lines: readonly MeasuredLine[], layout: FieldLayout): readonly string[] {
  const [head, ...rest] = lines;
  if (view.reason === null || head === undefined) return lines.map((line) => line.text);
  const tone = paintOfImpact(view.impact, layout.paint);
  const reason = `# ${view.impact}: ${view.reason}`;
  if (head.length + 2 + reason.length <= layout.width) {
    return [`${head.text}  ${tone(reason)}`, ...rest.map((line) => line.text)];
  }
  const start = `${layout.indent}  `;
  const below = wrap(reason, layout.width, start, `${start}  `).map((line) => tone(line));
  return [head.text, ...below, ...rest.map((line) => line.text)];
}

function fieldText(view: FieldView, layout: FieldLayout, column: number): readonly MeasuredLine[] {
  const { paint, indent, width } = layout;
  const sign = signPaint(view.sign, paint)(view.sign);
  const tags = view.tags.map((tag) => ` (${tag})`).join("");
  const line = (text: string, length: number): MeasuredLine => ({
    text: `${indent}${sign} ${text}${paint.dim(tags)}`,
    length: indent.length + 2 + length + tags.length,
  });
  if (view.lines !== null) {
    return [line(`${view.path}:`, view.path.length + 1), ...view.lines.map((each) => blockLine(each, layout))];
  }
  if (view.before === null || view.after === null) {
    const pad = " ".repeat(Math.max(0, column - view.path.length) + 1);
    const value = namedSide(view.after ?? view.before ?? "(none)", view.sign, layout);
    const tone = signPaint(view.sign, paint);
    return [line(`${view.path}:${pad}${tone(value)}`, view.path.length + 1 + pad.length + value.length)];
  }
  const before = paint.remove(view.before);
  const after = paint.add(view.after);
  const length = view.path.length + view.before.length + view.after.length + 6;
  if (indent.length + 2 + length + tags.length > width) {
    return [
      line(`${view.path}:`, view.path.length + 1),
      blockLine({ mark: "-", text: view.before }, layout),
      blockLine({ mark: "+", text: view.after }, layout),
    ];
  }
  if (layout.words === "drift") return [line(`${view.path}: live ${before}, manifest ${after}`, length + 10)];
  return [line(`${view.path}: ${before} ${paint.dim("->")} ${after}`, length)];
}

function signPaint(sign: FieldView["sign"], paint: Palette): Paint {
  return sign === "+" ? paint.add : sign === "-" ? paint.remove : paint.change;
}

function namedSide(value: string, sign: FieldView["sign"], layout: FieldLayout): string {
  if (layout.words === "plan" || sign === "~") return value;
  return sign === "+" ? `not set live, manifest ${value}` : `live ${value}, not in the manifest`;
}

function blockLine(line: DiffLine, { paint, indent }: FieldLayout): MeasuredLine {
  const start = `${indent}    `;
  const length = start.length + 2 + line.text.length;
  if (line.mark === "+") return { text: start + paint.add(`+ ${line.text}`), length };
  if (line.mark === "-") return { text: start + paint.remove(`- ${line.text}`), length };
  if (line.mark === "gap") return { text: start + paint.dim(`⋮ ${line.text}`), length };
  return { text: `${start}  ${line.text}`, length };
}

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
