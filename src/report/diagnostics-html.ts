import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { count, cut } from "../text/layout.js";
import { palette } from "../text/palette.js";
import { cleanLine, excerptLines } from "./diagnostics-text.js";
import { escapeHtml, escapeHtmlLine } from "./escape.js";
import { type PageItem, fitPage, frameBytes, mostPageBytes } from "./fit-page.js";
import { filterChoices, htmlFilters, htmlPage } from "./html-page.js";
import { cardsOf, leftOutHtml } from "./html-parts.js";

/** What was checked, and what is wrong. */
export interface DiagnosticsHtmlInput {
  readonly diagnostics: readonly Diagnostic[];
  /** How many manifests could be read. */
  readonly manifests: number;
  readonly toolVersion: string;
  /** Goes before every file: the path from the repository's root to the configuration's, ending in `/`. */
  readonly pathPrefix?: string;
}

const severities = [
  { severity: "error", heading: "Errors", paint: "remove" },
  { severity: "warning", heading: "Warnings", paint: "change" },
] as const;

/** Diagnostics as one page that loads nothing from elsewhere, like a plan's: errors first, each with its line. */
export function renderDiagnosticsHtml({
  diagnostics,
  manifests,
  pathPrefix = "",
  toolVersion,
}: DiagnosticsHtmlInput): string {
  const groups = severities.map((group) => {
    const some = diagnostics.filter((diagnostic) => diagnostic.severity === group.severity);
    return { ...group, some };
  });
  const items = groups.flatMap(({ paint, some }) =>
    some.map((diagnostic): PageItem => {
      const rank = diagnostic.severity === "error" ? 1 : 0;
      return { rank, forms: [() => card(diagnostic, paint, pathPrefix)] };
    }),
  );
  const fitted = fitPage(items, mostPageBytes - frameBytes);
  let place = 0;
  const sections = groups.map(({ heading, some }) => {
    if (some.length === 0) return "";
    const cards = cardsOf(fitted.shown.slice(place, (place += some.length)), "problem");
    return `<section data-cards><h2>${heading} <small>${some.length}</small></h2>\n${cards}</section>`;
  });
  const parts = [
    head(diagnostics, manifests),
    leftOutHtml(fitted, "problem", "`edgewise validate -o json` has everything."),
    diagnostics.length < 2 ? "" : filters(diagnostics),
    ...sections,
    `<footer>Checked without contacting the service. edgewise ${escapeHtmlLine(toolVersion)}</footer>`,
  ];
  return htmlPage("Validation", parts.filter((part) => part !== "").join("\n"));
}

function head(diagnostics: readonly Diagnostic[], manifests: number): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  const warnings = diagnostics.length - errors;
  const found = [
    ...(errors === 0 ? [] : [count(errors, "error")]),
    ...(warnings === 0 ? [] : [count(warnings, "warning")]),
  ].join(" and ");
  const files = new Set(diagnostics.map(({ file }) => file)).size;
  const headline = found === "" ? cleanLine(manifests) : `${found} in ${count(files, "file")}.`;
  const look = errors > 0 ? "refused" : warnings > 0 ? "routing" : "good";
  const word = errors > 0 ? "<b>invalid</b>" : warnings > 0 ? "<b>valid</b>" : "";
  return `<header><h1>Validation</h1><div class="headline ${look}">${word}${escapeHtml(headline)}</div></header>`;
}

function filters(diagnostics: readonly Diagnostic[]): string {
  const codes = [...new Set(diagnostics.map(({ code }) => code))].sort();
  return htmlFilters(
    "Severity",
    filterChoices(diagnostics, ["error", "warning"], ({ severity }) => severity),
    filterChoices(diagnostics, codes, ({ code }) => code),
    "Problem",
  );
}

/** Most characters of one text: manifests may have lines of any length. */
const mostOfText = 10_000;

function card(diagnostic: Diagnostic, paint: string, pathPrefix: string): string {
  const { address, code, column, file, line, message, remedy, severity } = diagnostic;
  const path = pathPrefix + file;
  const source = excerptLines(diagnostic, palette(false))
    .map((text) => `<span>${escapeHtml(cut(text, mostOfText))}</span>`)
    .join("");
  const data = `data-group="${severity}" data-impact="${escapeHtmlLine(code)}" data-name="${escapeHtmlLine(`${address ?? ""} ${path}`)}"`;
  return `<details class="card" ${data} open>
<summary><span class="mark ${paint}">${severity}</span> <span class="name mono">${escapeHtmlLine(address ?? path)}</span> <span class="badge">${escapeHtmlLine(code)}</span> <span class="place mono">${escapeHtmlLine(`${path}:${line}:${column}`)}</span></summary>
<div class="body"><p>${escapeHtmlLine(cut(message, mostOfText))}</p>${source === "" ? "" : `<pre class="diff" tabindex="0">${source}</pre>`}${remedy === null ? "" : `<p><b>To do:</b> ${escapeHtmlLine(cut(remedy, mostOfText))}</p>`}</div>
</details>`;
}
