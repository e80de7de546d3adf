import { stripVTControlCharacters } from "node:util";
import { cut, listFew, wrap } from "../core/text.js";
import { guardRunner, visibleLine } from "../core/visible.js";
import type { Refusal, Warning } from "../plan/plan-format.js";
import { type DiffLine, type FieldLimits, type FieldView, itemFields } from "./field-view.js";
import { type ItemGroup, type ReportItem, type ReportView } from "./report-view.js";
import { groupItems, groupNotices, placeOf, present } from "./report-view.js";
import { type Paint, type Palette, palette, paintOfImpact } from "./styles.js";

export type TextOptions = Readonly<{
  color: boolean;
  width?: number;
  compact?: boolean;
}>;

export type TextLayout = Readonly<{
  paint: Palette;
  width: number;
}>;

export function textLayout({ color, width = 100 }: TextOptions): TextLayout {
  return { paint: palette(color), width: Math.max(40, width) };
}

const mostWithoutCounts = 20;

export function renderText(view: ReportView, options: TextOptions): string {
  const layout = textLayout(options);
  const { paint, width } = layout;
  const { baseUrl, closing, counts, from, headline, legend, refusals, sections, stack, warnings } = view;
  const items = sections.flatMap((section) => section.items);
  const lines = [
    ...labelled("REFUSED", headline.refusal, paint.alarm, width),
    ...(headline.label === ""
      ? [paint.bold(headline.sentence)]
      : labelled(headline.label.toUpperCase(), headline.sentence, paintOfImpact(headline.impact, paint), width)),
    ...present([
      items.length > mostWithoutCounts ? paint.bold(counts) : "",
      paint.dim(`Stack ${visibleLine(stack)} at ${visibleLine(baseUrl)}`),
      paint.bold(from),
      paint.dim(legend && `${legend}.`),
    ]),
    ...(options.compact === true
      ? items.map((item, index) => `${index === 0 ? "\n" : ""}${compactLine(item, paint)}`)
      : [...sectionsText(view, layout), ...stepsText(view, layout)]),
    ...noticesText("Warnings", warnings, layout),
    ...noticesText("Refused", refusals, layout),
    "",
    ...closing.flatMap((line) => wrap(line, width, "", "")),
    ...present([paint.bold(counts)]),
  ];
  return guardRunner(`${lines.join("\n").trimEnd()}\n`);
}

function labelled(label: string, text: string, tone: Paint, width: number): readonly string[] {
  if (text === "") return [];
  const [first = "", ...rest] = wrap(text, width, `${label}  `, " ".repeat(label.length + 2));
  return [tone(label) + first.slice(label.length), ...rest];
}

function sectionsText({ sections }: ReportView, layout: TextLayout): readonly string[] {
  const { paint, width } = layout;
  const limits = { inline: width - 30, line: 2000, lines: 1000 };
  return sections.flatMap(({ items, title }) => [
    "",
    paint.bold(title),
    ...groupItems(items).flatMap((item) => itemText(item, limits, layout)),
  ]);
}

function itemText(item: ItemGroup, limits: FieldLimits, layout: TextLayout): readonly string[] {
  const { addresses, direction, mark, notes, sentence } = item;
  const { paint, width } = layout;
  const below = (text: string): readonly string[] => wrap(text, width, bodyIndent, bodyIndent);
  const start = `  ${paint[item.paint](mark.padEnd(direction === "apply" ? 3 : 1))} `;
  return [
    ...headingText(start, resourceHeading(item, paint), layout),
    ...(sentence === "" ? [] : below(visibleLine(sentence))),
    ...notes.flatMap((each) => wrap(visibleLine(each), width, `${bodyIndent}# `, `${bodyIndent}  `).map(paint.dim)),
    ...itemFields(item, limits).flatMap((view) => fieldText(view, layout)),
    ...(addresses.length === 0 ? [] : below(addresses.map(visibleLine).join(", "))),
  ];
}

