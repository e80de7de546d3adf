import { escapeHtml, escapeHtmlLine } from "../../../report/escape.js";
import type { Impact } from "../../../kinds/impact.js";
import type { StackState, WaitReason } from "../../records.js";

export function timeHtml(at: string, attributes = ""): string {
  const text = `${at.slice(0, 19).replace("T", " ")} UTC`;
  return `<time datetime="${escapeHtmlLine(at)}"${attributes}>${escapeHtmlLine(text)}</time>`;
}

export function stateHtml(state: StackState, reason: WaitReason | null): string {
  const words = reason === null ? state : `${state}: ${reason}`;
  return `<span class="state ${state}">${words}</span>`;
}

export function impactHtml(impact: Impact): string {
  return impact === "none" ? "" : `<span class="badge ${impact}">${impact}</span>`;
}

export function commitHtml(commit: string | null): string {
  if (commit === null) return '<span class="soft">–</span>';
  return `<code title="${escapeHtmlLine(commit)}">${escapeHtmlLine(commit.slice(0, 12))}</code>`;
}

export function segmentOf(name: string): string {
  return escapeHtml(encodeURIComponent(name.replace(/\p{Cs}/gu, "\ufffd")));
}

export const staleHtml = '<p class="headline stale" id="stale" role="alert" hidden></p>';
