import type { Drift } from "../plan/drift-findings.js";
import type { Change, Origin, Plan } from "../plan/plan-format.js";
import { cut, listFew, wrap } from "../core/text.js";
import { guardRunner, visibleLine } from "../core/visible.js";
import { driftView } from "./drift-view.js";
import type { FieldLimits } from "./field-view.js";
import { orderNotes, planItem, planView, rehearsalLine, relaxationsLine, summaryLine } from "./plan-view.js";
import { type ReportItem, type ReportView, itemFields } from "./report-view.js";
import { type Paint, actionOrder, paintOfImpact } from "./styles.js";
import {
  type TextLayout,
  type TextOptions,
  bodyIndent,
  commitText,
  fieldsText,
  headingText,
  refusalsText,
  resourceHeading,
  textLayout,
  warningsText,
} from "./text-parts.js";

/** A plan of more changes is longer than a screen: its counts are also above it. */
const mostWithoutCounts = 10;

/**
 * A plan for the terminal: the headline, changes by action (those that can do harm first) with only what differs,
 * overwritten drift apart, the order where it is unusual, warnings, refusals, totals. `verbose` shows long texts whole
 * and the order of every operation; `compact` shows one line for each change, and no order.
 */
export function renderPlanText(plan: Plan, options: TextOptions & { readonly compact?: boolean }): string {
  const layout = textLayout(options);
  const { paint, width } = layout;
  const view = planView(plan);
  const { changes, refusals, warnings } = plan;
  if (changes.length + refusals.length + warnings.length === 0)
    return guardRunner(`${[paint.bold(view.headline.sentence), ...commitText(plan, layout)].join("\n")}\n`);
  const verbose = options.verbose === true;
  const [rehearsal, relaxations] = [rehearsalLine(plan), relaxationsLine(plan)];
  const counts = changes.length + refusals.length === 0 ? [] : [paint.bold(summaryLine(plan.summary))];
  const lines = [
    ...headlineText(view, layout),
    ...(changes.length > mostWithoutCounts ? counts : []),
    ...stackText(view, layout),
    ...(options.compact === true
      ? compactText(changes, layout)
      : [...sectionsText(view, options), ...orderText(plan, layout, verbose)]),
    ...warningsText(warnings, layout),
    ...refusalsText(refusals, layout),
    "",
    ...(relaxations === null ? [] : wrap(visibleLine(relaxations), width, "", "").map((line) => paint.bold(line))),
    ...(rehearsal === null ? [] : [paint.dim(rehearsal)]),
    ...(verbose ? [paint.dim(`Plan hash ${visibleLine(plan.hash)}`)] : []),
    ...counts,
  ];
  while (lines.at(-1) === "") lines.pop();
  return guardRunner(`${lines.join("\n")}\n`);
}

/** Drift for the terminal: the headline, then findings by type, each with what its manifest says and what is live. */
export function renderDriftText(drift: Drift, options: TextOptions): string {
  const layout = textLayout(options);
  const { paint } = layout;
  const view = driftView(drift);
  const { impact, sentence } = view.headline;
  const worst = impact === "none" ? "" : `; the worst is ${paintOfImpact(impact, paint)(impact)}`;
  const lines = [
    drift.clean ? paint.bold(sentence) : `${paint.bold("DRIFT")}  ${sentence}${worst}`,
    ...stackText(view, layout),
    ...(view.legend === null ? [] : [paint.dim(`${view.legend}.`)]),
    ...sectionsText(view, options),
    ...warningsText(drift.warnings, layout),
  ];
  return guardRunner(`${lines.join("\n")}\n`);
}

function headlineText({ headline }: ReportView, { paint, width }: TextLayout): readonly string[] {
  const { impact, label, refusal, sentence } = headline;
  if (label === "" && refusal === null) return [paint.bold(sentence)];
  const head = label === "" ? [sentence] : labelled(label.toUpperCase(), sentence, paintOfImpact(impact, paint), width);
  return refusal === null ? head : [...labelled("REFUSED", refusal, paint.alarm, width), ...head];
}

