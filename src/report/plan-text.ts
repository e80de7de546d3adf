import type { Change, Plan } from "../plan/plan-format.js";
import { wrap } from "../text/layout.js";
import { type Palette, palette } from "../text/palette.js";
import { guardRunner, visibleLine } from "../text/visible.js";
import type { FieldLimits } from "./field-view.js";
import { groupBy, planHeadline, rehearsalLine, relaxationsLine, summaryLine } from "./headline.js";
import { type LineDiff, lineDiffFor } from "./line-diff.js";
import { changeViews, orderNotes, splitDrift } from "./plan-sections.js";
import { actionOrder, actionStyles, paintOfImpact } from "./styles.js";
import { fieldsText, refusalsText, warningsText } from "./text-parts.js";

/** `width` in columns (default 100); `verbose` shows long texts whole and the order of every operation. */
export interface PlanTextOptions {
  readonly color: boolean;
  readonly width?: number;
  readonly verbose?: boolean;
}

/**
 * A plan for the terminal: the verdict, changes by action (those that can hurt first) with only what differs,
 * overwritten drift apart, the order where it is unusual, warnings, refusals, the sums.
 */
export async function renderPlanText(plan: Plan, options: PlanTextOptions): Promise<string> {
  const paint = palette(options.color);
  const width = Math.max(40, options.width ?? 100);
  const verbose = options.verbose === true;
  const limits: FieldLimits = verbose
    ? { inline: width, line: 10_000, lines: 100_000 }
    : { inline: width - 30, line: 300, lines: 80 };
  const layout: ChangeLayout = { paint, width, limits, diff: await lineDiffFor(plan.changes) };
  if (plan.changes.length + plan.refusals.length + plan.warnings.length === 0)
    return `${paint.bold(planHeadline(plan).headline)}\n`;
  const { branch, overwritten } = splitDrift(plan.changes);
  const rehearsal = rehearsalLine(plan);
  const relaxations = relaxationsLine(plan);
  const lines = [
    ...headlineText(plan, paint, width),
    paint.dim(`Stack ${visibleLine(plan.stack)} at ${visibleLine(plan.baseUrl)}`),
    ...groupBy(branch, actionOrder, (change) => change.action).flatMap(({ key, items }) =>
      section(`${actionStyles[key].heading} (${items.length})`, items, layout),
    ),
    ...section(`Drift that would be overwritten (${overwritten.length})`, overwritten, layout),
    ...orderText(plan, paint, width, verbose),
    ...warningsText(plan.warnings, paint, width),
    ...refusalsText(plan.refusals, paint, width),
    "",
    ...(relaxations === null ? [] : [paint.bold(visibleLine(relaxations))]),
    ...(rehearsal === null ? [] : [paint.dim(rehearsal)]),
    ...(verbose ? [paint.dim(`Plan hash ${visibleLine(plan.hash)}`)] : []),
    ...(plan.changes.length === 0 && plan.refusals.length === 0 ? [] : [paint.bold(summaryLine(plan.summary))]),
  ];
  while (lines.at(-1) === "") lines.pop();
  return guardRunner(`${lines.join("\n")}\n`);
}

function headlineText(plan: Plan, paint: Palette, width: number): readonly string[] {
  const { impact, empty, headline, refusal } = planHeadline(plan);
  if (empty && refusal === null) return [paint.bold(headline)];
  const label = impact === "none" || impact === "cosmetic" ? "CHANGES" : impact.toUpperCase();
  const tone = empty ? paint.dim : paintOfImpact(impact, paint);
  const head = empty ? [headline] : wrapLabel(label, headline, tone, width);
  return refusal === null ? head : [...wrapLabel("REFUSED", refusal, paint.alarm, width), ...head];
}

function wrapLabel(label: string, text: string, tone: (text: string) => string, width: number): readonly string[] {
  const column = `${label}  `;
  return wrap(text, width, column, " ".repeat(column.length)).map((line, index) =>
    index === 0 ? tone(label) + line.slice(label.length) : line,
  );
}

function section(title: string, changes: readonly Change[], layout: ChangeLayout): readonly string[] {
  if (changes.length === 0) return [];
  return ["", layout.paint.bold(title), ...changes.flatMap((change) => changeText(change, layout))];
}

const mostNotes = 20;

function orderText(plan: Plan, paint: Palette, width: number, verbose: boolean): readonly string[] {
  const notes = orderNotes(plan, verbose);
  if (notes.length === 0) return [];
  const shown = verbose ? notes : notes.slice(0, mostNotes);
  const left = notes.length - shown.length;
  return [
    "",
    paint.bold("Order"),
    ...shown.flatMap((note) => wrap(note.why, width, `  ${note.id}  ${note.what}: `, "        ")),
    ...(left > 0 ? [paint.dim(`  … and ${left} more, shown with --verbose`)] : []),
  ];
}

/** What laying out a change needs. */
export interface ChangeLayout {
  readonly paint: Palette;
  readonly width: number;
  readonly limits: FieldLimits;
  readonly diff: LineDiff;
}

/** One change: a heading line, why it matters, notes, then what changes. */
function changeText(change: Change, layout: ChangeLayout): readonly string[] {
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
