import { impacts } from "../kinds/impact.js";
import { type Drift, type Finding, findingTypes } from "../plan/drift-findings.js";
import { visibleLine } from "../text/visible.js";
import { escapeHtml } from "./escape.js";
import { fieldView } from "./field-view.js";
import { driftHeadline, findingsByType } from "./headline.js";
import { filterChoices, htmlFilters, htmlPage } from "./html-page.js";
import { fieldsHtml, warningsHtml } from "./html-parts.js";
import { type LineDiff, lineDiffFor } from "./line-diff.js";
import { findingStyles } from "./styles.js";

export interface DriftHtmlOptions {
  readonly commit?: string;
}

/** Up to this many findings, all are open from the start. */
const fewFindings = 12;

/** Drift as one page that loads nothing from elsewhere, like a plan's. */
export async function renderDriftHtml(drift: Drift, options: DriftHtmlOptions = {}): Promise<string> {
  const diff = await lineDiffFor(drift.findings);
  const open = drift.findings.length <= fewFindings;
  const parts = [
    head(drift, options.commit),
    drift.findings.length < 2 ? "" : filters(drift.findings),
    ...findingsByType(drift).map(({ key, items }) => {
      const { heading, meaning } = findingStyles[key];
      const cards = items.map((finding) => findingHtml(finding, diff, open));
      return `<section data-cards><h2>${heading} <small>${items.length} · ${escapeHtml(meaning)}</small></h2>\n${cards.join("\n")}</section>`;
    }),
    warningsHtml(drift.warnings),
    `<footer>In differences, − is live and + is the manifest. edgewise ${line(drift.toolVersion)}</footer>`,
  ];
  return htmlPage(`Drift of ${drift.stack}`, parts.filter((part) => part !== "").join("\n"));
}

function head(drift: Drift, commit: string | undefined): string {
  const { impact, headline } = driftHeadline(drift);
  const clean = drift.findings.length === 0;
  const told = commit === undefined ? "" : `<span>commit <code>${line(commit)}</code></span>`;
  return `<header><h1>Drift of ${line(drift.stack)}</h1><div class="meta"><span>${line(drift.baseUrl)}</span>${told}</div>
<div class="verdict ${clean ? "good" : impact}">${clean ? "" : `<b>${impact === "none" ? "drift" : impact}</b>`}${escapeHtml(headline)}</div></header>`;
}

function filters(findings: readonly Finding[]): string {
  return htmlFilters(
    "Type",
    filterChoices(findings, findingTypes, (finding) => finding.type),
    filterChoices(findings, [...impacts].reverse(), (finding) => finding.impact),
  );
}

function findingHtml(finding: Finding, diff: LineDiff, open: boolean): string {
  const { mark, paint } = findingStyles[finding.type];
  const views = finding.fields.map((field) => fieldView(field, diff, { inline: 100, line: 2000, lines: 1000 }));
  const { source } = finding;
  const summary = [
    `<span class="mark ${paint}">${escapeHtml(mark)}</span>`,
    `<span class="name mono">${line(finding.address)}</span>`,
    ...(finding.id === null ? [] : [`<span class="soft mono">${line(finding.id)}</span>`]),
    ...(finding.impact === "none" ? [] : [`<span class="badge ${finding.impact}">${finding.impact}</span>`]),
    ...(source === null ? [] : [`<span class="place mono">${line(`${source.file}:${source.line}`)}</span>`]),
  ].join(" ");
  return `<details class="card" data-group="${finding.type}" data-impact="${finding.impact}" data-name="${line(finding.address)}"${open ? " open" : ""}>
<summary>${summary}</summary>
<div class="body"><p>${line(finding.message)}</p>${fieldsHtml(views, "drift")}</div>
</details>`;
}

function line(text: string): string {
  return escapeHtml(visibleLine(text));
}
