import { impacts, worstOf } from "../kinds/impact.js";
import { type Drift, type Finding, findingTypes } from "../plan/drift-findings.js";
import { cut } from "../text/layout.js";
import { escapeHtml, escapeHtmlLine } from "./escape.js";
import { driftLegend, driftViews } from "./field-view.js";
import { type PageItem, fitPage, frameBytes, mostPageBytes } from "./fit-page.js";
import { driftHeadline, findingSentence, findingsByType, worstReason } from "./headline.js";
import { filterChoices, htmlFilters, htmlPage } from "./html-page.js";
import {
  type HtmlOptions,
  cardsOf,
  commitHtml,
  fieldsHtml,
  firstFields,
  type NextStep,
  leftOutHtml,
  nextStepsHtml,
  openFromStart,
  resourceItem,
  tilesHtml,
  warningsHtml,
  warningsId,
  worstFirst,
} from "./html-parts.js";
import { type LineDiff, lineDiffFor } from "./line-diff.js";
import { findingStyles } from "./styles.js";

/** Drift as one page that loads nothing from elsewhere, like a plan's. */
export async function renderDriftHtml(drift: Drift, options: HtmlOptions = {}): Promise<string> {
  const diff = await lineDiffFor(drift.findings);
  const open = openFromStart(drift.findings);
  const sections = findingsByType(drift).map(({ key, items }) => ({ key, items: worstFirst(items) }));
  const room = mostPageBytes - frameBytes;
  const warnings = warningsHtml(drift.warnings, room * 0.3);
  const items = sections.flatMap((section) =>
    section.items.map((finding) => findingItem(finding, diff, open.has(finding))),
  );
  const fitted = fitPage(items, room - warnings.bytes);
  let place = 0;
  const parts = [
    head(drift, options.commit),
    tilesHtml([
      ...sections.map(({ key, items }) => ({ count: items.length, label: key, id: key })),
      {
        count: drift.warnings.length,
        label: drift.warnings.length === 1 ? "warning" : "warnings",
        id: warningsId,
      },
    ]),
    leftOutHtml(fitted, "finding", "`edgewise drift -o json` has everything."),
    drift.findings.length < 2 ? "" : filters(drift.findings),
    ...sections.map(({ key, items }) => {
      const { heading, meaning } = findingStyles[key];
      const cards = cardsOf(fitted.shown.slice(place, (place += items.length)), "finding");
      return `<section id="${key}" data-cards><h2>${heading} <small>${items.length} · ${escapeHtml(meaning)}</small></h2>\n${cards}</section>`;
    }),
    nextStepsHtml(nextSteps(drift)),
    warnings.html,
    `<footer>edgewise ${escapeHtmlLine(drift.toolVersion)}</footer>`,
  ];
  return htmlPage(`Drift of ${drift.stack}`, parts.filter((part) => part !== "").join("\n"));
}

function head(drift: Drift, commit: string | undefined): string {
  const { impact, headline } = driftHeadline(drift);
  const { clean } = drift;
  const version = commit === undefined ? "" : `<span>commit <code>${escapeHtmlLine(commit)}</code></span>`;
  const worst = worstOf(drift.findings.filter(({ type }) => type !== "pending"));
  const reason = worst === null || impact === "none" ? null : worstReason(worst);
  const why =
    worst === null || reason === null
      ? ""
      : `<p class="why ${impact}">${escapeHtmlLine(cut(`${worst.address}: ${reason}`, mostOfSentence))}</p>`;
  const legend = drift.findings.some(({ fields }) => fields.length > 0) ? `<span>${driftLegend}</span>` : "";
  const word = clean ? "" : `<b>${impact === "none" ? "drift" : impact}</b>`;
  return `<header><h1>Drift of ${escapeHtmlLine(drift.stack)}</h1><div class="meta"><span>${escapeHtmlLine(drift.baseUrl)}</span>${version}${commitHtml(drift).join("")}${legend}</div>
<div class="headline ${clean ? "good" : impact}">${word}${escapeHtml(headline)}${why}</div></header>`;
}

/** What helps against the findings, in the order in which it is tried. */
function nextSteps({ findings }: Drift): readonly NextStep[] {
  const types = new Set(findings.map(({ type }) => type));
  const has = (...some: readonly Finding["type"][]): boolean => some.some((type) => types.has(type));
  return [
    ...(has("missing", "modified", "unexpected")
      ? [
          {
            command: "edgewise plan",
            does: "Shows what would be sent to make live match the manifests again. edgewise apply sends it.",
          },
        ]
      : []),
    ...(has("modified")
      ? [
          {
            command: "edgewise pull",
            does: "Where live is right: writes it into the manifests, for you to commit. It is no longer drift then.",
          },
        ]
      : []),
    ...(has("unexpected")
      ? [
          {
            command: "edgewise export --owned",
            does: "Where an unexpected resource should stay: writes its manifest. Otherwise an apply deletes it.",
          },
        ]
      : []),
    ...(has("unmanaged")
      ? [
          {
            command: "edgewise export --out-dir edge",
            does: "Writes manifests for what is live, with which the next plan adopts it. Delete by hand what nobody needs.",
          },
        ]
      : []),
    ...(has("expiring")
      ? [
          {
            command: "edgewise plan",
            does: "Shows that a certificate that expires is replaced, once the manifest names the renewed one.",
          },
        ]
      : []),
    ...(has("dangling")
      ? [
          {
            command: "edgewise plan",
            does: "Shows that a dangling reference is replaced, once the manifest refers to something that exists.",
          },
        ]
      : []),
    ...(has("pending")
      ? [{ command: "edgewise apply", does: "Applies what is merged and still pending, which is not drift." }]
      : []),
  ];
}

function filters(findings: readonly Finding[]): string {
  return htmlFilters(
    { group: "Type" },
    filterChoices(findings, findingTypes, (finding) => finding.type),
    filterChoices(findings, impacts.toReversed(), (finding) => finding.impact),
  );
}

function findingItem(finding: Finding, diff: LineDiff, open: boolean): PageItem {
  const { mark, paint } = findingStyles[finding.type];
  return resourceItem(finding, (detail) => {
    const { first, more } = firstFields(finding.fields, detail);
    const fields = fieldsHtml(driftViews(first, diff, detail.limits));
    return {
      resource: finding,
      gist: worstReason(finding) ?? findingSentence(finding),
      group: finding.type,
      mark: `<span class="mark ${paint}">${escapeHtml(mark)}</span>`,
      body: `<p>${escapeHtmlLine(cut(findingSentence(finding), mostOfSentence))}</p>${fields}${more}`,
      open,
    };
  });
}

/** Most characters of a sentence; a service may send long names. */
const mostOfSentence = 5_000;
