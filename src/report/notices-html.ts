import type { Refusal, Warning } from "../plan/plan-format.js";
import { escapeHtml } from "./escape-html.js";
import { visibleLine } from "./escape.js";

/** Refusals with their remedies; nothing without any. */
export function refusalsHtml(refusals: readonly Refusal[]): string {
  if (refusals.length === 0) return "";
  const cards = refusals.map(
    (refusal) =>
      `<div class="card plain refusal"><b>${noticeLine(refusal.code)}</b>${addressHtml(refusal.address)}<p>${noticeLine(refusal.message)}</p><p><b>To do:</b> ${noticeLine(refusal.remedy)}</p></div>`,
  );
  return `<section><h2>Refused <small>${refusals.length}</small></h2>\n${cards.join("\n")}</section>`;
}

/** Warnings; nothing without any. */
export function warningsHtml(warnings: readonly Warning[]): string {
  if (warnings.length === 0) return "";
  const cards = warnings.map(
    (warning) =>
      `<div class="card plain"><b>${noticeLine(warning.code)}</b>${addressHtml(warning.address)}<p>${noticeLine(warning.message)}</p></div>`,
  );
  return `<section><h2>Warnings <small>${warnings.length}</small></h2>\n${cards.join("\n")}</section>`;
}

function addressHtml(text: string | undefined): string {
  return text === undefined ? "" : ` <code>${noticeLine(text)}</code>`;
}

function noticeLine(text: string): string {
  return escapeHtml(visibleLine(text));
}
