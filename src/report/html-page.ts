import { createHash } from "node:crypto";
import { visibleLine } from "../core/visible.js";
import { escapeHtml } from "./escape.js";
import { htmlStyle } from "./html-style.js";

/** What a page needs beyond a report: none of it may hold what comes from elsewhere. */
interface PageExtras {
  readonly style?: string;
  readonly script?: string;
  readonly head?: string;
  /** What the page may do beyond showing itself, as in a content security policy. */
  readonly policy?: readonly string[];
}

export interface HtmlPage {
  readonly html: string;
  readonly policy: string;
}

/** A page in one file that loads nothing. `main` is markup that is already escaped. */
export function htmlPage(title: string, main: string, extras: PageExtras = {}): HtmlPage {
  const { head = "", script = "", policy: more = ["form-action 'none'"] } = extras;
  const style = htmlStyle + (extras.style ?? "");
  const policy = [
    "default-src 'none'",
    `style-src '${cspHash(style)}'`,
    `script-src '${cspHash(script)}'`,
    "base-uri 'none'",
    ...more,
  ].join("; ");
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
${head}<title>${escapeHtml(visibleLine(title))}</title>
<style>${style}</style>
</head>
<body>
<main>
${main}
</main>
${script === "" ? "" : `<script>${script}</script>\n`}</body>
</html>
`;
  return { html, policy };
}

function cspHash(text: string): string {
  return `sha256-${createHash("sha256").update(text, "utf8").digest("base64")}`;
}
