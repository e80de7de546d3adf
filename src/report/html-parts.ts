import type { Refusal, Warning } from "../plan/plan-format.js";
import { visibleLine } from "../text/visible.js";
import { escapeHtml } from "./escape.js";
import type { FieldView } from "./field-view.js";
import type { DiffLine } from "./line-diff.js";

/** The fields of one change as HTML. Drift names the two sides, a plan goes from one to the other. */
export function fieldsHtml(views: readonly FieldView[], words: "plan" | "drift"): string {
  return views.map((view) => fieldHtml(view, words)).join("\n");
}

function fieldHtml(view: FieldView, words: "plan" | "drift"): string {
  const tags = view.tags.map(
    (tag) => ` <span class="badge${tag.startsWith("conflict") ? " conflict" : ""}">${escapeHtml(tag)}</span>`,
  );
  const why =
    view.reason === null
      ? ""
      : `<p class="why ${view.impact}">${escapeHtml(view.impact)}: ${escapeHtml(view.reason)}</p>`;
  return `<div class="field"><code class="path">${escapeHtml(view.path)}</code>${tags.join("")}${why}${valuesHtml(view, words)}</div>`;
}

function valuesHtml(view: FieldView, words: "plan" | "drift"): string {
  if (view.lines !== null) return `<pre class="diff" tabindex="0">${view.lines.map(diffLineHtml).join("")}</pre>`;
  if (view.sign === "~" && (view.before === null || view.after === null)) {
    return `<div class="values mono soft">${escapeHtml(view.after ?? view.before ?? "")}</div>`;
  }
  const [live, manifest] = words === "drift" ? ["live ", "manifest "] : ["", ""];
  const before = view.before === null ? "" : `${live}<del>${escapeHtml(view.before)}</del>`;
  const after = view.after === null ? "" : `${manifest}<ins>${escapeHtml(view.after)}</ins>`;
  const arrow = before === "" || after === "" ? "" : words === "drift" ? ", " : '<span class="arrow">→</span>';
  return `<div class="values mono">${before}${arrow}${after}</div>`;
}

function diffLineHtml({ mark, text }: DiffLine): string {
  if (mark === "+") return `<ins>+ ${escapeHtml(text)}</ins>`;
  if (mark === "-") return `<del>- ${escapeHtml(text)}</del>`;
  return mark === "gap" ? `<i>⋮ ${escapeHtml(text)}</i>` : `<span>  ${escapeHtml(text)}</span>`;
}

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
