import { createHash } from "node:crypto";
import { visibleLine } from "../text/visible.js";
import { escapeHtml } from "./escape.js";
import { htmlScript, htmlStyle } from "./html-style.js";

/** What a page needs beyond a report: none of it may hold what comes from elsewhere. */
export interface PageExtras {
  /** Follows the style sheet of the reports. */
  readonly style: string;
  /** Follows their script. */
  readonly script: string;
  /** Markup for the head. */
  readonly head: string;
  /** What the page may do beyond showing itself, as in a content security policy. */
  readonly policy: readonly string[];
}

/** A page, and the policy that a server sends with it. */
export interface HtmlPage {
  readonly html: string;
  readonly policy: string;
}

/**
 * A page in one file that loads nothing: its policy allows the style and the script below by their hashes, and no
 * other style, script, picture or connection. `main` is markup that is already escaped.
 */
export function htmlPage(title: string, main: string): string {
  return htmlPageWith(title, main, { style: "", script: "", head: "", policy: ["form-action 'none'"] }).html;
}

/** Like {@link htmlPage}, for a page that does more than show a report. */
export function htmlPageWith(title: string, main: string, extras: PageExtras): HtmlPage {
  const style = htmlStyle + extras.style;
  const script = htmlScript + extras.script;
  const policy = [
    "default-src 'none'",
    `style-src '${cspHash(style)}'`,
    `script-src '${cspHash(script)}'`,
    "base-uri 'none'",
    ...extras.policy,
  ].join("; ");
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
${extras.head}<title>${escapeHtml(visibleLine(title))}</title>
<style>${style}</style>
</head>
<body>
<main>
${main}
</main>
<script>${script}</script>
</body>
</html>
`;
  return { html, policy };
}

function cspHash(text: string): string {
  return `sha256-${createHash("sha256").update(text, "utf8").digest("base64")}`;
}

/** One choice of a filter. */
export interface FilterChoice {
  readonly value: string;
  readonly label: string;
  readonly count: number;
}

/** What the filters of a page are called. */
export interface FilterTitles {
  readonly group: string;
  /** Of `data-impact` of the cards; default: Impact. */
  readonly impact?: string;
  /** What the text that is looked for is part of (`data-name`); default: the address. */
  readonly name?: string;
}

/** The bar that filters cards by group, impact and name; hidden until the script has run that it needs. */
export function htmlFilters(
  { group, impact = "Impact", name = "address" }: FilterTitles,
  groups: readonly FilterChoice[],
  impacts: readonly FilterChoice[],
): string {
  const find = `Find by ${escapeHtml(name)}`;
  return `<div class="filters" id="filters" role="search" aria-label="Filter" hidden>
${filterFieldset(group, "group", groups)}
${filterFieldset(impact, "impact", impacts)}
<input type="search" placeholder="${find}" aria-label="${find}">
<button type="button" id="open">Open all</button><button type="button" id="close">Close all</button>
<span class="status" id="status" role="status"></span>
</div>`;
}

function filterFieldset(title: string, name: string, list: readonly FilterChoice[]): string {
  const pills = list.map(
    ({ value, label, count }) =>
      `<label class="pill"><input type="checkbox" name="${name}" value="${escapeHtml(value)}" checked><span>${escapeHtml(label)} ${count}</span></label>`,
  );
  return `<fieldset><legend>${escapeHtml(title)}</legend>${pills.join("")}</fieldset>`;
}

/** Counts items for the choices of a filter, in the order given; choices without items are left out. */
export function filterChoices<T>(
  items: readonly T[],
  values: readonly string[],
  of: (item: T) => string,
): readonly FilterChoice[] {
  const counts = new Map(values.map((value) => [value, 0]));
  for (const item of items) counts.set(of(item), (counts.get(of(item)) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > 0).map(([value, count]) => ({ value, label: value, count }));
}
