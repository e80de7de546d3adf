import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { count, cut } from "../text/layout.js";
import { cleanLine } from "./diagnostics-text.js";
import { escapeHtml, escapeHtmlLine } from "./escape.js";
import { type PageItem, fitPage, frameBytes, mostPageBytes } from "./fit-page.js";
import { filterChoices, htmlFilters, htmlPage } from "./html-page.js";
import { type NextStep, cardsOf, leftOutHtml, nextStepsHtml, tilesHtml } from "./html-parts.js";

/** What was checked, and what is wrong. */
export interface DiagnosticsHtmlInput {
  readonly diagnostics: readonly Diagnostic[];
  /** How many manifests could be read. */
  readonly manifests: number;
  readonly toolVersion: string;
  /** Goes before every file: the path from the repository's root to the configuration's, ending in `/`. */
  readonly pathPrefix?: string;
}

const paints = { error: "remove", warning: "change" } as const;

/**
 * Diagnostics as one page that loads nothing from elsewhere, like a plan's: file by file, those with errors first, and
 * each problem with its line.
 */
export function renderDiagnosticsHtml({
  diagnostics,
  manifests,
  pathPrefix = "",
  toolVersion,
}: DiagnosticsHtmlInput): string {
  const files = byFile(diagnostics);
  const items = files.flatMap(({ problems }) =>
    problems.map((diagnostic): PageItem => {
      const rank = diagnostic.severity === "error" ? 1 : 0;
      return { rank, forms: [() => card(diagnostic, pathPrefix)] };
    }),
  );
  const fitted = fitPage(items, mostPageBytes - frameBytes);
  let place = 0;
  const sections = files.map(({ file, problems }, index) => {
    const cards = cardsOf(fitted.shown.slice(place, (place += problems.length)), "problem");
    return `<section id="file-${index + 1}" data-cards><h2><span class="mono">${nameOf(pathPrefix + file)}</span> <small>${severityCounts(problems)}</small></h2>\n${cards}</section>`;
  });
  // A file of which nothing fits is only counted.
  const shown = sections.slice(0, mostFiles);
  const left = sections.length - shown.length;
  const parts = [
    head(diagnostics, manifests, files),
    leftOutHtml(fitted, "problem", "`edgewise validate -o json` has everything."),
    diagnostics.length < 2 ? "" : filters(diagnostics),
    files.length < 2 ? "" : fileIndex(files, pathPrefix),
    ...shown,
    left === 0 ? "" : `<p class="soft">${count(left, "more file")} not shown</p>`,
    nextStepsHtml(nextSteps(diagnostics)),
    `<footer>Checked without contacting the service. edgewise ${escapeHtmlLine(toolVersion)}</footer>`,
  ];
  return htmlPage("Validation", parts.filter((part) => part !== "").join("\n"));
}

/** The problems of one file: errors first, then by line. */
interface FileProblems {
  readonly file: string;
  readonly problems: readonly Diagnostic[];
}

/** More files than this are only counted. */
const mostFiles = 500;

function byFile(diagnostics: readonly Diagnostic[]): readonly FileProblems[] {
  const files = new Map<string, Diagnostic[]>();
  for (const diagnostic of diagnostics) {
    const problems = files.get(diagnostic.file);
    if (problems === undefined) files.set(diagnostic.file, [diagnostic]);
    else problems.push(diagnostic);
  }
  const rank = ({ severity }: Diagnostic): number => (severity === "error" ? 0 : 1);
  return [...files]
    .map(([file, problems]) => ({
      file,
      problems: problems.toSorted((a, b) => rank(a) - rank(b) || a.line - b.line || a.column - b.column),
    }))
    .toSorted((a, b) => worst(a) - worst(b));

  function worst({ problems: [first] }: FileProblems): number {
    return first === undefined ? 1 : rank(first);
  }
}

function errorsIn(diagnostics: readonly Diagnostic[]): number {
  return diagnostics.filter(({ severity }) => severity === "error").length;
}

/** `2 errors and 1 warning`; empty without any. */
function severityCounts(diagnostics: readonly Diagnostic[]): string {
  const errors = errorsIn(diagnostics);
  const warnings = diagnostics.length - errors;
  return [
    ...(errors === 0 ? [] : [count(errors, "error")]),
    ...(warnings === 0 ? [] : [count(warnings, "warning")]),
  ].join(" and ");
}

