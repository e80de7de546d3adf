import { impactRank, isAtLeast } from "../kinds/impact.js";
import type { FieldChange, Plan, Refusal, Warning } from "../plan/plan-format.js";
import { count, cut } from "../text/layout.js";
import { escapeHtml, escapeHtmlLine } from "./escape.js";
import { type FieldLimits, type FieldView, pageLimits } from "./field-view.js";
import { type FittedPage, type PageItem, fitPage, isTooLong, mostPageBytes } from "./fit-page.js";
import { type ReportedResource, commitLine } from "./headline.js";
import { diffHtml } from "./html-diff.js";
import { comparesLines } from "./line-diff.js";
import { distinctWarnings } from "./text-parts.js";

export interface HtmlOptions {
  readonly commit?: string;
}

/** A change or a finding as a card that folds. `mark`, `badges` and `body` are markup. */
export interface Card {
  readonly resource: ReportedResource;
  /** Why it matters, in a few words, for the card while it is closed. */
  readonly gist: string | null;
  /** The choice of the first filter that the card belongs to. */
  readonly group: string;
  readonly mark: string;
  readonly badges?: readonly string[];
  readonly body: string;
  readonly open: boolean;
}

/** A card; a plain row when its body is empty. */
function cardHtml({ resource, group, gist, mark, badges = [], body, open }: Card): string {
  const { id, impact, source } = resource;
  const address = cut(resource.address, mostOfName);
  const heading = [
    mark,
    `<span class="name mono">${escapeHtmlLine(address)}</span>`,
    ...(id === null || resource.address.endsWith(`/${id}`)
      ? []
      : [`<span class="soft mono">${escapeHtmlLine(cut(id, mostOfName))}</span>`]),
    ...(impact === "none" ? [] : [`<span class="badge ${impact}">${impact}</span>`]),
    ...badges,
    ...(source === null
      ? []
      : [`<span class="place mono">${escapeHtmlLine(`${cut(source.file, mostOfName)}:${source.line}`)}</span>`]),
    ...(gist === null ? [] : [`<span class="gist why ${impact}">${escapeHtmlLine(cut(gist, mostOfGist))}</span>`]),
  ].join(" ");
  const data = `data-group="${group}" data-impact="${impact}" data-name="${escapeHtmlLine(address)}"`;
  if (body === "") return `<div class="card plain row" ${data}>${heading}</div>`;
  return `<details class="card" ${data}${open ? " open" : ""}>
<summary>${heading}</summary>
<div class="body">${body}</div>
</details>`;
}

/** How much of a resource a card shows. */
export interface CardDetail {
  readonly limits: FieldLimits;
  /** Most fields, and most notes. */
  readonly items: number;
}

const allDetail: CardDetail = { limits: pageLimits, items: Infinity };
/** Nothing that changes is left out, but what doesn't change is only counted. */
const changesOnly: CardDetail = { ...allDetail, limits: { ...pageLimits, folds: false } };
const muchDetail: CardDetail = { limits: { inline: 100, line: 2000, lines: 4000 }, items: 2000 };
const littleDetail: CardDetail = { limits: { inline: 100, line: 200, lines: 40 }, items: 20 };

/**
 * What a page says about a resource: its card, one without the unchanged lines of long values, one with little of each
 * value, or a line that names it.
 */
export function resourceItem(
  { impact, fields }: { readonly impact: ReportedResource["impact"]; readonly fields: readonly FieldChange[] },
  card: (detail: CardDetail) => Card,
): PageItem {
  const tooLong = isTooLong(fields);
  const folds = fields.some(comparesLines);
  return {
    rank: impactRank(impact),
    forms: [
      () => (tooLong ? null : cardHtml(card(allDetail))),
      ...(folds ? [() => (tooLong ? null : cardHtml(card(changesOnly)))] : []),
      () => (tooLong ? null : cardHtml(card(muchDetail))),
      () => (tooLong ? null : cardHtml(card(littleDetail))),
      () => cardHtml({ ...card({ ...littleDetail, items: 0 }), body: "" }),
    ],
    whole: folds ? 2 : 1,
  };
}

