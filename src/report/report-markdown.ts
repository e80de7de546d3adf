import { count, cut, listFew } from "../core/text.js";
import { guardRunner } from "../core/visible.js";
import type { Refusal, Warning } from "../plan/plan-format.js";
import { escapeHtmlLine, markdownCell, markdownCode, markdownFence, markdownMarker, markdownText } from "./escape.js";
import { type FieldView, commentLimits, itemFields } from "./field-view.js";
import { type ItemGroup, type ReportItem, type ReportView, groupItems, groupNotices, placeOf } from "./report-view.js";
import { impactBadges } from "./styles.js";

/** A comment. What can do harm is never folded, and never omitted without being counted. */
export function renderMarkdown(view: ReportView, maxChars = 65_000): string {
  const { baseUrl, closing, counts, from, hash, headline, legend, name, sections, stack, title, toolVersion } = view;
  const { impact, label, refusal, sentence } = headline;
  const folded = sections.flatMap(({ items, open }) => (open ? [] : items)).filter(({ fields }) => fields.length > 0);
  const nothing = name === "plan" ? "no changes" : "no drift";
  return markdownReport(
    {
      name,
      stack,
      title,
      state: label !== "" ? impactBadges[impact] : refusal === null ? nothing : "⛔ refused",
      from,
      summary: [
        ...(refusal === null ? [] : [`> ⛔ **Refused:** ${markdownText(refusal)}`, ">"]),
        `> ${label === "" ? "" : `**${label}:** `}${prose(sentence)}`,
        ...(counts === null ? [] : ["", markdownText(counts)]),
      ],
      blocks: [
        noticeBlock("refusal", view.refusals),
        ...sections
          .filter(({ open }) => open)
          .map(({ hint, items, title: heading }) => ({
            opening: `### ${heading} (${items.length})${hint === null ? "" : `: ${hint}`}\n`,
            share: 0.5,
            omitted: (n: number) => `… and **${n} more** omitted to stay within the size limit.`,
            items: groupItems(items).map((item) => ({
              full: () => openItem(item, legend),
              compact: () => `- ${item.group} ${code(item.address)}`,
            })),
          })),
        noticeBlock("warning", view.warnings),
        ...(name === "plan" ? [tableBlock(sections.flatMap(({ items }) => items))] : []),
        {
          opening: "### Differences\n",
          share: 0.95,
          omitted: (n) =>
            `… and the differences of ${count(n, "more resource")}, omitted to stay within the size limit.`,
          items: groupItems(folded).map((item) => ({
            full: () => foldedItem(item),
            compact: folded.length > 200 ? null : () => `${itemLine(item)}: too long to show here.\n`,
          })),
        },
        {
          opening: "### Order\n",
          share: 1,
          omitted: (n) => `… and ${count(n, "more step")}.`,
          items: view.steps
            .filter(({ isUnusual }) => isUnusual)
            .map(({ id, title: what, why }) => ({
              full: () => `- ${code(id)} ${prose(what)}: ${prose(why ?? "")}`,
              compact: null,
            })),
        },
      ],
      closing: closing.map((line) => `${prose(line)}\n\n`).join(""),
      foot: [...(hash === null ? [] : [`Plan ${code(hash)}`]), code(baseUrl), `edgewise ${code(toolVersion)}`],
    },
    maxChars,
  );
}

function openItem(item: ItemGroup, legend: string | null): string {
  // The line gives the reason.
  return [`- ${itemLine(item)}`, ...itemBody({ ...item, isOwnReason: false }, legend).map(indented)].join("\n\n");
}

function foldedItem(item: ItemGroup): string {
  const { address, fields, group, impact, mark } = item;
  const what = `<code>${escapeHtmlLine(mark)}</code> ${group} <code>${escapeHtmlLine(address)}</code>`;
  const heading = `${what} · ${impactBadges[impact]} · ${count(fields.length, "field")}`;
  return `${[`<details><summary>${heading}</summary>`, ...itemBody(item, null), "</details>"].join("\n\n")}\n`;
}

