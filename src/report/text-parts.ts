import { stripVTControlCharacters } from "node:util";
import type { Plan, Refusal, Warning } from "../plan/plan-format.js";
import { listFew, wrap } from "../text/layout.js";
import { type Palette, palette } from "../text/palette.js";
import { visibleLine } from "../text/visible.js";
import type { FieldLimits, FieldView } from "./field-view.js";
import { type ReportedResource, commitLine } from "./headline.js";
import type { DiffLine, LineDiff } from "./line-diff.js";
import { paintOfImpact, signPaints } from "./styles.js";

/** `width` in columns (default 100); `verbose` leaves nothing out. */
export interface TextOptions {
  readonly color: boolean;
  readonly width?: number;
  readonly verbose?: boolean;
}

/** The colours of a report on a terminal, and its width in columns. */
export interface TextLayout {
  readonly paint: Palette;
  readonly width: number;
}

/** What laying out the fields of changes or findings needs besides. */
export interface FieldLayout extends TextLayout {
  readonly limits: FieldLimits;
  readonly diff: LineDiff;
}

export function textLayout({ color, width = 100 }: TextOptions): TextLayout {
  return { paint: palette(color), width: Math.max(40, width) };
}

/** The layout of fields; `diff` compares long texts. */
export function fieldLayout(options: TextOptions, diff: LineDiff): FieldLayout {
  const layout = textLayout(options);
  const { width } = layout;
  // Paths and reasons take up the rest of a line.
  const inline = width - 30;
  const limits =
    options.verbose === true ? { inline: width, line: 10_000, lines: 100_000 } : { inline, line: 300, lines: 80 };
  return { ...layout, limits, diff };
}

/** What names a changed resource: address, id, impact, `notes`, manifest. `notes` may be coloured. */
export function resourceHeading(
  resource: ReportedResource,
  paint: Palette,
  notes: readonly string[] = [],
): readonly string[] {
  const { address, id, impact, source } = resource;
  return [
    paint.bold(visibleLine(address)),
    ...(id === null || address.endsWith(`/${id}`) ? [] : [paint.dim(visibleLine(id))]),
    ...(impact === "none" ? [] : [paintOfImpact(impact, paint)(`[${impact}]`)]),
    ...notes,
    ...(source === null ? [] : [paint.dim(`${visibleLine(source.file)}:${source.line}`)]),
  ];
}

/** The parts of a heading beside each other; what the line has no room for goes on below. */
export function headingText(start: string, parts: readonly string[], { width }: TextLayout): readonly string[] {
  const lines = [start];
  let room = width - shownLength(start);
  for (const [index, part] of parts.entries()) {
    const length = shownLength(part) + (index === 0 ? 0 : 2);
    const last = lines.pop() ?? "";
    if (index > 0 && length > room) {
      lines.push(last, bodyIndent + part);
      room = width - bodyIndent.length - length + 2;
    } else {
      lines.push(last + (index === 0 ? "" : "  ") + part);
      room -= length;
    }
  }
  return lines;
}

/** The columns of a text, without its colours. */
function shownLength(text: string): number {
  return text.includes("\u001b") ? stripVTControlCharacters(text).length : text.length;
}

/** Below a resource's heading, everything is indented this far. */
export const bodyIndent = " ".repeat(6);

/** The fields of one resource; values without a counterpart are aligned. */
export function fieldsText(views: readonly FieldView[], layout: FieldLayout): readonly string[] {
  let column = 0;
  for (const view of views) if (isAlone(view)) column = Math.max(column, view.path.length);
  return views.flatMap((view) => withReason(view, fieldText(view, layout, Math.min(column, 40)), layout));
}

function isAlone(view: FieldView): boolean {
  return view.lines === null && (view.before === null || view.after === null);
}

/** A line, and its length without colours. */
interface MeasuredLine {
  readonly text: string;
  readonly length: number;
}

/** The lines of a field with the reason for its impact: beside the first when there is room, else below it. */
function withReason(view: FieldView, lines: readonly MeasuredLine[], { paint, width }: FieldLayout): readonly string[] {
  const [head, ...rest] = lines;
  if (view.reason === null || head === undefined) return lines.map((line) => line.text);
  const tone = paintOfImpact(view.impact, paint);
  const reason = `# ${view.impact}: ${view.reason}`;
  if (head.length + 2 + reason.length <= width) {
    return [`${head.text}  ${tone(reason)}`, ...rest.map((line) => line.text)];
  }
  const start = `${bodyIndent}  `;
  const below = wrap(reason, width, start, `${start}  `).map((line) => tone(line));
  return [head.text, ...below, ...rest.map((line) => line.text)];
}

