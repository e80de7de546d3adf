import { cut, count, listFew } from "../core/text.js";
import { escapeHtml, escapeHtmlLine } from "./escape.js";
import { commentLimits, itemFields } from "./field-view.js";
import { htmlPage } from "./html-page.js";
import { fieldDiffLines } from "./report-markdown.js";
import { type ItemGroup, type ReportView, type Step } from "./report-view.js";
import { groupItems, groupNotices, placeOf, present, worstFirst } from "./report-view.js";

export function renderHtml(view: ReportView): string {
  return htmlPage(cut(view.title, mostOfValue), viewHtml(view)).html;
}

const mostOpen = 12;
/** In characters, so that browsers open the page at once. */
const mostOfBodies = 3_500_000;

export function viewHtml(view: ReportView, heading: "h1" | "h2" = "h1"): string {
  const { hash, sections, toolVersion } = view;
  const groups = sections.map(({ items }) => groupItems(worstFirst(items)));
  const all = groups.flat();
  const bodies = new Map<ItemGroup, string>();
  let room = mostOfBodies;
  for (const item of worstFirst(all)) {
    const body = bodyHtml(item);
    room -= body.length;
    if (room < 0) break;
    bodies.set(item, body);
  }
  const large = `The worst ${bodies.size} of ${all.length} cards are shown in full; <code>-o json</code> has everything.`;
  return present([
    headHtml(view, heading),
    noticesHtml("Refused", view.refusals),
    bodies.size < all.length ? `<p class="soft">${large}</p>` : "",
    ...sections.map(({ open, title }, at) => {
      const cards = (groups[at] ?? []).map((item) =>
        cardHtml(item, bodies.get(item) ?? "", open || all.length <= mostOpen),
      );
      return sectionHtml(title, cards.join("\n"));
    }),
    noticesHtml("Warnings", view.warnings),
    stepsHtml(view),
    `<footer>${hash && `Plan <code>${short(hash)}</code> · `}edgewise ${short(toolVersion)}</footer>`,
  ]).join("\n");
}

function sectionHtml(title: string, content: string): string {
  return `<section><h2>${escapeHtml(title)}</h2>\n${content}</section>`;
}

function headHtml(view: ReportView, heading: "h1" | "h2"): string {
  const { baseUrl, counts, from, headline, legend, title } = view;
  const { impact, label, refusal, sentence } = headline;
  const about = [baseUrl, from, counts, legend].map((each) => each && `<span>${short(each)}</span>`);
  const refused = refusal && `<div class="headline refused"><b>refused</b>${message(refusal)}</div>\n`;
  const tone = label + refusal === "" ? "good" : impact;
  return `<header><${heading}>${short(title)}</${heading}><div class="meta">${about.join("")}</div>
${refused}<div class="headline ${tone}">${label && `<b>${label}</b>`}${message(sentence)}</div></header>`;
}

function cardHtml(item: ItemGroup, body: string, isOpen: boolean): string {
  const { address, flag, group, id, impact, mark, paint, reason, sentence } = item;
  const span = (kind: string, text: string): string => text && `<span class="${kind}">${text}</span>`;
  const heading = present([
    `<span class="mark ${paint}" title="${group}">${escapeHtml(mark)}</span>`,
    span("name mono", short(address)),
    span("soft mono", short(id)),
    impact === "none" ? "" : span(`badge ${impact}`, impact),
    span(`badge ${flag === "changed live" ? "change" : "conflict"}`, flag),
    span("place mono", short(placeOf(item))),
    span(`gist why ${impact}`, escapeHtmlLine(cut(reason || sentence, 300))),
  ]).join(" ");
  if (body === "") return `<div class="card plain">${heading}</div>`;
  return `<details class="card"${isOpen ? " open" : ""}>
<summary>${heading}</summary>
<div class="body">${body}</div>
</details>`;
}

function bodyHtml(item: ItemGroup): string {
  const { addresses, notes, sentence } = item;
  return [
    sentence && `<p>${message(sentence)}</p>`,
    notes.length === 0 ? "" : `<ul class="notes">${notes.map((note) => `<li>${message(note)}</li>`).join("")}</ul>`,
    diffHtml(fieldDiffLines(itemFields(item, commentLimits))),
    addressesHtml(addresses),
  ].join("");
}

function diffHtml(lines: readonly string[]): string {
  const shown = lines.map((line) => {
    const tag = line.startsWith("+") ? "ins" : line.startsWith("-") ? "del" : "span";
    return `<${tag}>${escapeHtml(line)}</${tag}>`;
  });
  return shown.length === 0 ? "" : `<div class="diff">${shown.join("")}</div>`;
}

function addressesHtml(addresses: readonly string[]): string {
  if (addresses.length === 0) return "";
  return `<p class="soft">${addresses.map((address) => `<code>${short(address)}</code>`).join(", ")}</p>`;
}

function noticesHtml(title: string, notices: ReportView["refusals" | "warnings"]): string {
  if (notices.length === 0) return "";
  const cards = groupNotices(notices).map(({ addresses, code, message: text, remedy }) => {
    const subject = addresses.length === 1 ? ` <code>${addresses.map(short).join()}</code>` : "";
    const others = addresses.length > 1 ? addressesHtml(addresses) : "";
    const todo = remedy === undefined ? "" : `<p><b>To do:</b> ${message(remedy)}</p>`;
    return `<div class="card plain${todo && " refused"}"><b>${short(code)}</b>${subject}<p>${message(text)}</p>${others}${todo}</div>`;
  });
  return sectionHtml(`${title} (${notices.length})`, cards.join("\n"));
}

function stepsHtml({ closing, steps }: ReportView): string {
  if (steps.length === 0) return "";
  const titles = ["Id", "Operation", "Request", "Waits for", "Why"];
  const content = `${closing.map((line) => `<p class="soft">${message(line)}</p>`).join("")}
<details class="card"${steps.length <= 20 ? " open" : ""}><summary>All operations</summary><div class="body"><table class="wide">
<thead><tr>${titles.map((title) => `<th scope="col">${title}</th>`).join("")}</tr></thead>
<tbody>
${steps.map(stepHtml).join("\n")}
</tbody></table></div></details>`;
  return sectionHtml(`Order (${count(steps.length, "operation")})`, content);
}

function stepHtml({ after, id, request, title, why }: Step): string {
  const cells = [short(title), short(request), message(listFew(after, 12)), message(why)];
  return `<tr><td class="tight mono">${short(id)}</td>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}

const mostOfValue = 500;
const mostOfMessage = 10_000;

function short(text: string): string {
  return escapeHtmlLine(cut(text, mostOfValue));
}

function message(text: string): string {
  return escapeHtmlLine(cut(text, mostOfMessage));
}
