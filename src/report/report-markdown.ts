import { count, cut, listFew } from "../core/text.js";
import { guardRunner } from "../core/visible.js";
import type { Impact } from "../kinds/impact.js";
import type { Refusal, Warning } from "../plan/plan-format.js";
import { escapeHtmlLine, markdownCode, markdownFence, markdownMarker, markdownText } from "./escape.js";
import { type FieldView, commentLimits, itemFields } from "./field-view.js";
import { type ItemGroup, type ReportItem, type ReportView } from "./report-view.js";
import { groupItems, groupNotices, placeOf, present } from "./report-view.js";

const impactBadges: { readonly [I in Impact]: string } = {
  none: "⚪ none",
  cosmetic: "⚪ cosmetic",
  routing: "🟡 routing",
  security: "🟠 security",
  irreversible: "🔴 irreversible",
};

/** A comment. What can do harm is never folded, and never omitted without being counted. */
export function renderMarkdown(view: ReportView, maxChars = 65_000): string {
  const { closing, counts, hash, headline, legend, name, sections } = view;
  const { impact, label, refusal, sentence } = headline;
  const folded = sections.flatMap((section) => (section.open ? [] : section.items));
  const nothing = name === "plan" ? "no changes" : "no drift";
  return markdownReport(
    {
      ...view,
      state: label !== "" ? impactBadges[impact] : refusal === "" ? nothing : "⛔ refused",
      summary: [
        ...(refusal === "" ? [] : [`> ⛔ **Refused:** ${markdownText(refusal)}`, ">"]),
        `> ${label && `**${label}:** `}${prose(sentence)}`,
        ...(counts === "" ? [] : ["", markdownText(counts)]),
      ],
      blocks: [
        noticeBlock("refusal", view.refusals),
        ...sections
          .filter(({ open }) => open)
          .map(({ items: own, title }) => ({
            opening: `### ${title}\n`,
            share: 0.5,
            omitted: (n: number) => `… and **${n} more** omitted to stay within the size limit.`,
            items: groupItems(own).map((item) => ({
              full: openItem(item, legend),
              short: shortItem(item),
            })),
          })),
        noticeBlock("warning", view.warnings),
        {
          opening: "### Changes\n",
          share: 0.95,
          omitted: (n) => `… and ${count(n, "more change")}, omitted to stay within the size limit.`,
          items: groupItems(folded).map((item) => ({ full: foldedItem(item), short: shortItem(item) })),
        },
        {
          opening: "### Order\n",
          share: 1,
          omitted: (n) => `… and ${count(n, "more step")}.`,
          items: view.steps
            .filter(({ isUnusual }) => isUnusual)
            .map(({ id, title, why }) => ({ full: `- ${code(id)} ${prose(title)}: ${prose(why)}`, short: "" })),
        },
      ],
      closing: closing.map((line) => `${prose(line)}\n\n`).join(""),
      foot: [...(hash === "" ? [] : [`Plan ${code(hash)}`]), code(view.baseUrl), `edgewise ${code(view.toolVersion)}`],
    },
    maxChars,
  );
}

function openItem(item: ItemGroup, legend: string): string {
  const body = itemBody(item, legend).map((part) => part.replaceAll(/^(?=.)/gmu, "  "));
  return [`- ${itemLine(item)}`, ...body].join("\n\n");
}

function foldedItem(item: ItemGroup): string {
  const { address, flag, group, impact, mark } = item;
  const body = itemBody(item, "");
  if (body.length === 0) return `- ${itemLine(item)}\n`;
  const heading = present([
    `<code>${escapeHtmlLine(mark)}</code>`,
    group,
    `<code>${escapeHtmlLine(address)}</code>`,
    flag && `(${flag})`,
    impactBadges[impact],
    item.source === null ? "" : `<code>${escapeHtmlLine(placeOf(item))}</code>`,
  ]).join(" ");
  return `${[`<details><summary>${heading}</summary>`, ...body, "</details>"].join("\n\n")}\n`;
}

function shortItem({ address, group }: ItemGroup): string {
  return `- ${group} ${code(address)}`;
}

function itemLine(item: ReportItem): string {
  const { address, flag, group, id, impact, sentence } = item;
  const place = placeOf(item);
  const named = `**${group}** ${code(address)}${id && ` (${code(id)})`}${flag && ` (${flag})`} ${impactBadges[impact]}`;
  return `${named}${place && ` ${code(place)}`}${sentence && `: ${prose(sentence)}`}`;
}

function itemBody(item: ItemGroup, legend: string): readonly string[] {
  const { addresses, fields, notes } = item;
  const lines = [...(legend === "" ? [] : [`# ${legend}`]), ...fieldDiffLines(itemFields(item, commentLimits))];
  return present([
    notes.map((note) => `- ${prose(note)}`).join("\n"),
    fields.length === 0 ? "" : markdownFence(lines, "diff"),
    listFew(addresses.map(code), 500),
  ]);
}

