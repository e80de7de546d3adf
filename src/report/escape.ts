import { createHash } from "node:crypto";

/**
 * Everything that a terminal, a browser or a reader's eye could be fooled by: control and format characters (ANSI
 * escapes, bidirectional overrides, zero-width characters, tags), line separators, lone surrogates and the invisible
 * variation selectors of the supplementary plane.
 */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u{E0100}-\u{E01EF}]/gu;

/** What most texts are made of: nothing of the above. */
const harmless = /^[\x20-\x7e]*$/;

/** A character as text that means it: `\u001b`, `\u{e0041}`. */
function codePointEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
}

/** `text` with everything invisible or active made visible; line breaks and tabs stay. */
export function visible(text: string): string {
  if (harmless.test(text)) return text;
  return text.replace(unsafe, (character) =>
    character === "\n" || character === "\t" ? character : codePointEscape(character),
  );
}

/** Like {@link visible}, on one line: line breaks are made visible too. */
export function visibleLine(text: string): string {
  if (harmless.test(text)) return text;
  return text.replace(unsafe, (character) =>
    character === "\n" ? "\\n" : character === "\t" ? "\\t" : codePointEscape(character),
  );
}

// Runners read their job's output: `::command::` at the start of a line (after blanks), `##[command]` and its
// relatives anywhere in it. Colour codes may stand before the former.
// eslint-disable-next-line no-control-regex
const lineCommand = /^((?:[^\S\n\r\u2028\u2029]|\u001b\[[0-9;]*m)*):(?=:)/gm;
const inlineCommand = /#(?=#\w{0,64}\[)/g;

/**
 * Makes finished output harmless for a continuous-integration runner that reads it. Applied last, to whole reports,
 * as wrapping and layout decide what starts a line.
 */
export function guardRunner(output: string): string {
  return output.replace(lineCommand, "$1\\u003a").replace(inlineCommand, "\\u0023");
}

const htmlEntities: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
};

/**
 * Untrusted text for HTML content and quoted attributes alike. It holds no command of a runner either (`::command::`,
 * `##[command]`), as a report may be printed in a job.
 */
export function escapeHtml(text: string): string {
  return visible(text)
    .replace(/[&<>"'`]/g, (character) => htmlEntities[character] ?? character)
    .replace(/:(?=:)/g, "&#58;")
    .replace(/#(?=#)/g, "&#35;");
}

const xmlEntities: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  "\n": "&#10;",
  "\t": "&#9;",
};

// What XML 1.0 has no way to write; controls are already made visible by then. It is replaced, not left out: what stands
// on both sides of it must not become one.
const illegalInXml = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** Untrusted text for an XML attribute: line breaks survive attribute normalisation. */
export function xmlAttribute(text: string): string {
  return visible(text)
    .replace(illegalInXml, "\uFFFD")
    .replace(/[&<>"'\n\t]/g, (character) => xmlEntities[character] ?? character);
}

/** Untrusted text for XML element content. */
export function xmlText(text: string): string {
  return visible(text)
    .replace(illegalInXml, "\uFFFD")
    .replace(/[&<>]/g, (character) => xmlEntities[character] ?? character);
}

/** Keeps apart what a forge would join into a link or a mention; a reader does not see it. */
const zeroWidthSpace = "\u200b";

/**
 * Untrusted text as Markdown prose on one line: no markup, HTML, table cell, mention, issue reference, commit link,
 * emoji code or address comes of it.
 */
export function markdownText(text: string): string {
  return visibleLine(text)
    .replace(/[\\`*_[\]<>#|~$&]/g, (character) => markdownEntities[character] ?? `\\${character}`)
    .replace(/^[-+=]|^\d{1,9}(?=[.)])/, (start) => (/\d/.test(start) ? `${start}\\` : `\\${start}`))
    .replace(/@|\\#|:(?=\/\/)|\bwww(?=\.)|\b(?:gh|gl)-(?=\d)/gi, (trigger) => trigger + zeroWidthSpace)
    .replace(
      /(?<![0-9a-z])[0-9a-f]{7}(?=[0-9a-f]{0,33}(?![0-9a-z]))/gi,
      (hash) => hash.slice(0, 6) + zeroWidthSpace + hash.slice(6),
    );
}

const markdownEntities: { readonly [character: string]: string } = { "<": "&lt;", ">": "&gt;", "&": "&amp;" };

/** Untrusted text as a code span in a table cell: bars end cells even in code, so they are spelt out. */
export function markdownCell(text: string): string {
  return markdownCode(text).replace(/\|/g, "\\u007c");
}

/** Untrusted text as a code span on one line. */
export function markdownCode(text: string): string {
  const line = visibleLine(text) || " ";
  const ticks = "`".repeat(longestRun(line, "`") + 1);
  const pad =
    line.startsWith("`") || line.endsWith("`") || (line.startsWith(" ") && line.endsWith(" ") && line.trim() !== "")
      ? " "
      : "";
  return `${ticks}${pad}${line}${pad}${ticks}`;
}

/** Lines of untrusted text in a fence that nothing in them can close. */
export function markdownFence(lines: readonly string[], language: string): string {
  const body = visible(lines.join("\n"));
  const fence = "`".repeat(Math.max(3, longestRun(body, "`") + 1));
  return `${fence}${language}\n${body}\n${fence}`;
}

/** The longest run of one character. */
function longestRun(text: string, character: string): number {
  let longest = 0;
  let run = 0;
  for (const each of text) {
    run = each === character ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  return longest;
}

const longestStackName = 200;

/**
 * A hidden line by which a comment is found again: `<!-- edgewise:plan:edge-prod -->`. A stack's name is
 * percent-encoded; one that is very long is told by its hash.
 */
export function markdownMarker(report: string, stack: string): string {
  const name = encodeURIComponent(stack.replace(/\p{Cs}/gu, "\ufffd")).replace(/-(?=-|$)/g, "%2D");
  const short = name.length > longestStackName ? createHash("sha256").update(stack, "utf8").digest("hex") : name;
  return `<!-- edgewise:${report}:${short} -->`;
}

/** A relative path as a URI reference. */
export function fileUri(path: string): string {
  return path
    .split("/")
    .map((part) => encodeURIComponent(part.replace(/\p{Cs}/gu, "\ufffd")))
    .join("/");
}