function head(diagnostics: readonly Diagnostic[], manifests: number, files: readonly FileProblems[]): string {
  const errors = errorsIn(diagnostics);
  const warnings = diagnostics.length - errors;
  const found = severityCounts(diagnostics);
  const headline = found === "" ? cleanLine(manifests) : `${found} in ${count(files.length, "file")}.`;
  const look = errors > 0 ? "refused" : warnings > 0 ? "routing" : "good";
  const word = errors > 0 ? "<b>invalid</b>" : "<b>valid</b>";
  const tiles = tilesHtml([
    { count: errors, label: errors === 1 ? "error" : "errors" },
    { count: warnings, label: warnings === 1 ? "warning" : "warnings" },
    { count: files.length, label: files.length === 1 ? "file with problems" : "files with problems" },
    { count: manifests, label: manifests === 1 ? "manifest read" : "manifests read" },
  ]);
  return `<header><h1>Validation</h1><div class="headline ${look}">${word}${escapeHtml(headline)}</div></header>\n${tiles}`;
}

function filters(diagnostics: readonly Diagnostic[]): string {
  const codes = [...new Set(diagnostics.map(({ code }) => code))].sort();
  return htmlFilters(
    { group: "Severity", impact: "Problem", name: "address or file" },
    filterChoices(diagnostics, ["error", "warning"], ({ severity }) => severity),
    filterChoices(diagnostics, codes, ({ code }) => code),
  );
}

/** The files with their counts, as links to their sections. */
function fileIndex(files: readonly FileProblems[], pathPrefix: string): string {
  const items = files
    .slice(0, mostFiles)
    .map(
      ({ file, problems }, index) =>
        `<li><a class="mono" href="#file-${index + 1}">${nameOf(pathPrefix + file)}</a> <span class="soft">${severityCounts(problems)}</span></li>`,
    );
  return `<nav aria-label="Files"><ul class="index">${items.join("")}</ul></nav>`;
}

function nextSteps(diagnostics: readonly Diagnostic[]): readonly NextStep[] {
  const errors = errorsIn(diagnostics);
  if (errors > 0)
    return [
      { command: "edgewise validate", does: "Checks again, once the errors are mended. Warnings stop nothing." },
      { command: "edgewise explain KIND", does: "Says what a manifest of a kind may contain, and what it means." },
    ];
  return [{ command: "edgewise plan", does: "Shows what these manifests would change. It changes nothing itself." }];
}

/** Most characters of one text, and of one name: manifests may have lines of any length. */
const mostOfText = 10_000;
const mostOfName = 500;

function nameOf(text: string): string {
  return escapeHtmlLine(cut(text, mostOfName));
}

function card(diagnostic: Diagnostic, pathPrefix: string): string {
  const { address, code, column, file, line, message, remedy, severity } = diagnostic;
  const path = pathPrefix + file;
  const data = `data-group="${severity}" data-impact="${escapeHtmlLine(code)}" data-name="${nameOf(`${address ?? ""} ${path}`)}"`;
  return `<details class="card" ${data} open>
<summary><span class="mark ${paints[severity]}">${severity}</span> <span class="name mono">${nameOf(address ?? path)}</span> <span class="badge">${escapeHtmlLine(code)}</span> <span class="place mono">${nameOf(path)}:${line}:${column}</span></summary>
<div class="body"><p>${escapeHtmlLine(cut(message, mostOfText))}</p>${sourceHtml(diagnostic)}${remedy === null ? "" : `<p><b>To do:</b> ${escapeHtmlLine(cut(remedy, mostOfText))}</p>`}</div>
</details>`;
}

/**
 * The line of a problem. The style sheet puts a caret below what is marked: one in a line of its own would point at
 * something else where the line wraps. Nothing when the line may show a secret.
 */
function sourceHtml({ column, excerpt, line }: Diagnostic): string {
  if (excerpt === undefined) return "";
  const source = cut(excerpt, mostOfText);
  const before = source.slice(0, column - 1);
  const at = /^[^\s,:[\]{}]*|^./u.exec(source.slice(column - 1))?.[0] ?? "";
  const rest = source.slice(before.length + at.length);
  return `<div class="source"><span class="no">${line} | </span>${escapeHtml(before)}<b class="at">${escapeHtml(at)}</b>${escapeHtml(rest)}</div>`;
}
