import { impactRank, isAtLeast } from "../kinds/impact.js";
import { claimText } from "../kinds/kind.js";
import type { Drift } from "../plan/drift-findings.js";
import { operationWords } from "../plan/operation-words.js";
import type { Operation, Plan, Refusal, Warning } from "../plan/plan-format.js";
import { count, cut, listFew } from "../core/text.js";
import { driftView, nextSteps } from "./drift-view.js";
import { escapeHtml, escapeHtmlLine } from "./escape.js";
import type { FieldLimits } from "./field-view.js";
import { type Fitted, type FittingItem, fitItems } from "./fit.js";
import { fieldsHtml } from "./html-fields.js";
import { htmlFilters, htmlPage } from "./html-page.js";
import { planView, reasonOfOrder, rehearsalLine, relaxationsLine } from "./plan-view.js";
import {
  type ReportItem,
  type ReportView,
  commitLine,
  distinctWarnings,
  itemFields,
  placeOf,
  shownId,
  worstFirst,
} from "./report-view.js";

/** The largest report in MB: browsers open it at once, and forges and mail servers take it. */
const mostOfPage = 5;

/** What a page may hold beside its style sheet, script, head and notes, in bytes. */
const pageRoom = mostOfPage * 1_000_000 - 200_000;

/** Most characters of one value, and of a message: files that somebody else wrote may have long ones. */
const mostOfValue = 500;
const mostOfMessage = 10_000;

const mostOfCard = 500;

const cardLimits: FieldLimits = { inline: 100, line: 2000, lines: 4000 };

interface HtmlOptions {
  readonly commit?: string;
  /** The tag of the heading, where the report is a part of another page. */
  readonly heading?: "h1" | "h2";
}

/** A plan as one page that loads nothing from elsewhere: light and dark, to be read, filtered and printed. */
export function renderPlanHtml(plan: Plan, options: HtmlOptions = {}): string {
  return htmlPage(cut(planView(plan).title, mostOfValue), planHtml(plan, options));
}

/** The same as a part of another page. */
export function planHtml(plan: Plan, options: HtmlOptions): string {
  const { base, hash } = plan;
  const { html: moves, size } = movesHtml(plan);
  const order = orderHtml(plan);
  return reportHtml(planView(plan), options, {
    meta: base === undefined ? [] : [`<span>compared with <code>${short(base)}</code></span>`],
    noun: "change",
    seeAll: "<code>edgewise show PLANFILE --compact</code> names all of them, and <code>-o json</code> has everything.",
    filter: "Action",
    next: "",
    foot: [moves, order.html],
    footSize: size + order.size,
    footer: `Plan <code>${short(hash)}</code> · `,
  });
}

/** Drift as one page that loads nothing from elsewhere, like a plan's. */
export function renderDriftHtml(drift: Drift, options: HtmlOptions = {}): string {
  const view = driftView(drift);
  const main = reportHtml(view, options, {
    meta: [],
    noun: "finding",
    seeAll: "<code>edgewise drift -o json</code> has everything.",
    filter: "Type",
    next: nextStepsHtml(drift),
    foot: [],
    footSize: 0,
    footer: "",
  });
  return htmlPage(cut(view.title, mostOfValue), main);
}

/** What plans and drift have apart. Markup, but for `noun` and `filter`. */
interface ReportExtras {
  readonly meta: readonly string[];
  readonly noun: string;
  readonly seeAll: string;
  readonly filter: string;
  readonly next: string;
  readonly foot: readonly string[];
  readonly footSize: number;
  readonly footer: string;
}

function reportHtml(view: ReportView, options: HtmlOptions, extras: ReportExtras): string {
  const { noun, seeAll } = extras;
  const sections = view.sections.map((section) => ({ ...section, items: worstFirst(section.items) }));
  const items = sections.flatMap((section) => section.items);
  const refusals = noticesHtml("Refused", "refusal", view.refusals, pageRoom * 0.25);
  const warnings = noticesHtml("Warnings", "warning", distinctWarnings(view.warnings), pageRoom * 0.2);
  const fitted = fitCards(items, pageRoom - refusals.size - warnings.size - extras.footSize);
  let place = 0;
  const parts = [
    headHtml(view, options, extras.meta),
    tilesHtml(view),
    leftOutHtml(fitted, noun, seeAll),
    refusals.html,
    items.length < 2 ? "" : htmlFilters(extras.filter, items),
    ...sections.map(({ hint, id, items: own, title }) => {
      const more = hint === null ? "" : ` · ${escapeHtml(hint)}`;
      const cards = shownHtml(fitted.shown.slice(place, (place += own.length)), noun);
      return `<section id="${id}" data-cards><h2>${escapeHtml(title)} <small>${own.length}${more}</small></h2>\n${cards}</section>`;
    }),
    extras.next,
    warnings.html,
    ...extras.foot,
    `<footer>${extras.footer}edgewise ${short(view.toolVersion)}</footer>`,
  ];
  return parts.filter((part) => part !== "").join("\n");
}

