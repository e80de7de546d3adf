import { createHash } from "node:crypto";
import { type Impact, impacts } from "../kinds/impact.js";
import { visibleLine } from "../core/visible.js";
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

/** The bar that filters cards by group and impact, and by a part of the address; hidden until the script has run. */
export function htmlFilters(
  title: string,
  items: readonly { readonly group: string; readonly impact: Impact }[],
): string {
  const groups = [...new Set(items.map(({ group }) => group))];
  const worst = impacts.toReversed().filter((impact) => items.some((item) => item.impact === impact));
  const pill = (name: "group" | "impact", value: string): string => {
    const count = items.filter((item) => item[name] === value).length;
    return `<label class="pill"><input type="checkbox" name="${name}" value="${value}" checked><span>${value} ${count}</span></label>`;
  };
  return `<div class="filters" id="filters" role="search" aria-label="Filter" hidden>
<fieldset><legend>${title}</legend>${groups.map((value) => pill("group", value)).join("")}</fieldset>
<fieldset><legend>Impact</legend>${worst.map((value) => pill("impact", value)).join("")}</fieldset>
<input type="search" placeholder="Find by address" aria-label="Find by address">
<button type="button" id="open">Open all</button><button type="button" id="close">Close all</button>
<span class="status" id="status" role="status"></span>
</div>`;
}
