import type { Plan, Refusal, Warning } from "../plan/plan-format.js";
import { escapeHtml, escapeHtmlLine } from "./escape.js";
import type { FieldView } from "./field-view.js";
import { type ReportedResource, commitLine } from "./headline.js";
import type { DiffLine } from "./line-diff.js";

export interface HtmlOptions {
  readonly commit?: string;
}

/** A change or a finding as a card that folds. `mark`, `badges` and `body` are markup. */
export interface Card {
  readonly resource: ReportedResource;
  /** The choice of the first filter that the card belongs to. */
  readonly group: string;
  readonly mark: string;
  readonly badges?: readonly string[];
  readonly body: string;
  readonly open: boolean;
}

/** A card; a plain row when its body is empty. */
export function cardHtml({ resource, group, mark, badges = [], body, open }: Card): string {
  const { address, id, impact, source } = resource;
  const heading = [
    mark,
    `<span class="name mono">${escapeHtmlLine(address)}</span>`,
    ...(id === null ? [] : [`<span class="soft mono">${escapeHtmlLine(id)}</span>`]),
    ...(impact === "none" ? [] : [`<span class="badge ${impact}">${impact}</span>`]),
    ...badges,
    ...(source === null ? [] : [`<span class="place mono">${escapeHtmlLine(`${source.file}:${source.line}`)}</span>`]),
  ].join(" ");
  const data = `data-group="${group}" data-impact="${impact}" data-name="${escapeHtmlLine(address)}"`;
  if (body === "") return `<div class="card plain row" ${data}>${heading}</div>`;
  return `<details class="card" ${data}${open ? " open" : ""}>
<summary>${heading}</summary>
<div class="body">${body}</div>
</details>`;
}

/** The fields of one resource. Drift names the two sides, a plan goes from one to the other. */
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
  if (mark === "hunk") return `<i>@@ ${escapeHtml(text)}</i>`;
  return mark === "gap" ? `<i>⋮ ${escapeHtml(text)}</i>` : `<span>  ${escapeHtml(text)}</span>`;
}

/** Refusals with their remedies; nothing without any. */
export function refusalsHtml(refusals: readonly Refusal[]): string {
  if (refusals.length === 0) return "";
  const cards = refusals.map(
    (refusal) =>
      `<div class="card plain refusal">${noticeHtml(refusal)}<p><b>To do:</b> ${escapeHtmlLine(refusal.remedy)}</p></div>`,
  );
  return `<section><h2>Refused <small>${refusals.length}</small></h2>\n${cards.join("\n")}</section>`;
}

/** Warnings; nothing without any. */
export function warningsHtml(warnings: readonly Warning[]): string {
  if (warnings.length === 0) return "";
  const cards = warnings.map((warning) => `<div class="card plain">${noticeHtml(warning)}</div>`);
  return `<section><h2>Warnings <small>${warnings.length}</small></h2>\n${cards.join("\n")}</section>`;
}

function noticeHtml({ code, address, message }: Refusal | Warning): string {
  const subject = address === undefined ? "" : ` <code>${escapeHtmlLine(address)}</code>`;
  return `<b>${escapeHtmlLine(code)}</b>${subject}<p>${escapeHtmlLine(message)}</p>`;
}

/** The line that names the commit of `--ref`; none for manifests on disk. */
export function commitHtml(made: Partial<Pick<Plan, "commit" | "ref">>): readonly string[] {
  const line = commitLine(made);
  return line === null ? [] : [`<span>${escapeHtml(line)}</span>`];
}