/** What an item list shows of long lists: the first items, and how many there are more. */
export function firstOf<T>(items: readonly T[], { items: most }: CardDetail, noun: string): FirstOf<T> {
  const left = items.length - most;
  return left <= 0
    ? { first: items, more: "" }
    : { first: items.slice(0, most), more: `<p>${count(left, `more ${noun}`)}</p>` };
}

interface FirstOf<T> {
  readonly first: readonly T[];
  /** Markup; empty when there are no more. */
  readonly more: string;
}

/** The fields that a card shows: all in their order, or those with the gravest impact first when not all are shown. */
export function firstFields(fields: readonly FieldChange[], detail: CardDetail): FirstOf<FieldChange> {
  return firstOf(fields.length > detail.items ? worstFirst(fields) : fields, detail, "field");
}

/** The cards of a section that fit, and a line that counts the others. */
export function cardsOf(fitted: readonly (string | null)[], noun: string): string {
  const shown = fitted.filter((card) => card !== null);
  const left = fitted.length - shown.length;
  return [...shown, ...(left === 0 ? [] : [`<p class="soft">${count(left, `more ${noun}`)} not shown</p>`])].join("\n");
}

/** The note at the head of a page that does not show everything; nothing on a page that does. */
export function leftOutHtml({ shortened, omitted, shown }: FittedPage, noun: string, seeAll: string): string {
  if (shortened + omitted === 0) return "";
  const full = shown.length - shortened - omitted;
  return `<div class="headline"><b>large</b>${escapeHtml(
    `A page of ${mostPageBytes / 1_000_000} MB does not hold everything: of ${count(shown.length, noun)}, the worst by impact come first: ${full} in full, ${shortened} shortened to a line or to the beginning of their values, ${omitted} only counted. Filters apply to what is shown. ${seeAll}`,
  ).replace(/&#96;(.*?)&#96;/g, "<code>$1</code>")}</div>`;
}

/** Up to this many changes or findings are open from the start. */
const mostOpen = 12;

/**
 * The resources of a page that are open from the start: all when there are few; otherwise those with the gravest impact
 * and those that go away, each unless these are many, too. The others say in a line why they matter.
 */
export function openFromStart<T extends Pick<ReportedResource, "impact">>(
  items: readonly T[],
  isGone: (item: T) => boolean = () => false,
): ReadonlySet<T> {
  if (items.length <= mostOpen) return new Set(items);
  const grave = items.filter(({ impact }) => isAtLeast(impact, "security"));
  const gone = items.filter(isGone);
  return new Set([grave, gone].flatMap((some) => (some.length <= mostOpen ? some : [])));
}

/** The resources of a section, the worst impact first. */
export function worstFirst<T extends Pick<ReportedResource, "impact">>(items: readonly T[]): readonly T[] {
  return items.toSorted((a, b) => impactRank(b.impact) - impactRank(a.impact));
}

/** A number at the head of a page, and the section that it counts. */
export interface Tile {
  readonly count: number;
  readonly label: string;
  readonly id?: string | undefined;
}

/** The totals of a page; those that are zero are left out. */
export function tilesHtml(tiles: readonly Tile[]): string {
  const items = tiles.flatMap(({ count: n, id, label }) => {
    const text = `<b>${n}</b>${escapeHtml(label)}`;
    return n === 0 ? [] : [`<li>${id === undefined ? text : `<a href="#${id}">${text}</a>`}</li>`];
  });
  return items.length === 0 ? "" : `<ul class="tiles" aria-label="Totals">${items.join("")}</ul>`;
}

/** A command that somebody may run next. */
export interface NextStep {
  readonly command: string;
  readonly does: string;
}

/** What to do next; nothing without steps. The commands are our own. */
export function nextStepsHtml(steps: readonly NextStep[]): string {
  if (steps.length === 0) return "";
  const byCommand = new Map<string, string[]>();
  for (const { command, does } of steps) byCommand.set(command, [...(byCommand.get(command) ?? []), does]);
  const items = [...byCommand].map(([command, all]) => {
    const uses = all.map((does) => `<dd>${escapeHtml(does)}</dd>`).join("");
    return `<dt><code>${escapeHtml(command)}</code></dt>${uses}`;
  });
  return `<section id="next"><h2>What to do next <small>with the flags of this run</small></h2>\n<dl class="steps">${items.join("")}</dl></section>`;
}

