import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { count, listFew } from "../core/text.js";
import type { ShownCommit } from "../plan/plan-format.js";
import { safeJson, guardRunner, visible, visibleLine } from "../core/visible.js";
import { groupSame } from "./report-view.js";
import { type Palette, palette } from "./styles.js";

export function renderDiagnosticsText(
  diagnostics: readonly Diagnostic[],
  options: { readonly color: boolean },
): string {
  if (diagnostics.length === 0) return "";
  const paint = palette(options.color);
  // Each error is shown at its place.
  const keyOf = (one: Diagnostic) => (one.severity === "error" ? one : JSON.stringify([one.code, one.message]));
  const blocks = groupSame(diagnostics, keyOf, 2).map((same) => diagnosticBlock(same, paint));
  return guardRunner(`${blocks.join("\n")}\n${summary(diagnostics, paint)}\n`);
}

export function cleanLine(manifests: number): string {
  return manifests === 0 ? "no manifests found." : `${count(manifests, "manifest")} checked: nothing is wrong.`;
}

function diagnosticBlock([diagnostic, ...others]: readonly [Diagnostic, ...Diagnostic[]], paint: Palette): string {
  const { address, code, column, file, line, message, remedy, severity } = diagnostic;
  const place = isOfFlag(diagnostic) ? "" : `${paint.bold(`${visibleLine(file)}:${line}:${column}:`)} `;
  const level = severity === "error" ? paint.alarm("error") : paint.change("warning");
  const subject = address === null ? "" : `${visibleLine(address)}: `;
  return [
    `${place}${level} ${subject}${visibleLine(message)} ${paint.dim(`[${code}]`)}`,
    ...excerptLines(diagnostic, paint),
    ...(others.length === 0
      ? []
      : [`    ${paint.dim("=")} the same at ${visibleLine(listFew(others.map(placeOf), 5))}`]),
    ...(remedy === null ? [] : [`    ${paint.dim("→")} ${visibleLine(remedy)}`]),
    "",
  ].join("\n");
}

function placeOf({ address, column, file, line }: Diagnostic): string {
  return `${file}:${line}:${column}${address === null ? "" : ` (${address})`}`;
}

/** A pattern of a flag is in no file. */
function isOfFlag({ code, excerpt, message }: Diagnostic): boolean {
  return code === "pattern-no-match" && excerpt === undefined && message.startsWith("-");
}

function excerptLines({ column, excerpt: source, line }: Diagnostic, paint: Palette): readonly string[] {
  if (source === undefined) return [];
  const gutter = String(line);
  const before = visible(source.slice(0, column - 1)).replace(/[^\t]/gu, " ");
  return [
    `  ${paint.dim(`${gutter} |`)} ${visible(source)}`,
    `  ${paint.dim(`${" ".repeat(gutter.length)} |`)} ${before}${paint.alarm("^")}`,
  ];
}

function summary(diagnostics: readonly Diagnostic[], paint: Palette): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  const parts = [
    ...(errors > 0 ? [paint.alarm(count(errors, "error"))] : []),
    ...(errors < diagnostics.length ? [paint.change(count(diagnostics.length - errors, "warning"))] : []),
  ];
  const files = new Set(diagnostics.filter((each) => !isOfFlag(each)).map(({ file }) => file)).size;
  return `${parts.join(" and ")}${files === 0 ? "" : ` in ${count(files, "file")}`}.`;
}

export function renderDiagnosticsJson(diagnostics: readonly Diagnostic[], shown: ShownCommit | null = null): string {
  return safeJson({
    format: "edgewise.diagnostics/v1",
    ...shown,
    diagnostics: diagnostics.map(({ address, code, column, file, line, message, remedy, severity }) => ({
      severity,
      code,
      message,
      remedy,
      file,
      line,
      column,
      ...(address === null ? {} : { address }),
    })),
  });
}
