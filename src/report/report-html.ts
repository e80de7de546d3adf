import { count, cut, listFew } from "../core/text.js";
import { impactRank, isAtLeast } from "../kinds/impact.js";
import { escapeHtml, escapeHtmlLine } from "./escape.js";
import { type FieldLimits, type FieldView, itemFields } from "./field-view.js";
import { type Fitted, type FittingItem, fitItems } from "./fit.js";
import { htmlFilters, htmlPage } from "./html-page.js";
import { type ItemGroup, type Notice, type ReportView, type Step } from "./report-view.js";
import { groupItems, groupNotices, placeOf, worstFirst } from "./report-view.js";

/** The largest report in MB: browsers open it at once, and forges and mail servers take it. */
const mostOfPage = 5;

/** What a page may hold beside its style sheet, script, head and notes, in bytes. */
const pageRoom = mostOfPage * 1_000_000 - 200_000;

/** Most characters of one value, and of a message: files that somebody else wrote may have long ones. */
const mostOfValue = 500;
const mostOfMessage = 10_000;

const mostFields = 500;

const cardLimits: FieldLimits = { inline: 100, line: 2000, lines: 4000 };

/** A plan or drift as one page that loads nothing from elsewhere: light and dark, to be read, filtered and printed. */
export function renderHtml(view: ReportView): string {
  return htmlPage(cut(view.title, mostOfValue), viewHtml(view));
}

/** The same as a part of another page. */
export function viewHtml(view: ReportView, heading: "h1" | "h2" = "h1"): string {
  const { hash, name, toolVersion } = view;
  const noun = name === "plan" ? "change" : "finding";
  const sections = view.sections.map((section) => ({ ...section, groups: groupItems(worstFirst(section.items)) }));
  const groups = sections.flatMap((section) => section.groups);
  const refusals = noticesHtml("Refused", "refusal", groupNotices(view.refusals), pageRoom * 0.25);
  const warnings = noticesHtml("Warnings", "warning", groupNotices(view.warnings), pageRoom * 0.2);
  const steps = stepsHtml(view);
  const fitted = fitCards(groups, pageRoom - refusals.size - warnings.size - steps.size);
  let place = 0;
  const parts = [
    headHtml(view, heading),
    tilesHtml(view),
    leftOutHtml(fitted, noun),
    refusals.html,
    groups.length < 2
      ? ""
      : htmlFilters(
          name === "plan" ? "Action" : "Type",
          view.sections.flatMap(({ items }) => items),
        ),
    ...sections.map(({ groups: own, hint, id, items, title }) => {
      const more = hint === null ? "" : ` · ${escapeHtml(hint)}`;
      const cards = shownHtml(fitted.shown.slice(place, (place += own.length)), noun);
      return `<section id="${id}" data-cards><h2>${escapeHtml(title)} <small>${items.length}${more}</small></h2>\n${cards}</section>`;
    }),
    warnings.html,
    steps.html,
    `<footer>${hash === null ? "" : `Plan <code>${short(hash)}</code> · `}edgewise ${short(toolVersion)}</footer>`,
  ];
  return parts.filter((part) => part !== "").join("\n");
}

function headHtml({ baseUrl, from, headline, legend, title }: ReportView, heading: "h1" | "h2"): string {
  const { impact, label, refusal, sentence } = headline;
  const about = [short(baseUrl), ...[from, legend].flatMap((line) => (line === null ? [] : [escapeHtml(line)]))];
  const refused = refusal === null ? "" : `<div class="headline refused"><b>refused</b>${message(refusal)}</div>\n`;
  const tone = label === "" && refusal === null ? "good" : impact;
  const word = label === "" ? "" : `<b>${label}</b>`;
  return `<header><${heading}>${short(title)}</${heading}><div class="meta">${about.map((each) => `<span>${each}</span>`).join("")}</div>
${refused}<div class="headline ${tone}">${word}${message(sentence)}</div></header>`;
}

/** The totals of a page, each with a link to what it counts. */
function tilesHtml({ sections, totals, warnings }: ReportView): string {
  const noun = warnings.length === 1 ? "warning" : "warnings";
  const tiles = [...totals, { count: warnings.length, label: noun, group: "" }].map(({ count: n, group, label }) => {
    const own = sections.find(({ items }) => items.some((item) => item.group === group))?.id;
    const id = group === "" ? "warnings" : own;
    const text = `<b>${n}</b>${escapeHtml(label)}`;
    return n === 0 ? "" : `<li>${id === undefined ? text : `<a href="#${id}">${text}</a>`}</li>`;
  });
  return tiles.every((tile) => tile === "") ? "" : `<ul class="tiles" aria-label="Totals">${tiles.join("")}</ul>`;
}

