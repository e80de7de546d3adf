import { createHash } from "node:crypto";
import { visible, visibleLine } from "../core/visible.js";

const htmlEntities: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
};

/** For HTML content and quoted attributes, with no command of a runner in it. */
export function escapeHtml(text: string): string {
  return visible(text)
    .replace(/[&<>"'`]/g, (character) => htmlEntities[character] ?? character)
    .replace(/:(?=:)/g, "&#58;")
    .replace(/#(?=#)/g, "&#35;");
}

export function escapeHtmlLine(text: string): string {
  return escapeHtml(visibleLine(text));
}

/** Breaks what a forge would turn into a link or a mention. */
const zeroWidthSpace = "\u200b";

/** One line without markup, mention, reference, emoji code or URL. */
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

export function markdownCode(text: string): string {
  const line = visibleLine(text) || " ";
  const ticks = "`".repeat(longestTicks(line) + 1);
  const pad =
    line.startsWith("`") || line.endsWith("`") || (line.startsWith(" ") && line.endsWith(" ") && line.trim() !== "")
      ? " "
      : "";
  return `${ticks}${pad}${line}${pad}${ticks}`;
}

/** Nothing in the lines can close the fence. */
export function markdownFence(lines: readonly string[], language: string): string {
  const body = visible(lines.join("\n"));
  const fence = "`".repeat(Math.max(3, longestTicks(body) + 1));
  return `${fence}${language}\n${body}\n${fence}`;
}

function longestTicks(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

const longestStackName = 200;

/** By which a comment is found again: `<!-- edgewise:plan:edge-prod -->`. */
export function markdownMarker(report: string, stack: string): string {
  const name = encodeURIComponent(stack.replace(/\p{Cs}/gu, "\ufffd")).replace(/-(?=-|$)/g, "%2D");
  const short = name.length > longestStackName ? createHash("sha256").update(stack, "utf8").digest("hex") : name;
  return `<!-- edgewise:${report}:${short} -->`;
}
