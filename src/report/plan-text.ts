import type { Change, Origin, Plan } from "../plan/plan-format.js";
import { cut, listFew, wrap } from "../text/layout.js";
import type { Paint, Palette } from "../text/palette.js";
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
  commitText,
  fieldLayout,
  fieldsText,
  headingText,
  refusalsText,
  resourceHeading,
  warningsText,
} from "./text-parts.js";

/** `compact` shows one line for each change, and no order. */
export interface PlanTextOptions extends TextOptions {
  readonly compact?: boolean;
}

/**
 * A plan for the terminal: the headline, changes by action (those that can do harm first) with only what differs,
 * overwritten drift apart, the order where it is unusual, warnings, refusals, totals. `verbose` shows long texts whole
 * and the order of every operation.
 */
export async function renderPlanText(plan: Plan, options: PlanTextOptions): Promise<string> {
  const layout = fieldLayout(options, await lineDiffFor(plan.changes));
  const { paint } = layout;
  if (plan.changes.length + plan.refusals.length + plan.warnings.length === 0)
    return guardRunner(`${[paint.bold(planHeadline(plan).headline), ...commitText(plan, layout)].join("\n")}\n`);
  const verbose = options.verbose === true;
  const rehearsal = rehearsalLine(plan);
  const relaxations = relaxationsLine(plan);
  const counts = plan.changes.length + plan.refusals.length === 0 ? [] : [paint.bold(summaryLine(plan.summary))];
  const lines = [
    ...headlineText(plan, layout),
    ...(plan.changes.length > mostWithoutCounts ? counts : []),
    paint.dim(`Stack ${visibleLine(plan.stack)} at ${visibleLine(plan.baseUrl)}`),
    ...commitText(plan, layout),
    ...(options.compact === true ? compactText(plan, layout) : wholeText(plan, layout, verbose)),
    ...warningsText(plan.warnings, layout),
    ...refusalsText(plan.refusals, layout),
    "",
    ...(relaxations === null
      ? []
      : wrap(visibleLine(relaxations), layout.width, "", "").map((line) => paint.bold(line))),
    ...(rehearsal === null ? [] : [paint.dim(rehearsal)]),
    ...(verbose ? [paint.dim(`Plan hash ${visibleLine(plan.hash)}`)] : []),
    ...counts,
  ];
  while (lines.at(-1) === "") lines.pop();
  return guardRunner(`${lines.join("\n")}\n`);
}

/** A plan of more changes is longer than a screen: its counts are also above it. */
const mostWithoutCounts = 10;

function wholeText(plan: Plan, layout: FieldLayout, verbose: boolean): readonly string[] {
  const { branch, overwritten } = splitDrift(plan.changes);
  return [
    ...groupBy(branch, actionOrder, (change) => change.action).flatMap(({ key, items }) =>
      section(`${actionStyles[key].heading} (${items.length})`, items, layout),
    ),
    ...section(`Drift that would be overwritten (${overwritten.length})`, overwritten, layout),
    ...orderText(plan, layout, verbose),
  ];
}

/** One line for each change: those that can do harm first. */
function compactText({ changes }: Plan, layout: FieldLayout): readonly string[] {
  if (changes.length === 0) return [];
  const sorted = groupBy(changes, actionOrder, (change) => change.action).flatMap(({ items }) => items);
  return ["", ...sorted.map((change) => compactLine(change, layout))];
}

/** `~   update  TLSEdge/api  edgtls_1  [routing]  edge/a.yaml:3: traffic goes to another backend; also spec.hostports` */
function compactLine(change: Change, { paint, limits }: FieldLayout): string {
  const { action } = change;
  const { mark, paint: tone } = actionStyles[action];
  const what = compactWhat(change);
  const heading = resourceHeading(change, paint, compactNotes(change, paint)).join("  ");
  const word = paint[tone](`${mark.padEnd(3)} ${action.padEnd(longestAction)}`);
  return `  ${word} ${heading}${what === "" ? "" : `: ${cut(what, limits.line)}`}`;
}

const longestAction = Math.max(...actionOrder.map((action) => action.length));

/** The reason for the worst impact, and the other fields of a resource that stays. */
function compactWhat({ action, fields, reason }: Change): string {
  const isChanged = action === "update" || action === "replace" || action === "adopt";
  const others = fields.filter((field) => isChanged && (reason === null || field.reason !== reason));
  const paths = listFew(
    others.map(({ path }) => visibleLine(path)),
    4,
  );
  if (reason === null || paths === "") return reason === null ? paths : visibleLine(reason);
  // The reason of a replacement is that of the whole resource.
  return others.length === fields.length
    ? `${visibleLine(reason)} (${paths})`
    : `${visibleLine(reason)}; also ${paths}`;
}

/** As {@link originNotes}; a change that was made in parts is not split here, but its parts are named. */
function compactNotes({ fields, origin }: Change, paint: Palette): readonly string[] {
  if (origin === "drift") return [paint.change("(changed live)")];
  if (origin === "both" && fields.length === 0) return [paint.alarm("(conflict: changed here and live)")];
  const pathsFrom = (one: Origin): string =>
    listFew(
      fields.flatMap((field) => (field.origin === one ? [visibleLine(field.path)] : [])),
      3,
    );
  const [conflicts, live, unknown] = [pathsFrom("both"), pathsFrom("drift"), pathsFrom("unknown")];
  return [
    ...(conflicts === "" ? [] : [paint.alarm(`(conflict, changed here and live: ${conflicts})`)]),
    ...(live === "" ? [] : [paint.change(`(changed live: ${live})`)]),
    ...(unknown === "" ? [] : [paint.change(`(secret rotated or changed live: ${unknown})`)]),
  ];
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
    ...headingText(
      `  ${paint[tone](mark.padEnd(3))} `,
      resourceHeading(change, paint, originNotes(change, layout)),
      layout,
    ),
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