/** All cards in full; where there is no room the worst in full and the others as a line. */
function fitCards(items: readonly ItemGroup[], room: number): Fitted {
  const open = openFromStart(items);
  const cards = items.map((item) => ({
    rank: impactRank(item.impact),
    full: () => cardHtml(item, cardBody(item), open.has(item)),
    compact: () => cardHtml(item, "", false),
  }));
  return fitBytes(cards, room, 0.6);
}

function fitBytes(items: readonly FittingItem[], room: number, shareOfFull = 0): Fitted {
  return fitItems(items, { room, shareOfFull, sizeOf: (text) => Buffer.byteLength(text, "utf8") });
}

/** Up to this many changes or findings are open from the start. */
const mostOpen = 12;

/** What is open from the start: all when there are few; else the gravest, and what goes away, unless these are many, too. */
function openFromStart(items: readonly ItemGroup[]): ReadonlySet<ItemGroup> {
  if (items.length <= mostOpen) return new Set(items);
  const grave = items.filter(({ impact }) => isAtLeast(impact, "security"));
  const gone = items.filter(({ group }) => group === "delete" || group === "replace");
  return new Set([grave, gone].flatMap((some) => (some.length <= mostOpen ? some : [])));
}

/** A card that folds; a plain row when its body is empty. */
function cardHtml(item: ItemGroup, body: string, isOpen: boolean): string {
  const { address, addresses, flag, group, id, impact, mark, paint, reason, sentence } = item;
  const place = placeOf(item);
  const gist = reason ?? sentence;
  const heading = [
    `<span class="mark ${paint}" title="${group}">${escapeHtml(mark)}</span>`,
    `<span class="name mono">${short(address)}</span>`,
    ...(id === null ? [] : [`<span class="soft mono">${short(id)}</span>`]),
    ...(impact === "none" ? [] : [`<span class="badge ${impact}">${impact}</span>`]),
    ...(flag === null ? [] : [`<span class="badge ${flag.paint}">${flag.text}</span>`]),
    ...(place === null ? [] : [`<span class="place mono">${short(place)}</span>`]),
    ...(gist === "" ? [] : [`<span class="gist why ${impact}">${escapeHtmlLine(cut(gist, 300))}</span>`]),
  ].join(" ");
  const names = addresses.length === 0 ? [address] : addresses;
  const data = `data-group="${group}" data-impact="${impact}" data-count="${names.length}" data-name="${names.map(short).join(" ")}"`;
  if (body === "") return `<div class="card plain row" ${data}>${heading}</div>`;
  return `<details class="card" ${data}${isOpen ? " open" : ""}>
<summary>${heading}</summary>
<div class="body">${body}</div>
</details>`;
}

function cardBody(item: ItemGroup): string {
  const { addresses, fields, impact, isOwnReason, notes, reason, sentence } = item;
  const lines = notes.slice(0, mostFields).map((note) => `<li>${message(note)}</li>`);
  const first = fields.length > mostFields ? worstFirst(fields).slice(0, mostFields) : fields;
  const left = fields.length - first.length;
  return [
    sentence === "" ? "" : `<p>${message(sentence)}</p>`,
    isOwnReason && reason !== null ? `<p class="why ${impact}">${impact}: ${message(reason)}</p>` : "",
    lines.length === 0 ? "" : `<ul class="notes">${lines.join("")}</ul>`,
    itemFields({ ...item, fields: first }, cardLimits)
      .map(fieldHtml)
      .join("\n"),
    left === 0 ? "" : `<p>${count(left, "more field")}</p>`,
    addressesHtml(addresses),
  ].join("");
}

function fieldHtml({ after, before, impact, lines, path, reason, sign, tags }: FieldView): string {
  const badges = tags.map(
    (tag) => ` <span class="badge${tag.startsWith("conflict") ? " conflict" : ""}">${escapeHtml(tag)}</span>`,
  );
  const why = reason === null ? "" : `<p class="why ${impact}">${impact}: ${escapeHtml(reason)}</p>`;
  const isNote = sign === "~" && (before === null || after === null);
  const sides = [
    ...(before === null ? [] : [isNote ? escapeHtml(before) : `<del>${escapeHtml(before)}</del>`]),
    ...(after === null ? [] : [isNote ? escapeHtml(after) : `<ins>${escapeHtml(after)}</ins>`]),
  ];
  const values =
    lines === null
      ? `<div class="values mono${isNote ? " soft" : ""}">${sides.join('<span class="arrow">→</span>')}</div>`
      : `<div class="diff">${lines.map(({ mark, text }) => diffTags[mark].replace("$", () => escapeHtml(text))).join("")}</div>`;
  return `<div class="field"><code class="path">${escapeHtml(path)}</code>${badges.join("")}${why}${values}</div>`;
}