function itemLine(item: ReportItem): string {
  const { address, group, id, impact, reason, sentence } = item;
  const place = placeOf(item);
  const named = `**${group}** ${code(address)}${id === null ? "" : ` (${code(id)})`} ${impactBadges[impact]}`;
  const why = sentence === "" ? (reason ?? "") : sentence;
  return `${named}${place === null ? "" : ` ${code(place)}`}${why === "" ? "" : `: ${prose(why)}`}`;
}

function itemBody(item: ItemGroup, legend: string | null): readonly string[] {
  const { addresses, fields, impact, isOwnReason, notes, reason } = item;
  const bullets = [...(isOwnReason && reason !== null ? [`${impact}: ${reason}`] : []), ...notes];
  const lines = [...(legend === null ? [] : [`# ${legend}`]), ...fieldDiffLines(itemFields(item, commentLimits))];
  return [
    ...(bullets.length === 0 ? [] : [bullets.map((note) => `- ${prose(note)}`).join("\n")]),
    ...(fields.length === 0 ? [] : [markdownFence(lines, "diff")]),
    ...(addresses.length === 0 ? [] : [addresses.map(code).join(", ")]),
  ];
}

function tableBlock(items: readonly ReportItem[]): FittingBlock {
  return {
    opening: "### Changes\n\n| | Resource | Impact | Fields | Manifest |\n|---|---|---|---|---|",
    share: 0.5,
    omitted: (n) => `… and ${count(n, "more change")} not in this table.`,
    items: groupItems(items).map((item) => ({ full: () => itemRow(item), compact: null })),
  };
}

function itemRow(item: ReportItem): string {
  const { address, fields, flag, group, impact, mark } = item;
  const paths = fields.map(({ path }) => markdownCell(cut(path.replace(/^spec\./u, ""), 80)));
  const place = placeOf(item);
  const cells = [
    `${markdownCell(mark)} ${group}${flag === null ? "" : ` (${flag.text})`}`,
    markdownCell(address),
    impactBadges[impact],
    listFew(paths, 4),
    place === null ? "" : markdownCell(place),
  ];
  return `| ${cells.join(" | ")} |`;
}

/** A report as Markdown, from parts that are Markdown but for `stack`, `title` and `from`. */
interface MarkdownReport {
  readonly name: "plan" | "drift" | "apply";
  readonly stack: string;
  readonly title: string;
  readonly state: string;
  readonly from: string | null;
  readonly summary: readonly string[];
  readonly blocks: readonly FittingBlock[];
  readonly closing: string;
  readonly foot: readonly string[];
}

/** One item of a list in two lengths, made only when needed. */
interface FittingItem {
  readonly full: () => string;
  /** A shorter text that still names it; null when it may be omitted (and is counted). */
  readonly compact: (() => string) | null;
}

/** A part of a document that can be shortened by whole items. */
export interface FittingBlock {
  readonly opening: string;
  readonly items: readonly FittingItem[];
  readonly share: number;
  readonly omitted: (n: number) => string;
}

/** Its first line is a hidden marker by which a later run finds the comment. What has no room is omitted by whole items. */
export function markdownReport(report: MarkdownReport, maxChars: number): string {
  const { blocks, closing, foot, from, name, stack, state, summary, title } = report;
  const subject = `Edgewise ${title.charAt(0).toLowerCase()}${title.slice(1)}`;
  const lines = [
    markdownMarker(name, stack),
    `## ${markdownText(cut(subject, 200))}: ${state}`,
    "",
    ...(from === null ? [] : [`${prose(from)}.`, ""]),
    ...summary,
  ];
  const [start, end] = [guardRunner(lines.join("\n")), guardRunner(`\n---\n${closing}${foot.join(" · ")}`)];
  const present = blocks
    .filter(({ items }) => items.length > 0)
    .map((block) => ({ ...block, opening: guardRunner(`\n${block.opening}\n`) }));
  const frame = present.map(({ items, omitted, opening }) => opening.length + omitted(items.length).length + 4);
  let room = Math.max(4000, maxChars) - start.length - end.length - 2 - frame.reduce((sum, each) => sum + each, 0);
  const parts = present.map(({ items, omitted, opening, share }) => {
    const texts = fitItems(items, Math.max(0, Math.floor(room * share)));
    room -= texts.reduce((size, text) => size + text.length + 1, 0);
    const left = items.length - texts.length;
    return opening + [...texts, ...(left > 0 ? [`\n${omitted(left)}`] : [])].join("\n");
  });
  return `${[start, ...parts, end].join("\n")}\n`;
}