function headHtml(
  { baseUrl, headline, legend, made, title }: ReportView,
  { commit, heading = "h1" }: HtmlOptions,
  meta: readonly string[],
): string {
  const { impact, label, refusal, sentence, why } = headline;
  const line = commitLine(made);
  const about = [
    `<span>${short(baseUrl)}</span>`,
    ...(commit === undefined ? [] : [`<span>commit <code>${short(commit)}</code></span>`]),
    ...(line === null ? [] : [`<span>${escapeHtml(line)}</span>`]),
    ...meta,
    ...(legend === null ? [] : [`<span>${legend}</span>`]),
  ];
  const refused = refusal === null ? "" : `<div class="headline refused"><b>refused</b>${message(refusal)}</div>\n`;
  const tone = label === "" && refusal === null ? "good" : impact;
  const word = label === "" ? "" : `<b>${label}</b>`;
  const reason = why === null ? "" : `<p class="why ${impact}">${message(why)}</p>`;
  return `<header><${heading}>${short(title)}</${heading}><div class="meta">${about.join("")}</div>
${refused}<div class="headline ${tone}">${word}${message(sentence)}${reason}</div></header>`;
}

/** The totals of a page, each with a link to what it counts. */
function tilesHtml({ sections, totals, warnings }: ReportView): string {
  const noun = warnings.length === 1 ? "warning" : "warnings";
  const tiles = [...totals, { count: warnings.length, label: noun, group: "" }].flatMap(
    ({ count: n, group, label }) => {
      const own = sections.find(({ items }) => items.some((item) => item.group === group))?.id;
      const id = group === "" ? "warnings" : own;
      const text = `<b>${n}</b>${escapeHtml(label)}`;
      return n === 0 ? [] : [`<li>${id === undefined ? text : `<a href="#${id}">${text}</a>`}</li>`];
    },
  );
  return tiles.length === 0 ? "" : `<ul class="tiles" aria-label="Totals">${tiles.join("")}</ul>`;
}

/** All cards in full, without unchanged lines when they don't fit; else the worst in full and the others as a line. */
function fitCards(items: readonly ReportItem[], room: number): Fitted {
  const open = openFromStart(items);
  const fit = (limits: FieldLimits): Fitted =>
    fitBytes(
      items.map((item) => ({
        rank: impactRank(item.impact),
        full: () => cardHtml(item, cardBody(item, limits), open.has(item)),
        compact: () => cardHtml(item, "", false),
      })),
      room,
      0.6,
    );
  const whole = fit({ ...cardLimits, folds: true });
  return whole.shortened + whole.omitted === 0 ? whole : fit(cardLimits);
}

function fitBytes(items: readonly FittingItem[], room: number, shareOfFull = 0): Fitted {
  return fitItems(items, { room, shareOfFull, sizeOf: (text) => Buffer.byteLength(text, "utf8") });
}

/** Up to this many changes or findings are open from the start. */
const mostOpen = 12;

/** What is open from the start: all when there are few; else the gravest, and what goes away, unless these are many, too. */
function openFromStart(items: readonly ReportItem[]): ReadonlySet<ReportItem> {
  if (items.length <= mostOpen) return new Set(items);
  const grave = items.filter(({ impact }) => isAtLeast(impact, "security"));
  const gone = items.filter(({ group }) => group === "delete" || group === "replace");
  return new Set([grave, gone].flatMap((some) => (some.length <= mostOpen ? some : [])));
}