type MarkdownReport = Readonly<{
  name: "plan" | "drift" | "apply";
  stack: string;
  title: string;
  state: string;
  from: string;
  summary: readonly string[];
  blocks: readonly FittingBlock[];
  closing: string;
  foot: readonly string[];
}>;

export type FittingBlock = Readonly<{
  opening: string;
  /** `short` still names what `full` is about; "" when it may be omitted (and is counted). */
  items: readonly Readonly<{ full: string; short: string }>[];
  share: number;
  omitted: (n: number) => string;
}>;

export function markdownReport(report: MarkdownReport, maxChars: number): string {
  const { blocks, closing, foot, from, name, stack, state, summary, title } = report;
  const subject = `Edgewise ${title.charAt(0).toLowerCase()}${title.slice(1)}`;
  const lines = [
    markdownMarker(name, stack),
    `## ${markdownText(cut(subject, 200))}: ${state}`,
    "",
    ...(from === "" ? [] : [`${prose(from)}.`, ""]),
    ...summary,
  ];
  const [start, end] = [guardRunner(lines.join("\n")), guardRunner(`\n---\n${closing}${foot.join(" · ")}`)];
  const parts = blocks
    .filter(({ items }) => items.length > 0)
    .map((block) => ({ ...block, opening: guardRunner(`\n${block.opening}\n`) }));
  const frame = parts.map(({ items, omitted, opening }) => opening.length + omitted(items.length).length + 4);
  let room = Math.max(4000, maxChars) - start.length - end.length - 2 - frame.reduce((sum, each) => sum + each, 0);
  const texts = parts.map(({ items, omitted, opening, share }) => {
    const shown = fitItems(items, Math.max(0, Math.floor(room * share)));
    room -= shown.reduce((sum, text) => sum + text.length + 1, 0);
    const left = items.length - shown.length;
    return opening + [...shown, ...(left > 0 ? [`\n${omitted(left)}`] : [])].join("\n");
  });
  return `${[start, ...texts, end].join("\n")}\n`;
}

/** In full while all others still fit in short; when not even those fit, as many of them as do. */
function fitItems(items: FittingBlock["items"], room: number): readonly string[] {
  const guarded = items.map(({ full, short }) => ({ full: guardRunner(full), short: guardRunner(short) }));
  const cost = (text: string): number => (text === "" ? 0 : text.length + 1);
  let left = room - guarded.reduce((sum, { short }) => sum + cost(short), 0);
  const isCrowded = left < 0;
  if (isCrowded) left = room;
  return guarded.flatMap(({ full, short }) => {
    const [text, more] = isCrowded ? [short, cost(short)] : [full, cost(full) - cost(short)];
    if (more > left) return isCrowded ? [] : present([short]);
    left -= more;
    return present([text]);
  });
}

export function code(text: string): string {
  return markdownCode(cut(text, 300));
}

export function prose(text: string): string {
  return markdownText(cut(text, 1000));
}

export function fieldDiffLines(views: readonly FieldView[]): readonly string[] {
  return views.flatMap(({ after, before, lines, path, sign, tags: words }) => {
    const tags = words.map((tag) => ` (${tag})`).join("");
    if (lines !== null)
      return [
        `@@ ${path}${tags} @@`,
        ...lines.map(({ mark, text }) => (mark === "gap" ? `  ⋮ ${text}` : `${mark} ${text}`)),
      ];
    if (sign === "~" && (before === "" || after === "")) return [`! ${path}: ${after || before || "(none)"}${tags}`];
    return present([before && `- ${path}: ${before}`, after && `+ ${path}: ${after}${tags}`]);
  });
}

export function noticeBlock(noun: "refusal" | "warning", notices: readonly (Refusal | Warning)[]): FittingBlock {
  const isRefusal = noun === "refusal";
  const strong = isRefusal ? "**" : "";
  return {
    opening: `### ${isRefusal ? "⛔ Refusals" : "⚠️ Warnings"}\n`,
    share: isRefusal ? 0.4 : 0.3,
    omitted: (n) => `… and ${strong}${count(n, `more ${noun}`)}${strong}.`,
    items: groupNotices(notices).map(({ addresses, code: name, message, remedy }) => {
      const named = listFew(addresses.map(code), 500);
      const isOne = addresses.length === 1;
      const title = `- **${markdownText(cut(name, 100))}**${isOne ? ` ${named}` : ""}`;
      const todo = remedy === undefined ? "" : `**To do:** ${prose(remedy)}`;
      return {
        full: present([`${title}: ${prose(message)}`, isOne ? "" : named, todo]).join("\n  "),
        short: remedy === undefined ? "" : title,
      };
    }),
  };
}
