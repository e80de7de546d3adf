import { count, cut, listFew } from "../core/text.js";
import { isAtLeast } from "../kinds/impact.js";
import { escapeHtml, escapeHtmlLine } from "./escape.js";
import { type FieldLimits, type FieldView, itemFields } from "./field-view.js";
import { htmlPage } from "./html-page.js";
import { type ItemGroup, type ReportView, type Step } from "./report-view.js";
import { groupItems, groupNotices, placeOf, present, worstFirst } from "./report-view.js";

/** In characters. */
const mostOfValue = 500;
const mostOfMessage = 10_000;

/** So that browsers open the page at once. */
const mostOfBodies = 3_500_000;
const mostRows = 2000;

const mostOpen = 12;

const cardLimits: FieldLimits = { inline: 100, line: 2000, lines: 1000 };

/** One page that loads nothing. */
export function renderHtml(view: ReportView): string {
  return htmlPage(cut(view.title, mostOfValue), viewHtml(view)).html;
}

export function viewHtml(view: ReportView, heading: "h1" | "h2" = "h1"): string {
  const { hash, toolVersion, warnings } = view;
  const sections = view.sections.map((section) => ({ ...section, groups: groupItems(worstFirst(section.items)) }));
  const groups = sections.flatMap((section) => section.groups);
  const bodies = new Map<ItemGroup, string>();
  let room = mostOfBodies;
  for (const item of worstFirst(groups)) {
    const body = cardBody(item);
    room -= body.length;
    if (room < 0 && bodies.size > 0) break;
    bodies.set(item, body);
  }
  const isOpen = ({ group, impact }: ItemGroup): boolean =>
    groups.length <= mostOpen || isAtLeast(impact, "security") || group === "delete" || group === "replace";
  return present([
    headHtml(view, heading),
    tilesHtml(view),
    noticesHtml("Refused", view.refusals),
    groups.length === bodies.size
      ? ""
      : `<div class="headline"><b>large</b>The worst ${bodies.size} of ${groups.length} cards are shown in full, the others as a line; <code>-o json</code> has everything.</div>`,
    ...sections.map(({ groups: own, hint, id, items, title }) => {
      const cards = own.map((item) => cardHtml(item, bodies.get(item) ?? "", isOpen(item)));
      return sectionHtml(id, title, `${items.length}${hint && ` · ${escapeHtml(hint)}`}`, cards.join("\n"));
    }),
    noticesHtml("Warnings", warnings),
    stepsHtml(view),
    `<footer>${hash && `Plan <code>${short(hash)}</code> · `}edgewise ${short(toolVersion)}</footer>`,
  ]).join("\n");
}

function sectionHtml(id: string, title: string, about: string, content: string): string {
  return `<section id="${id}"><h2>${escapeHtml(title)} <small>${about}</small></h2>\n${content}</section>`;
}

function headHtml({ baseUrl, from, headline, legend, title }: ReportView, heading: "h1" | "h2"): string {
  const { impact, label, refusal, sentence } = headline;
  const about = present([short(baseUrl), escapeHtml(from), escapeHtml(legend)]).map((each) => `<span>${each}</span>`);
  const refused = refusal && `<div class="headline refused"><b>refused</b>${message(refusal)}</div>\n`;
  const tone = label + refusal === "" ? "good" : impact;
  return `<header><${heading}>${short(title)}</${heading}><div class="meta">${about.join("")}</div>
${refused}<div class="headline ${tone}">${label && `<b>${label}</b>`}${message(sentence)}</div></header>`;
}

function tilesHtml({ sections, totals, warnings }: ReportView): string {
  const tiles = totals.map(({ count: number, group, label }) => {
    const id = sections.find(({ items }) => items.some((item) => item.group === group))?.id;
    return { number, label, id };
  });
  const { length } = warnings;
  if (length > 0) tiles.push({ number: length, label: length === 1 ? "warning" : "warnings", id: "warnings" });
  const items = tiles.map(({ id, label, number }) => {
    const text = `<b>${number}</b>${escapeHtml(label)}`;
    return `<li>${id === undefined ? text : `<a href="#${id}">${text}</a>`}</li>`;
  });
  return items.length === 0 ? "" : `<ul class="tiles" aria-label="Totals">${items.join("")}</ul>`;
}