/** @param column where values without a counterpart begin, counted from the start of the path */
function fieldText(view: FieldView, layout: FieldLayout, column: number): readonly MeasuredLine[] {
  const { paint, width } = layout;
  const tone = paint[signPaints[view.sign]];
  const tags = view.tags.length === 0 ? "" : view.tags.map((tag) => ` (${tag})`).join("");
  const line = (text: string, length: number): MeasuredLine => ({
    text: `${bodyIndent}${tone(view.sign)} ${text}${paint.dim(tags)}`,
    length: bodyIndent.length + 2 + length + tags.length,
  });
  const path = line(`${view.path}:`, view.path.length + 1);
  if (view.lines !== null) return [path, ...view.lines.flatMap((each) => diffLineText(each, layout))];
  if (view.before === null || view.after === null) {
    const pad = " ".repeat(Math.max(0, column - view.path.length) + 1);
    const value = view.after ?? view.before ?? "(none)";
    const whole = line(`${view.path}:${pad}${tone(value)}`, view.path.length + 1 + pad.length + value.length);
    if (whole.length <= width) return [whole];
    return [path, ...diffLineText({ mark: view.after === null ? "-" : "+", text: value }, layout)];
  }
  const before = paint.remove(view.before);
  const after = paint.add(view.after);
  const length = view.path.length + view.before.length + view.after.length + 6;
  if (bodyIndent.length + 2 + length + tags.length > width) {
    return [
      path,
      ...diffLineText({ mark: "-", text: view.before }, layout),
      ...diffLineText({ mark: "+", text: view.after }, layout),
    ];
  }
  return [line(`${view.path}: ${before} ${paint.dim("->")} ${after}`, length)];
}

/** One line of a difference; a longer one goes on below its beginning, with the same indentation. */
function diffLineText({ mark, text }: DiffLine, { paint, width }: FieldLayout): readonly MeasuredLine[] {
  const { lead, tone } = diffMarks[mark];
  const painted = (line: string): MeasuredLine => ({
    text: diffIndent + (tone === null ? line : paint[tone](line)),
    length: diffIndent.length + line.length,
  });
  if (diffIndent.length + lead.length + text.length <= width && !text.includes("\n")) return [painted(lead + text)];
  const blanks = /^ */u.exec(text)?.[0] ?? "";
  const indent = `${diffIndent}${lead}${blanks}`;
  const rest = `${" ".repeat(indent.length)}  `;
  return wrap(text.slice(blanks.length), width, indent, rest).map((line) => painted(line.slice(diffIndent.length)));
}

const diffIndent = `${bodyIndent}    `;

const diffMarks: { readonly [M in DiffLine["mark"]]: { readonly lead: string; readonly tone: keyof Palette | null } } =
  {
    "+": { lead: "+ ", tone: "add" },
    "-": { lead: "- ", tone: "remove" },
    " ": { lead: "  ", tone: null },
    gap: { lead: "⋮ ", tone: "dim" },
  };

/** The line that names the commit of `--ref`; none for manifests on disk. */
export function commitText(made: Partial<Pick<Plan, "commit" | "ref">>, { paint }: TextLayout): readonly string[] {
  const line = commitLine(made);
  return line === null ? [] : [paint.bold(line)];
}

/** Refusals, each with its remedy. */
export function refusalsText(refusals: readonly Refusal[], { paint, width }: TextLayout): readonly string[] {
  if (refusals.length === 0) return [];
  return [
    "",
    paint.alarm(`Refused (${refusals.length})`),
    ...refusals.flatMap((refusal) => [
      `  ${paint.alarm("!")} ${noticeHeading(refusal, paint)}`,
      ...wrap(visibleLine(refusal.message), width, bodyIndent, bodyIndent),
      ...wrap(visibleLine(refusal.remedy), width, `${bodyIndent}To do: `, bodyIndent),
    ]),
  ];
}

/** Of warnings with the same words, so many addresses are shown; the rest is counted. */
const mostAddresses = 6;

/** Warnings with the same words as one, with all of their addresses. */
export function distinctWarnings(warnings: readonly Warning[]): readonly Warning[] {
  return groupSame(warnings, ({ code, message }) => `${code} ${message}`).map((same) => {
    const addresses = same.flatMap(({ address }) => address ?? []);
    return addresses.length === 0 ? same[0] : { ...same[0], address: listFew(addresses, mostAddresses) };
  });
}

/** Warnings, each on its own lines. */
export function warningsText(warnings: readonly Warning[], { paint, width }: TextLayout): readonly string[] {
  if (warnings.length === 0) return [];
  return [
    "",
    paint.change(`Warnings (${warnings.length})`),
    ...distinctWarnings(warnings).flatMap((warning) => [
      `  ${paint.change("!")} ${noticeHeading(warning, paint)}`,
      ...wrap(visibleLine(warning.message), width, bodyIndent, bodyIndent),
    ]),
  ];
}

function noticeHeading({ code, address }: Refusal | Warning, paint: Palette): string {
  return `${paint.bold(visibleLine(code))}${address === undefined ? "" : `  ${visibleLine(address)}`}`;
}

/** Entries with the same key together, in the order of the first of each. */
export function groupSame<T>(entries: readonly T[], keyOf: (entry: T) => string): readonly (readonly [T, ...T[]])[] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const entry of entries) {
    const group = groups.get(keyOf(entry));
    if (group === undefined) groups.set(keyOf(entry), [entry]);
    else group.push(entry);
  }
  return [...groups.values()];
}