/** A card that folds; a plain row when its body is empty. */
function cardHtml(item: ReportItem, body: string, isOpen: boolean): string {
  const { address, flag, group, impact, mark, paint, reason, sentence } = item;
  const [id, place] = [shownId(item), placeOf(item)];
  const gist = reason ?? sentence;
  const heading = [
    `<span class="mark ${paint}" title="${group}">${escapeHtml(mark)}</span>`,
    `<span class="name mono">${short(address)}</span>`,
    ...(id === null ? [] : [`<span class="soft mono">${short(id)}</span>`]),
    ...(impact === "none" ? [] : [`<span class="badge ${impact}">${impact}</span>`]),
    ...(flag === null ? [] : [`<span class="badge ${flag.paint}">${flag.short}</span>`]),
    ...(place === null ? [] : [`<span class="place mono">${short(place)}</span>`]),
    ...(gist === "" ? [] : [`<span class="gist why ${impact}">${escapeHtmlLine(cut(gist, 300))}</span>`]),
  ].join(" ");
  const data = `data-group="${group}" data-impact="${impact}" data-name="${short(address)}"`;
  if (body === "") return `<div class="card plain row" ${data}>${heading}</div>`;
  return `<details class="card" ${data}${isOpen ? " open" : ""}>
<summary>${heading}</summary>
<div class="body">${body}</div>
</details>`;
}

function cardBody(item: ReportItem, limits: FieldLimits): string {
  const { fields, impact, isOwnReason, notes, reason, sentence } = item;
  const found = sentence === "" ? "" : `<p>${message(sentence)}</p>`;
  const why = isOwnReason && reason !== null ? `<p class="why ${impact}">${impact}: ${message(reason)}</p>` : "";
  const lines = notes.slice(0, mostOfCard).map((note) => `<li>${message(note)}</li>`);
  const list = lines.length === 0 ? "" : `<ul class="notes">${lines.join("")}</ul>`;
  const first = fields.length > mostOfCard ? worstFirst(fields).slice(0, mostOfCard) : fields;
  const left = fields.length - first.length;
  const views = itemFields({ ...item, fields: first }, limits);
  return `${found}${why}${list}${fieldsHtml(views)}${left === 0 ? "" : `<p>${count(left, "more field")}</p>`}`;
}

/** What is shown of a list, and a line that counts the rest. */
function shownHtml(fitted: readonly (string | null)[], noun: string): string {
  const shown = fitted.filter((item) => item !== null);
  const left = fitted.length - shown.length;
  return [...shown, ...(left === 0 ? [] : [`<p class="soft">${count(left, `more ${noun}`)} not shown</p>`])].join("\n");
}

/** The note at the head of a page that does not show everything. */
function leftOutHtml({ omitted, shortened, shown }: Fitted, noun: string, seeAll: string): string {
  if (shortened + omitted === 0) return "";
  const full = shown.length - shortened - omitted;
  return `<div class="headline"><b>large</b>A page of ${mostOfPage} MB does not hold everything: of ${count(shown.length, noun)}, the worst by impact come first: ${full} in full, ${shortened} shortened to a line, ${omitted} only counted. Filters apply to what is shown. ${seeAll}</div>`;
}

/** A part of a page that was fitted. */
interface FittedHtml {
  readonly html: string;
  readonly size: number;
}

/** Refusals with their remedies or warnings, as many as fit; nothing without any. */
function noticesHtml(title: string, noun: string, notices: readonly (Refusal | Warning)[], room: number): FittedHtml {
  if (notices.length === 0) return { html: "", size: 0 };
  const items = notices.map((notice) => ({ full: () => noticeHtml(notice), compact: null }));
  const { shown, size } = fitBytes(items, room);
  const head = `<section id="${title.toLowerCase()}"><h2>${title} <small>${notices.length}</small></h2>`;
  return { html: `${head}\n${shownHtml(shown, noun)}</section>`, size };
}

function noticeHtml(notice: Refusal | Warning): string {
  const { address, code } = notice;
  const subject = address === undefined ? "" : ` <code>${short(address)}</code>`;
  const text = `<b>${short(code)}</b>${subject}<p>${message(notice.message)}</p>`;
  if (!("remedy" in notice)) return `<div class="card plain">${text}</div>`;
  return `<div class="card plain refusal">${text}<p><b>To do:</b> ${message(notice.remedy)}</p></div>`;
}