/** So many items may be too long before full forms are given up: hostile values must not take forever. */
const mostMisfits = 20;

/** Items in full while all the others still fit in their short form; when not even those fit, as many of them as do. */
function fitItems(items: readonly FittingItem[], room: number): readonly string[] {
  const cost = (text: string): number => text.length + 1;
  const short = items.map(({ compact }) => (compact === null ? null : guardRunner(compact())));
  let used = short.reduce((sum, text) => sum + (text === null ? 0 : cost(text)), 0);
  const isCrowded = used > room;
  if (isCrowded) used = 0;
  let misfits = isCrowded ? mostMisfits : 0;
  return items.flatMap(({ full }, index) => {
    const text = short[index] ?? null;
    const own = text === null || isCrowded ? 0 : cost(text);
    if (misfits < mostMisfits && used - own < room) {
      const whole = guardRunner(full());
      if (used - own + cost(whole) <= room) {
        used += cost(whole) - own;
        return [whole];
      }
      misfits += 1;
    }
    if (text === null || (isCrowded && used + cost(text) > room)) return [];
    if (isCrowded) used += cost(text);
    return [text];
  });
}

export function code(text: string): string {
  return markdownCode(cut(text, 300));
}

export function prose(text: string): string {
  return markdownText(cut(text, 1000));
}

/** Fields as lines for a `diff` fence: marks in the first column, everything else indented. */
export function fieldDiffLines(views: readonly FieldView[]): readonly string[] {
  // A resource that is gone has one reason for all of its fields.
  const given = new Set<string>();
  return views.flatMap((view) => {
    const reason = view.reason === null ? "" : `# ${view.impact}: ${view.reason}`;
    const isNew = reason !== "" && !given.has(reason);
    given.add(reason);
    return [...(isNew ? [reason] : []), ...valueLines(view)];
  });
}

function valueLines({ after, before, lines, path, sign, tags: words }: FieldView): readonly string[] {
  const tags = words.map((tag) => ` (${tag})`).join("");
  if (lines !== null)
    return [
      `@@ ${path}${tags} @@`,
      ...lines.map(({ mark, text }) => (mark === "gap" ? `  ⋮ ${text}` : `${mark} ${text}`)),
    ];
  if (sign === "~" && (before === null || after === null)) return [`! ${path}: ${after ?? before ?? "(none)"}${tags}`];
  return [
    ...(before === null ? [] : [`- ${path}: ${before}`]),
    ...(after === null ? [] : [`+ ${path}: ${after}${tags}`]),
  ];
}

function indented(markdown: string): string {
  return markdown.replaceAll(/^(?=.)/gmu, "  ");
}

export function noticeBlock(noun: "refusal" | "warning", notices: readonly (Refusal | Warning)[]): FittingBlock {
  const isRefusal = noun === "refusal";
  return {
    opening: `### ${isRefusal ? "⛔ Refusals" : "⚠️ Warnings"}\n`,
    share: isRefusal ? 0.4 : 0.3,
    omitted: (n) => `… and ${isRefusal ? "**" : ""}${count(n, `more ${noun}`)}${isRefusal ? "**" : ""}.`,
    items: groupNotices(notices).map(({ addresses, code: name, message, remedy }) => {
      const title = `- **${markdownText(cut(name, 100))}**${addresses.length === 1 ? ` ${addresses.map(code).join()}` : ""}`;
      const rest = [
        ...(addresses.length < 2 ? [] : [addresses.map(code).join(", ")]),
        ...(remedy === undefined ? [] : [`**To do:** ${prose(remedy)}`]),
      ];
      return {
        full: () => [`${title}: ${prose(message)}`, ...rest].join("\n  "),
        compact: remedy === undefined ? null : () => title,
      };
    }),
  };
}
