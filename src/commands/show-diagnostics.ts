import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { guarded } from "./guarded-io.js";
import type { Io } from "./io.js";
import type { Log } from "./log.js";

/** Tells problems on stderr, each with its place and a caret. With `--quiet` warnings are left out. */
export async function showDiagnostics(diagnostics: readonly Diagnostic[], log: Log, io: Io): Promise<void> {
  const shown = log.quiet ? diagnostics.filter(({ severity }) => severity === "error") : diagnostics;
  if (shown.length === 0) return;
  // They quote configuration and manifests.
  guarded(io).redactor.reveal(shown);
  if (log.format === "json") {
    for (const { severity, message, remedy, code, file, line, column, address } of shown) {
      const details = { code, file, line, column, address };
      if (severity === "error") log.error(message, remedy, details);
      else log.warning(message, remedy === null ? details : { ...details, remedy });
    }
    return;
  }
  const { renderDiagnosticsText } = await import("../report/diagnostics-text.js");
  io.stderr(renderDiagnosticsText(shown, { color: io.stderrColor }));
}