/** The fields of one resource. */
export function fieldsHtml(views: readonly FieldView[]): string {
  return views.map(fieldHtml).join("\n");
}

function fieldHtml(view: FieldView): string {
  const tags = view.tags.map(
    (tag) => ` <span class="badge${tag.startsWith("conflict") ? " conflict" : ""}">${escapeHtml(tag)}</span>`,
  );
  const why =
    view.reason === null
      ? ""
      : `<p class="why ${view.impact}">${escapeHtml(view.impact)}: ${escapeHtml(view.reason)}</p>`;
  return `<div class="field"><code class="path">${escapeHtml(view.path)}</code>${tags.join("")}${why}${valuesHtml(view)}</div>`;
}

function valuesHtml(view: FieldView): string {
  if (view.lines !== null) return diffHtml(view.lines);
  if (view.sign === "~" && (view.before === null || view.after === null)) {
    return `<div class="values mono soft">${escapeHtml(view.after ?? view.before ?? "")}</div>`;
  }
  const before = view.before === null ? "" : `<del>${escapeHtml(view.before)}</del>`;
  const after = view.after === null ? "" : `<ins>${escapeHtml(view.after)}</ins>`;
  const arrow = before === "" || after === "" ? "" : '<span class="arrow">→</span>';
  return `<div class="values mono">${before}${arrow}${after}</div>`;
}

/** Refusals or warnings as a section of a page. */
export interface Notices {
  readonly html: string;
  readonly bytes: number;
}

/** Refusals with their remedies, as many as fit into a number of bytes; nothing without any. */
export function refusalsHtml(refusals: readonly Refusal[], room: number): Notices {
  return noticesHtml(
    { title: "Refused", noun: "refusal", id: "refused", total: refusals.length },
    refusals,
    room,
    (refusal) =>
      `<div class="card plain refusal">${noticeHtml(refusal)}<p><b>To do:</b> ${escapeHtmlLine(cut(refusal.remedy, mostOfMessage))}</p></div>`,
  );
}

/** The section of the warnings. */
export const warningsId = "warnings";

/** Warnings, as many as fit into a number of bytes; nothing without any. */
export function warningsHtml(warnings: readonly Warning[], room: number): Notices {
  return noticesHtml(
    { title: "Warnings", noun: "warning", id: warningsId, total: warnings.length },
    distinctWarnings(warnings),
    room,
    (warning) => `<div class="card plain">${noticeHtml(warning)}</div>`,
  );
}

function noticesHtml<T extends Refusal | Warning>(
  { id, noun, title, total }: { readonly [name in "id" | "noun" | "title"]: string } & { readonly total: number },
  notices: readonly T[],
  room: number,
  render: (notice: T) => string,
): Notices {
  if (notices.length === 0) return { html: "", bytes: 0 };
  const items = notices.map((notice) => ({ rank: 0, forms: [() => render(notice)] }));
  const { bytes, shown } = fitPage(items, room);
  return {
    html: `<section id="${id}"><h2>${title} <small>${total}</small></h2>\n${cardsOf(shown, noun)}</section>`,
    bytes,
  };
}

/** Most characters of an address, an id or a path, and of a message. Only files that somebody else wrote have longer ones. */
const mostOfName = 500;
const mostOfGist = 300;
const mostOfMessage = 10_000;

function noticeHtml({ code, address, message }: Refusal | Warning): string {
  const subject = address === undefined ? "" : ` <code>${escapeHtmlLine(cut(address, mostOfName))}</code>`;
  return `<b>${escapeHtmlLine(cut(code, mostOfName))}</b>${subject}<p>${escapeHtmlLine(cut(message, mostOfMessage))}</p>`;
}

/** The line that names the commit of `--ref`; none for manifests on disk. */
export function commitHtml(made: Partial<Pick<Plan, "commit" | "ref">>): readonly string[] {
  const line = commitLine(made);
  return line === null ? [] : [`<span>${escapeHtml(line)}</span>`];
}