function labelled(label: string, text: string, tone: Paint, width: number): readonly string[] {
  const [first = "", ...rest] = wrap(text, width, `${label}  `, " ".repeat(label.length + 2));
  return [tone(label) + first.slice(label.length), ...rest];
}

function stackText({ baseUrl, made, stack }: ReportView, layout: TextLayout): readonly string[] {
  return [layout.paint.dim(`Stack ${visibleLine(stack)} at ${visibleLine(baseUrl)}`), ...commitText(made, layout)];
}

function sectionsText({ sections }: ReportView, options: TextOptions): readonly string[] {
  const layout = textLayout(options);
  const { paint, width } = layout;
  // Paths and reasons take up the rest of a line.
  const limits: FieldLimits =
    options.verbose === true
      ? { inline: width, line: 10_000, lines: 100_000 }
      : { inline: width - 30, line: longestLine, lines: 80 };
  return sections.flatMap(({ hint, items, title }) => [
    "",
    `${paint.bold(`${title} (${items.length})`)}${hint === null ? "" : paint.dim(`: ${hint}`)}`,
    ...items.flatMap((item) => itemText(item, limits, layout)),
  ]);
}

const longestLine = 300;

/** A heading, what was found, the reason for the impact, notes, then the fields. */
function itemText(item: ReportItem, limits: FieldLimits, layout: TextLayout): readonly string[] {
  const { direction, flag, impact, isOwnReason, mark, notes, reason, sentence } = item;
  const { paint, width } = layout;
  const flags = flag === null ? [] : [paint[flag.paint](`(${flag.text})`)];
  const note = (text: string): readonly string[] => wrap(text, width, `${bodyIndent}# `, `${bodyIndent}  `);
  const start = `  ${paint[item.paint](mark.padEnd(direction === "apply" ? 3 : 1))} `;
  return [
    ...headingText(start, resourceHeading(item, paint, flags), layout),
    ...(sentence === "" ? [] : wrap(visibleLine(sentence), width, bodyIndent, bodyIndent)),
    ...(isOwnReason && reason !== null
      ? note(`${impact}: ${visibleLine(reason)}`).map((line) => paintOfImpact(impact, paint)(line))
      : []),
    ...notes.flatMap((each) => note(visibleLine(each)).map((line) => paint.dim(line))),
    ...fieldsText(itemFields(item, limits), layout),
  ];
}

/** One line for each change: those that can do harm first. */
function compactText(changes: readonly Change[], layout: TextLayout): readonly string[] {
  const sorted = actionOrder.flatMap((action) => changes.filter((change) => change.action === action));
  return sorted.length === 0 ? [] : ["", ...sorted.map((change) => compactLine(change, layout))];
}

/** `~   update  TLSEdge/api  edgtls_1  [routing]  edge/a.yaml:3: traffic goes to another backend; also spec.hostports` */
function compactLine(change: Change, { paint }: TextLayout): string {
  const { action, mark, paint: tone } = { ...change, ...planItem(change) };
  const what = compactWhat(change);
  const heading = resourceHeading(change, paint, compactFlags(change, paint)).join("  ");
  const word = paint[tone](`${mark.padEnd(3)} ${action.padEnd(longestAction)}`);
  return `  ${word} ${heading}${what === "" ? "" : `: ${cut(what, longestLine)}`}`;
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
  return `${visibleLine(reason)}${others.length === fields.length ? ` (${paths})` : `; also ${paths}`}`;
}

/** Who changed what; a change that was made in parts is not split here, but its parts are named. */
function compactFlags({ fields, origin }: Change, paint: TextLayout["paint"]): readonly string[] {
  if (origin === "drift") return [paint.change("(changed live)")];
  if (origin === "both" && fields.length === 0) return [paint.alarm("(conflict: changed here and live)")];
  const from = (one: Origin, words: string, tone: Paint): readonly string[] => {
    const paths = fields.flatMap((field) => (field.origin === one ? [visibleLine(field.path)] : []));
    return paths.length === 0 ? [] : [tone(`(${words}: ${listFew(paths, 3)})`)];
  };
  return [
    ...from("both", "conflict, changed here and live", paint.alarm),
    ...from("drift", "changed live", paint.change),
    ...from("unknown", "secret rotated or changed live", paint.change),
  ];
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