function nextStepsHtml(drift: Drift): string {
  const byCommand = new Map<string, string>();
  for (const { command, does } of nextSteps(drift))
    byCommand.set(command, `${byCommand.get(command) ?? ""}<dd>${escapeHtml(does)}</dd>`);
  const items = [...byCommand].map(([command, uses]) => `<dt><code>${command}</code></dt>${uses}`);
  if (items.length === 0) return "";
  return `<section id="next"><h2>What to do next <small>with the flags of this run</small></h2>\n<dl class="steps">${items.join("")}</dl></section>`;
}

/** What one operation releases and another takes, like a hostport that moves from one edge to another, as arrows. */
function movesHtml({ operations }: Plan): FittedHtml {
  const byId = new Map(operations.map((operation) => [operation.id, operation]));
  // By taker and claim: a release in two parts names what it releases in both.
  const seen = new Set<string>();
  const moves = new Map<string, { readonly from: Operation; readonly to: Operation; readonly claims: string[] }>();
  for (const from of operations) {
    for (const [claim, taker] of [from.temporary, from.handsOver].flatMap((each) =>
      Object.entries(each?.claims ?? {}),
    )) {
      const to = byId.get(taker);
      if (to === undefined || seen.has(`${taker} ${claim}`)) continue;
      seen.add(`${taker} ${claim}`);
      const move = moves.get(`${from.id} ${taker}`) ?? { from, to, claims: [] };
      moves.set(`${from.id} ${taker}`, move);
      move.claims.push(claim);
    }
  }
  if (moves.size === 0) return { html: "", size: 0 };
  const side = ({ address, id }: Operation, does: string): string =>
    `<span class="side"><code>${short(address)}</code> <small>${does} by ${short(id)}</small></span>`;
  const items = [...moves.values()].map(({ claims, from, to }) => ({
    full: () => {
      const names = claims.map((claim) => `<code>${short(claimText(claim))}</code>`).join(" ");
      return `<li>${side(from, "released")}<span class="way">${names}</span>${side(to, "taken")}</li>`;
    },
    compact: null,
  }));
  const { omitted, shown, size } = fitBytes(items, pageRoom * 0.05);
  const rest = omitted === 0 ? "" : `\n<p class="soft">${count(omitted, "more move")} not shown</p>`;
  return {
    html: `<section id="moves"><h2>Moves <small>${seen.size} · released by one resource, taken by another</small></h2>
<ul class="moves">
${shown.filter((item) => item !== null).join("\n")}
</ul>${rest}</section>`,
    size,
  };
}

function orderHtml(plan: Plan): FittedHtml {
  const { operations } = plan;
  if (operations.length === 0) return { html: "", size: 0 };
  const words = operationWords(plan);
  const rows = operations.map((operation) => ({
    full: () => rowHtml(operation, words.get(operation.id)?.does),
    compact: null,
  }));
  const { omitted, shown, size } = fitBytes(rows, pageRoom * 0.15);
  const lines = [relaxationsLine(plan), rehearsalLine(plan)].filter((line) => line !== null);
  const rest = omitted === 0 ? "" : `\n<p class="soft">${count(omitted, "more operation")} not shown</p>`;
  const table = `<table class="wide">
<thead><tr><th scope="col">Id</th><th scope="col">Operation</th><th scope="col">Resource</th><th scope="col">Request</th><th scope="col">Waits for</th><th scope="col">Why</th></tr></thead>
<tbody>
${shown.filter((row) => row !== null).join("\n")}
</tbody></table>${rest}`;
  const html = `<section id="order"><h2>Order <small>${count(operations.length, "operation")}</small></h2>
${lines.map((line) => `<p class="soft">${message(line)}</p>`).join("")}
<details class="card"${operations.length <= 20 ? " open" : ""}><summary>All operations in a table</summary><div class="body">${table}</div></details></section>`;
  return { html, size };
}

function rowHtml(operation: Operation, does: string = operation.kind): string {
  const { address, after, id, method, path } = operation;
  return [
    `<tr><td class="tight mono">${short(id)}</td>`,
    `<td>${short(does)}</td>`,
    `<td class="mono">${short(address)}</td>`,
    `<td class="mono">${method} ${short(path)}</td>`,
    after.length === 0 ? "<td></td>" : `<td data-label="waits for">${message(listFew(after, 12))}</td>`,
    `<td>${message(reasonOfOrder(operation) ?? "")}</td></tr>`,
  ].join("");
}

function short(text: string): string {
  return escapeHtmlLine(cut(text, mostOfValue));
}

function message(text: string): string {
  return escapeHtmlLine(cut(text, mostOfMessage));
}