/** A plain row without a body. */
function cardHtml(item: ItemGroup, body: string, isOpen: boolean): string {
  const { address, addresses, flag, group, id, impact, mark, paint, reason, sentence } = item;
  const gist = reason || sentence;
  const span = (kind: string, text: string): string => text && `<span class="${kind}">${text}</span>`;
  const heading = present([
    `<span class="mark ${paint}" title="${group}">${escapeHtml(mark)}</span>`,
    span("name mono", short(address)),
    span("soft mono", short(id)),
    impact === "none" ? "" : span(`badge ${impact}`, impact),
    span(`badge ${flag === "changed live" ? "change" : "conflict"}`, flag),
    span("place mono", short(placeOf(item))),
    span(`gist why ${impact}`, escapeHtmlLine(cut(gist, 300))),
  ]).join(" ");
  const names = addresses.length === 0 ? [address] : addresses;
  const data = `data-group="${group}" data-name="${names.map(short).join(" ")}"`;
  if (body === "") return `<div class="card plain row" ${data}>${heading}</div>`;
  return `<details class="card" ${data}${isOpen ? " open" : ""}>
<summary>${heading}</summary>
<div class="body">${body}</div>
</details>`;
}

function cardBody(item: ItemGroup): string {
  const { addresses, impact, isOwnReason, notes, reason, sentence } = item;
  const lines = notes.map((note) => `<li>${message(note)}</li>`);
  return [
    sentence && `<p>${message(sentence)}</p>`,
    isOwnReason ? `<p class="why ${impact}">${impact}: ${message(reason)}</p>` : "",
    lines.length === 0 ? "" : `<ul class="notes">${lines.join("")}</ul>`,
    itemFields(item, cardLimits).map(fieldHtml).join("\n"),
    addresses.length === 0 ? "" : addressesHtml(addresses),
  ].join("");
}

function fieldHtml({ after, before, impact, lines, path, reason, sign, tags }: FieldView): string {
  const badges = tags.map(
    (tag) => ` <span class="badge${tag.startsWith("conflict") ? " conflict" : ""}">${escapeHtml(tag)}</span>`,
  );
  const why = reason && `<p class="why ${impact}">${impact}: ${escapeHtml(reason)}</p>`;
  const isNote = sign === "~" && (before === "" || after === "");
  const side = (text: string, tag: "del" | "ins"): string =>
    text && (isNote ? escapeHtml(text) : `<${tag}>${escapeHtml(text)}</${tag}>`);
  const sides = present([side(before, "del"), side(after, "ins")]).join('<span class="arrow">→</span>');
  const values =
    lines === null
      ? `<div class="values mono${isNote ? " soft" : ""}">${sides}</div>`
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
  return `<p class="soft">${addresses.map((address) => `<code>${short(address)}</code>`).join(", ")}</p>`;
}

function noticesHtml(title: string, notices: ReportView["refusals" | "warnings"]): string {
  if (notices.length === 0) return "";
  const cards = groupNotices(notices).map(({ addresses, code, message: text, remedy }) => {
    const subject = addresses.length === 1 ? ` <code>${addresses.map(short).join()}</code>` : "";
    const others = addresses.length > 1 ? addressesHtml(addresses) : "";
    const todo = remedy === undefined ? "" : `<p><b>To do:</b> ${message(remedy)}</p>`;
    return `<div class="card plain${todo && " refusal"}"><b>${short(code)}</b>${subject}<p>${message(text)}</p>${others}${todo}</div>`;
  });
  return sectionHtml(title.toLowerCase(), title, String(notices.length), cards.join("\n"));
}

function stepsHtml({ closing, steps }: ReportView): string {
  if (steps.length === 0) return "";
  const left = steps.length - mostRows;
  const titles = ["Id", "Operation", "Resource", "Request", "Waits for", "Why"];
  const content = `${closing.map((line) => `<p class="soft">${message(line)}</p>`).join("")}
<details class="card"${steps.length <= 20 ? " open" : ""}><summary>All operations in a table</summary><div class="body"><table class="wide">
<thead><tr>${titles.map((title) => `<th scope="col">${title}</th>`).join("")}</tr></thead>
<tbody>
${steps.slice(0, mostRows).map(stepHtml).join("\n")}
</tbody></table>${left <= 0 ? "" : `\n<p class="soft">${count(left, "more operation")} not shown</p>`}</div></details>`;
  return sectionHtml("order", "Order", count(steps.length, "operation"), content);
}

function stepHtml({ address, after, does, id, request, why }: Step): string {
  return [
    `<tr><td class="tight mono">${short(id)}</td>`,
    `<td>${short(does)}</td>`,
    `<td class="mono">${short(address)}</td>`,
    `<td class="mono">${short(request)}</td>`,
    after.length === 0 ? "<td></td>" : `<td data-label="waits for">${message(listFew(after, 12))}</td>`,
    `<td>${message(why)}</td></tr>`,
  ].join("");
}

function short(text: string): string {
  return escapeHtmlLine(cut(text, mostOfValue));
}

function message(text: string): string {
  return escapeHtmlLine(cut(text, mostOfMessage));
}
