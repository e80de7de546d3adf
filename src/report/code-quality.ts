import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { cut } from "../text/layout.js";
import { safeJson } from "../text/safe-json.js";
import { visibleLine } from "../text/visible.js";
import { fingerprints, withRemedy, withSubject } from "./report-entries.js";

/** Longer descriptions make a merge request unreadable. */
const longestDescription = 1000;

/**
 * Diagnostics as GitLab's code quality report: errors are major, warnings minor.
 * @param options `pathPrefix` goes before every file: the path from the repository's root to the configuration's,
 *   ending in `/`
 */
export function renderDiagnosticsGitlab(
  diagnostics: readonly Diagnostic[],
  { pathPrefix = "" }: { readonly pathPrefix?: string } = {},
): string {
  const fingerprint = fingerprints();
  return safeJson(
    diagnostics.map(({ address, code, file, line, message, remedy, severity }) => ({
      description: visibleLine(cut(withRemedy(withSubject(message, address), remedy), longestDescription)),
      check_name: `edgewise/${code}`,
      fingerprint: fingerprint([pathPrefix + file, code, file, address, message]),
      severity: severity === "error" ? "major" : "minor",
      location: { path: pathPrefix + file, lines: { begin: Math.max(1, line) } },
    })),
  );
}