/** `~   update  TLSEdge/api  edgtls_1  [routing]  edge/a.yaml:3: traffic goes to another backend; spec.backend` */
function compactLine(item: ReportItem, paint: Palette): string {
  const { fields, group, mark, reason } = item;
  const changed = group === "update" || group === "replace" || group === "adopt" ? fields : [];
  const paths = changed.map(({ path }) => path);
  const what = present([reason, listFew(paths, 4)]).join("; ");
  const start = paint[item.paint](`${mark.padEnd(3)} ${group.padEnd("replace".length)}`);
  const heading = resourceHeading(item, paint).join("  ");
  return `  ${start} ${heading}${what === "" ? "" : `: ${cut(visibleLine(what), 300)}`}`;
}

function resourceHeading(item: ReportItem, paint: Palette): readonly string[] {
  const { address, flag, id, impact } = item;
  return present([
    paint.bold(visibleLine(address)),
    paint.dim(visibleLine(id)),
    paintOfImpact(impact, paint)(impact === "none" ? "" : `[${impact}]`),
    paint[flag === "changed live" ? "change" : "alarm"](flag && `(${flag})`),
    paint.dim(visibleLine(placeOf(item))),
  ]);
}

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

export const bodyIndent = " ".repeat(6);

function fieldText({ after, before, lines, path, sign, tags }: FieldView, layout: TextLayout): readonly string[] {
  const { paint, width } = layout;
  const tone = paint[diffTones[sign]];
  const line = (text: string): string =>
    `${bodyIndent}${tone(sign)} ${text}${paint.dim(tags.map((tag) => ` (${tag})`).join(""))}`;
  const below = (diff: readonly DiffLine[]): readonly string[] => [
    line(`${path}:`),
    ...diff.flatMap((each) => diffLineText(each, layout)),
  ];
  if (lines !== null) return below(lines);
  const whole =
    before === "" || after === ""
      ? line(`${path}: ${tone(after || before || "(none)")}`)
      : line(`${path}: ${paint.remove(before)} ${paint.dim("->")} ${paint.add(after)}`);
  if (stripVTControlCharacters(whole).length <= width) return [whole];
  return below([
    ...(before === "" ? [] : [{ mark: "-", text: before } as const]),
    ...(after === "" ? [] : [{ mark: "+", text: after } as const]),
  ]);
}

function diffLineText({ mark, text }: DiffLine, { paint, width }: TextLayout): readonly string[] {
  const tone = diffTones[mark];
  const blanks = /^ */u.exec(text)?.[0] ?? "";
  const indent = `${diffIndent}${mark === "gap" ? "⋮" : mark} ${blanks}`;
  const lines = wrap(text.slice(blanks.length), width, indent, `${" ".repeat(indent.length)}  `);
  return lines.map((line) => diffIndent + (tone === null ? String : paint[tone])(line.slice(diffIndent.length)));
}

const diffIndent = `${bodyIndent}    `;

const diffTones = { "+": "add", "-": "remove", "~": "change", " ": null, gap: "dim" } as const;

function stepsText({ steps }: ReportView, { paint, width }: TextLayout): readonly string[] {
  const shown = steps.filter(({ isUnusual }) => isUnusual);
  if (shown.length === 0) return [];
  return [
    "",
    paint.bold("Order"),
    ...shown.flatMap(({ id, title, why }) =>
      wrap(visibleLine(why), width, visibleLine(`  ${id}  ${title}: `), "        "),
    ),
  ];
}

export function noticesText(
  title: "Refused" | "Warnings",
  notices: readonly (Refusal | Warning)[],
  { paint, width }: TextLayout,
): readonly string[] {
  if (notices.length === 0) return [];
  const tone = paint[title === "Refused" ? "alarm" : "change"];
  const below = (text: string, first = bodyIndent): readonly string[] =>
    wrap(visibleLine(text), width, first, bodyIndent);
  const entries = groupNotices(notices).flatMap(({ addresses, code, message, remedy }) => {
    const isOne = addresses.length < 2;
    const named = isOne ? addresses.join("") : `${addresses.length} resources`;
    return [
      present([`  ${tone("!")} ${paint.bold(visibleLine(code))}`, visibleLine(named)]).join("  "),
      ...below(message),
      ...(isOne ? [] : below(addresses.join(", "))),
      ...(remedy === undefined ? [] : below(remedy, `${bodyIndent}To do: `)),
    ];
  });
  return ["", tone(`${title} (${notices.length})`), ...entries];
}
