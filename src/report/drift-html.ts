import { impacts } from "../kinds/impact.js";
import { type Drift, type Finding, findingTypes } from "../plan/drift-findings.js";
import { cut } from "../text/layout.js";
import { escapeHtml, escapeHtmlLine } from "./escape.js";
import { fieldViews } from "./field-view.js";
import { type PageItem, fitPage, frameBytes, mostPageBytes } from "./fit-page.js";
import { driftHeadline, findingSentence, findingsByType } from "./headline.js";
import { filterChoices, htmlFilters, htmlPage } from "./html-page.js";
import {
  type HtmlOptions,
  cardsOf,
  commitHtml,
  fieldsHtml,
  firstOf,
  leftOutHtml,
  resourceItem,
  warningsHtml,
} from "./html-parts.js";
import { type LineDiff, lineDiffFor } from "./line-diff.js";
import { findingStyles } from "./styles.js";

/** Up to this many findings, all are open from the start. */
const fewFindings = 12;

/** Drift as one page that loads nothing from elsewhere, like a plan's. */
export async function renderDriftHtml(drift: Drift, options: HtmlOptions = {}): Promise<string> {
  const diff = await lineDiffFor(drift.findings);
  const open = drift.findings.length <= fewFindings;
  const sections = findingsByType(drift);
  const room = mostPageBytes - frameBytes;
  const warnings = warningsHtml(drift.warnings, room * 0.3);
  const items = sections.flatMap((section) => section.items.map((finding) => findingItem(finding, diff, open)));
  const fitted = fitPage(items, room - warnings.bytes);
  let place = 0;
  const parts = [
    head(drift, options.commit),
    leftOutHtml(fitted, "finding", "`edgewise drift -o json` has everything."),
    drift.findings.length < 2 ? "" : filters(drift.findings),
    ...sections.map(({ key, items }) => {
      const { heading, meaning } = findingStyles[key];
      const cards = cardsOf(fitted.shown.slice(place, (place += items.length)), "finding");
      return `<section data-cards><h2>${heading} <small>${items.length} · ${escapeHtml(meaning)}</small></h2>\n${cards}</section>`;
    }),
    warnings.html,
    `<footer>In differences, − is live and + is the manifest. edgewise ${escapeHtmlLine(drift.toolVersion)}</footer>`,
  ];
  return htmlPage(`Drift of ${drift.stack}`, parts.filter((part) => part !== "").join("\n"));
}

function head(drift: Drift, commit: string | undefined): string {
  const { impact, headline } = driftHeadline(drift);
  const { clean } = drift;
  const version = commit === undefined ? "" : `<span>commit <code>${escapeHtmlLine(commit)}</code></span>`;
  const word = clean ? "" : `<b>${impact === "none" ? "drift" : impact}</b>`;
  return `<header><h1>Drift of ${escapeHtmlLine(drift.stack)}</h1><div class="meta"><span>${escapeHtmlLine(drift.baseUrl)}</span>${version}${commitHtml(drift).join("")}</div>
<div class="headline ${clean ? "good" : impact}">${word}${escapeHtml(headline)}</div></header>`;
}

function filters(findings: readonly Finding[]): string {
  return htmlFilters(
    "Type",
    filterChoices(findings, findingTypes, (finding) => finding.type),
    filterChoices(findings, impacts.toReversed(), (finding) => finding.impact),
  );
}

function findingItem(finding: Finding, diff: LineDiff, open: boolean): PageItem {
  const { mark, paint } = findingStyles[finding.type];
  return resourceItem(finding, (detail) => {
    const { first, more } = firstOf(finding.fields, detail, "field");
    const fields = fieldsHtml(fieldViews(first, diff, detail.limits), "drift");
    return {
      resource: finding,
      group: finding.type,
      mark: `<span class="mark ${paint}">${escapeHtml(mark)}</span>`,
      body: `<p>${escapeHtmlLine(cut(findingSentence(finding), mostOfSentence))}</p>${fields}${more}`,
      open,
    };
  });
}

/** Most characters of a sentence; a service may send long names. */
const mostOfSentence = 5_000;
