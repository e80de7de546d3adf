import type { Refusal, Warning } from "../plan/plan.js";
import { html } from "./escape-html.js";
import { visibleLine } from "./escape.js";

/** Refusals with their remedies; nothing without any. */
export function refusalsHtml(refusals: readonly Refusal[]): string {
  if (refusals.length === 0) return "";
  const cards = refusals.map(
    (refusal) =>
      `<div class="card plain refusal"><b>${line(refusal.code)}</b>${address(refusal.address)}<p>${line(refusal.message)}</p><p><b>To do:</b> ${line(refusal.remedy)}</p></div>`,
  );
  return `<section><h2>Refused <small>${refusals.length}</small></h2>\n${cards.join("\n")}</section>`;
}

/** Warnings; nothing without any. */
export function warningsHtml(warnings: readonly Warning[]): string {
  if (warnings.length === 0) return "";
  const cards = warnings.map(
    (warning) =>
      `<div class="card plain"><b>${line(warning.code)}</b>${address(warning.address)}<p>${line(warning.message)}</p></div>`,
  );
  return `<section><h2>Warnings <small>${warnings.length}</small></h2>\n${cards.join("\n")}</section>`;
}

function address(text: string | undefined): string {
  return text === undefined ? "" : ` <code>${line(text)}</code>`;
}

function line(text: string): string {
  return html(visibleLine(text));
}
