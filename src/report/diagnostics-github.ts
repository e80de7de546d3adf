import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { cut } from "../text.js";
import { annotationLine } from "./escape-github.js";
import type { AnnotationOptions } from "./plan-github.js";

/** Diagnostics as annotations of a workflow run, each at its line and column. Nothing for no diagnostics. */
export function renderDiagnosticsGithub(diagnostics: readonly Diagnostic[], options: AnnotationOptions = {}): string {
  return diagnostics
    .map(({ address, code, column, file, line, message, remedy, severity }) => {
      const annotation = annotationLine(
        {
          level: severity,
          title: `${code}${address === null ? "" : ` ${address}`}`,
          message: cut(remedy === null ? message : `${message}\n${remedy}`, 4000),
          source: { file, line, column },
        },
        options.pathPrefix ?? "",
      );
      return `${annotation}\n`;
    })
    .join("");
}
