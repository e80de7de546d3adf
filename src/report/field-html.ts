import { escapeHtml } from "./escape-html.js";
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
