import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { safeJson } from "./safe-json.js";

/** `edgewise.diagnostics/v1`, with the remedy beside the message. */
export function renderDiagnosticsJson(diagnostics: readonly Diagnostic[]): string {
  return safeJson({
    format: "edgewise.diagnostics/v1",
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
