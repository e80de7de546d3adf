import type { Change, Plan } from "../plan/plan-format.js";
import { wrap } from "../text/layout.js";
import type { Paint } from "../text/palette.js";
import { guardRunner, visibleLine } from "../text/visible.js";
import { groupBy, planHeadline, rehearsalLine, relaxationsLine, summaryLine } from "./headline.js";
import { lineDiffFor } from "./line-diff.js";
import { changeViews, orderNotes, splitDrift } from "./plan-sections.js";
import { actionOrder, actionStyles, paintOfImpact } from "./styles.js";
import {
  type FieldLayout,
  type TextLayout,
  type TextOptions,
  bodyIndent,
  fieldLayout,
  fieldsText,
  refusalsText,
  resourceHeading,
  warningsText,
} from "./text-parts.js";

/**
 * A plan for the terminal: the headline, changes by action (those that can do harm first) with only what differs,
 * overwritten drift apart, the order where it is unusual, warnings, refusals, totals. `verbose` shows long texts whole
 * and the order of every operation.
 */
export async function renderPlanText(plan: Plan, options: TextOptions): Promise<string> {
  const layout = fieldLayout(options, "plan", await lineDiffFor(plan.changes));
  const { paint } = layout;
  if (plan.changes.length + plan.refusals.length + plan.warnings.length === 0)
    return `${paint.bold(planHeadline(plan).headline)}\n`;
  const verbose = options.verbose === true;
  const { branch, overwritten } = splitDrift(plan.changes);
  const rehearsal = rehearsalLine(plan);
  const relaxations = relaxationsLine(plan);
  const lines = [
    ...headlineText(plan, layout),
    paint.dim(`Stack ${visibleLine(plan.stack)} at ${visibleLine(plan.baseUrl)}`),
    ...groupBy(branch, actionOrder, (change) => change.action).flatMap(({ key, items }) =>
      section(`${actionStyles[key].heading} (${items.length})`, items, layout),
    ),
    ...section(`Drift that would be overwritten (${overwritten.length})`, overwritten, layout),
    ...orderText(plan, layout, verbose),
    ...warningsText(plan.warnings, layout),
    ...refusalsText(plan.refusals, layout),
    "",
    ...(relaxations === null ? [] : [paint.bold(visibleLine(relaxations))]),
    ...(rehearsal === null ? [] : [paint.dim(rehearsal)]),
    ...(verbose ? [paint.dim(`Plan hash ${visibleLine(plan.hash)}`)] : []),
    ...(plan.changes.length === 0 && plan.refusals.length === 0 ? [] : [paint.bold(summaryLine(plan.summary))]),
  ];
  while (lines.at(-1) === "") lines.pop();
  return guardRunner(`${lines.join("\n")}\n`);
}

function headlineText(plan: Plan, { paint, width }: TextLayout): readonly string[] {
  const { impact, label, empty, headline, refusal } = planHeadline(plan);
  if (empty && refusal === null) return [paint.bold(headline)];
  const head = empty ? [headline] : wrapLabel(label.toUpperCase(), headline, paintOfImpact(impact, paint), width);
  return refusal === null ? head : [...wrapLabel("REFUSED", refusal, paint.alarm, width), ...head];
}

function wrapLabel(label: string, text: string, tone: Paint, width: number): readonly string[] {
  const column = `${label}  `;
  return wrap(text, width, column, " ".repeat(column.length)).map((line, index) =>
    index === 0 ? tone(label) + line.slice(label.length) : line,
  );
}

function section(title: string, changes: readonly Change[], layout: FieldLayout): readonly string[] {
  if (changes.length === 0) return [];
  return ["", layout.paint.bold(title), ...changes.flatMap((change) => changeText(change, layout))];
}

/** One change: a heading, the reason for its impact, notes, then its fields. */
function changeText(change: Change, layout: FieldLayout): readonly string[] {
  const { paint, width } = layout;
  const { mark, paint: tone } = actionStyles[change.action];
  const { fields, reason, notes } = changeViews(change, layout.diff, layout.limits);
  return [
    `  ${paint[tone](mark.padEnd(3))} ${resourceHeading(change, paint, originNotes(change, layout))}`,
    ...(reason === null ? [] : noteText(reason, width).map((line) => paintOfImpact(change.impact, paint)(line))),
    ...notes.flatMap((note) => noteText(note, width).map((line) => paint.dim(line))),
    ...fieldsText(fields, layout),
  ];
}

function originNotes({ origin }: Change, { paint }: TextLayout): readonly string[] {
  if (origin === "drift") return [paint.change("(changed live)")];
  return origin === "both" ? [paint.alarm("(conflict: changed here and live)")] : [];
}

function noteText(note: string, width: number): readonly string[] {
  return wrap(note, width, `${bodyIndent}# `, `${bodyIndent}  `);
}

const mostNotes = 20;

function orderText(plan: Plan, { paint, width }: TextLayout, verbose: boolean): readonly string[] {
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
