import { createHash } from "node:crypto";
import { escapeHtml } from "./escape-html.js";
import { visibleLine } from "./escape.js";
import { htmlScript } from "./html-script.js";
import { htmlStyle } from "./html-style.js";

/**
 * A page in one file that loads nothing: its policy allows the style and the script below by their hashes, and no
 * other style, script, picture or connection. `main` is markup that is already escaped.
 */
export function htmlPage(title: string, main: string): string {
  const policy = [
    "default-src 'none'",
    `style-src '${cspHash(htmlStyle)}'`,
    `script-src '${cspHash(htmlScript)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(visibleLine(title))}</title>
<style>${htmlStyle}</style>
</head>
<body>
<main>
${main}
</main>
<script>${htmlScript}</script>
</body>
</html>
`;
}

function cspHash(text: string): string {
  return `sha256-${createHash("sha256").update(text, "utf8").digest("base64")}`;
}
