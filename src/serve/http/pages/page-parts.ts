import { escapeHtml, escapeHtmlLine } from "../../../report/escape.js";
import type { Impact } from "../../../kinds/impact.js";
import type { StackState, WaitReason } from "../../records.js";

/** A time for people, in UTC, to the second: `2026-11-21 08:00:05 UTC`. @param at RFC 3339 */
export function timeHtml(at: string, attributes = ""): string {
  const text = `${at.slice(0, 19).replace("T", " ")} UTC`;
  return `<time datetime="${escapeHtmlLine(at)}"${attributes}>${escapeHtmlLine(text)}</time>`;
}

/** A state with its reason, as a badge. */
export function stateHtml(state: StackState, reason: WaitReason | null): string {
  const words = reason === null ? state : `${state}: ${reason}`;
  return `<span class="state ${state}">${words}</span>`;
}

/** An impact as a badge; nothing for none. */
export function impactHtml(impact: Impact): string {
  return impact === "none" ? "" : `<span class="badge ${impact}">${impact}</span>`;
}

/** A commit, short enough for a column, with all of it to be read on hover. */
export function commitHtml(commit: string | null): string {
  if (commit === null) return '<span class="soft">–</span>';
  return `<code title="${escapeHtmlLine(commit)}">${escapeHtmlLine(commit.slice(0, 12))}</code>`;
}

/** A name as one segment of a path. */
export function segmentOf(name: string): string {
  return escapeHtml(encodeURIComponent(name.replace(/\p{Cs}/gu, "\ufffd")));
}

/** Where the script says that the page is not up to date. */
export const staleHtml = '<p class="headline stale" id="stale" role="alert" hidden></p>';