const diffTags = {
  "+": "<ins>+ $</ins>",
  "-": "<del>- $</del>",
  " ": "<span>  $</span>",
  gap: "<i>⋮ $</i>",
} as const;

function addressesHtml(addresses: readonly string[]): string {
  const names = addresses.map((address) => `<code>${short(address)}</code>`);
  return names.length === 0 ? "" : `<p class="soft">${names.join(", ")}</p>`;
}

/** What is shown of a list, and a line that counts the rest. */
function shownHtml(fitted: readonly (string | null)[], noun: string): string {
  const shown = fitted.filter((item) => item !== null);
  const left = fitted.length - shown.length;
  return [...shown, ...(left === 0 ? [] : [`<p class="soft">${count(left, `more ${noun}`)} not shown</p>`])].join("\n");
}

/** The note at the head of a page that does not show everything. */
function leftOutHtml({ omitted, shortened, shown }: Fitted, noun: string): string {
  if (shortened + omitted === 0) return "";
  const full = shown.length - shortened - omitted;
  return `<div class="headline"><b>large</b>A page of ${mostOfPage} MB does not hold everything: of ${count(shown.length, noun)}, the worst by impact come first: ${full} in full, ${shortened} shortened to a line, ${omitted} only counted. Filters apply to what is shown; <code>-o json</code> has everything.</div>`;
}

/** A part of a page that was fitted. */
interface FittedHtml {
  readonly html: string;
  readonly size: number;
}

/** Refusals with their remedies or warnings, as many as fit; nothing without any. */
function noticesHtml(title: string, noun: string, notices: readonly Notice[], room: number): FittedHtml {
  if (notices.length === 0) return { html: "", size: 0 };
  const { shown, size } = fitBytes(
    notices.map((notice) => ({ full: () => noticeHtml(notice), compact: null })),
    room,
  );
  const number = notices.reduce((sum, { addresses }) => sum + Math.max(1, addresses.length), 0);
  const head = `<section id="${title.toLowerCase()}"><h2>${title} <small>${number}</small></h2>`;
  return { html: `${head}\n${shownHtml(shown, noun)}</section>`, size };
}

function noticeHtml({ addresses, code, message: text, remedy }: Notice): string {
  const subject = addresses.length === 1 ? ` <code>${addresses.map(short).join()}</code>` : "";
  const others = addresses.length > 1 ? addressesHtml(addresses) : "";
  const todo = remedy === undefined ? "" : `<p><b>To do:</b> ${message(remedy)}</p>`;
  return `<div class="card plain${todo === "" ? "" : " refusal"}"><b>${short(code)}</b>${subject}<p>${message(text)}</p>${others}${todo}</div>`;
}

function stepsHtml({ closing, steps }: ReportView): FittedHtml {
  if (steps.length === 0) return { html: "", size: 0 };
  const { shown, size } = fitBytes(
    steps.map((step) => ({ full: () => stepHtml(step), compact: null })),
    pageRoom * 0.15,
  );
  const rows = shown.filter((row) => row !== null);
  const left = steps.length - rows.length;
  const titles = ["Id", "Operation", "Resource", "Request", "Waits for", "Why"];
  const html = `<section id="order"><h2>Order <small>${count(steps.length, "operation")}</small></h2>
${closing.map((line) => `<p class="soft">${message(line)}</p>`).join("")}
<details class="card"${steps.length <= 20 ? " open" : ""}><summary>All operations in a table</summary><div class="body"><table class="wide">
<thead><tr>${titles.map((title) => `<th scope="col">${title}</th>`).join("")}</tr></thead>
<tbody>
${rows.join("\n")}
</tbody></table>${left === 0 ? "" : `\n<p class="soft">${count(left, "more operation")} not shown</p>`}</div></details></section>`;
  return { html, size };
}

function stepHtml({ address, after, does, id, request, why }: Step): string {
  return [
    `<tr><td class="tight mono">${short(id)}</td>`,
    `<td>${short(does)}</td>`,
    `<td class="mono">${short(address)}</td>`,
    `<td class="mono">${short(request)}</td>`,
    after.length === 0 ? "<td></td>" : `<td data-label="waits for">${message(listFew(after, 12))}</td>`,
    `<td>${message(why ?? "")}</td></tr>`,
  ].join("");
}

function short(text: string): string {
  return escapeHtmlLine(cut(text, mostOfValue));
}

function message(text: string): string {
  return escapeHtmlLine(cut(text, mostOfMessage));
}
