import { stripVTControlCharacters } from "node:util";
import type { Refusal, Warning } from "../plan/plan-format.js";
import { wrap } from "../core/text.js";
import { visibleLine } from "../core/visible.js";
import type { FieldView } from "./field-view.js";
import type { DiffLine } from "./line-diff.js";
import { type Made, type ReportedResource, commitLine, distinctWarnings, placeOf, shownId } from "./report-view.js";
import { type Palette, palette, paintOfImpact } from "./styles.js";

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

export function textLayout({ color, width = 100 }: TextOptions): TextLayout {
  return { paint: palette(color), width: Math.max(40, width) };
}

/** What names a changed resource: address, id, impact, `notes` (which may be coloured), manifest. */
export function resourceHeading(
  resource: ReportedResource,
  paint: Palette,
  notes: readonly string[],
): readonly string[] {
  const { address, impact } = resource;
  const [id, place] = [shownId(resource), placeOf(resource)];
  return [
    paint.bold(visibleLine(address)),
    ...(id === null ? [] : [paint.dim(visibleLine(id))]),
    ...(impact === "none" ? [] : [paintOfImpact(impact, paint)(`[${impact}]`)]),
    ...notes,
    ...(place === null ? [] : [paint.dim(visibleLine(place))]),
  ];
}

/** The parts of a heading beside each other; what the line has no room for goes on below. */
export function headingText(start: string, parts: readonly string[], { width }: TextLayout): readonly string[] {
  const lines: string[] = [];
  let line = start;
  for (const [index, part] of parts.entries()) {
    const longer = line + (index === 0 ? "" : "  ") + part;
    if (index > 0 && stripVTControlCharacters(longer).length > width) {
      lines.push(line);
      line = bodyIndent + part;
    } else line = longer;
  }
  return [...lines, line];
}

/** Below a resource's heading, everything is indented this far. */
export const bodyIndent = " ".repeat(6);

/** The fields of one resource; values without a counterpart are aligned. */
export function fieldsText(views: readonly FieldView[], layout: TextLayout): readonly string[] {
  const column = views.reduce((most, view) => (isAlone(view) ? Math.max(most, view.path.length) : most), 0);
  return views.flatMap((view) => withReason(view, fieldText(view, layout, Math.min(column, 40)), layout));
}

function isAlone(view: FieldView): boolean {
  return view.lines === null && (view.before === null || view.after === null);
}

/** The lines of a field with the reason for its impact: beside the first when there is room, else below it. */
function withReason(
  { impact, reason }: FieldView,
  lines: readonly string[],
  { paint, width }: TextLayout,
): readonly string[] {
  const [head = "", ...rest] = lines;
  if (reason === null) return lines;
  const tone = paintOfImpact(impact, paint);
  const text = `# ${impact}: ${reason}`;
  if (stripVTControlCharacters(head).length + 2 + text.length <= width) return [`${head}  ${tone(text)}`, ...rest];
  const start = `${bodyIndent}  `;
  return [head, ...wrap(text, width, start, `${start}  `).map((line) => tone(line)), ...rest];
}

/** @param column where values without a counterpart begin, counted from the start of the path */
function fieldText(view: FieldView, layout: TextLayout, column: number): readonly string[] {
  const { paint, width } = layout;
  const { after, before, lines, path, sign, tags } = view;
  const tone = paint[signPaints[sign]];
  const line = (text: string): string =>
    `${bodyIndent}${tone(sign)} ${text}${paint.dim(tags.map((tag) => ` (${tag})`).join(""))}`;
  const below = (diff: readonly DiffLine[]): readonly string[] => [
    line(`${path}:`),
    ...diff.flatMap((each) => diffLineText(each, layout)),
  ];
  if (lines !== null) return below(lines);
  const whole = isAlone(view)
    ? line(`${path}:${" ".repeat(Math.max(0, column - path.length) + 1)}${tone(after ?? before ?? "(none)")}`)
    : line(`${path}: ${paint.remove(before ?? "")} ${paint.dim("->")} ${paint.add(after ?? "")}`);
  if (stripVTControlCharacters(whole).length <= width) return [whole];
  return below([
    ...(before === null ? [] : [{ mark: "-", text: before } as const]),
    ...(after === null ? [] : [{ mark: "+", text: after } as const]),
  ]);
}

/** One line of a difference; a longer one goes on below its beginning, with the same indentation. */
function diffLineText({ mark, text }: DiffLine, { paint, width }: TextLayout): readonly string[] {
  const { lead, tone } = diffMarks[mark];
  const blanks = /^ */u.exec(text)?.[0] ?? "";
  const indent = `${diffIndent}${lead}${blanks}`;
  const lines = wrap(text.slice(blanks.length), width, indent, `${" ".repeat(indent.length)}  `);
  return lines.map((line) => diffIndent + (tone === null ? String : paint[tone])(line.slice(diffIndent.length)));
}

const diffIndent = `${bodyIndent}    `;

const signPaints = { "+": "add", "-": "remove", "~": "change" } as const;

const diffMarks = {
  "+": { lead: "+ ", tone: "add" },
  "-": { lead: "- ", tone: "remove" },
  " ": { lead: "  ", tone: null },
  gap: { lead: "⋮ ", tone: "dim" },
} as const;

/** The line that names the commit of `--ref`; none for manifests on disk. */
export function commitText(made: Made, { paint }: TextLayout): readonly string[] {
  const line = commitLine(made);
  return line === null ? [] : [paint.bold(line)];
}

/** Refusals, each with its remedy. */
export function refusalsText(refusals: readonly Refusal[], layout: TextLayout): readonly string[] {
  const { paint, width } = layout;
  if (refusals.length === 0) return [];
  return [
    "",
    paint.alarm(`Refused (${refusals.length})`),
    ...refusals.flatMap((refusal) => [
      ...noticeText(refusal, "alarm", layout),
      ...wrap(visibleLine(refusal.remedy), width, `${bodyIndent}To do: `, bodyIndent),
    ]),
  ];
}

/** Warnings, each on its own lines. */
export function warningsText(warnings: readonly Warning[], layout: TextLayout): readonly string[] {
  if (warnings.length === 0) return [];
  return [
    "",
    layout.paint.change(`Warnings (${warnings.length})`),
    ...distinctWarnings(warnings).flatMap((warning) => noticeText(warning, "change", layout)),
  ];
}

function noticeText(
  { address, code, message }: Refusal | Warning,
  tone: "alarm" | "change",
  { paint, width }: TextLayout,
): readonly string[] {
  const subject = address === undefined ? "" : `  ${visibleLine(address)}`;
  return [
    `  ${paint[tone]("!")} ${paint.bold(visibleLine(code))}${subject}`,
    ...wrap(visibleLine(message), width, bodyIndent, bodyIndent),
  ];
}
