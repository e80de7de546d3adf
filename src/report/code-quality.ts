import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { Impact } from "../kinds/impact.js";
import type { Drift, Finding } from "../plan/drift-findings.js";
import { cut } from "../text/layout.js";
import { safeJson } from "../text/safe-json.js";
import { visibleLine } from "../text/visible.js";
import { type Identity, fingerprints, otherFields, withRemedy, withSubject } from "./report-entries.js";

/** `pathPrefix` goes before every file: the path from the repository's root to the configuration's, ending in `/`. */
export interface CodeQualityOptions {
  readonly pathPrefix?: string;
}

/** One entry of GitLab's code quality report, before it has a fingerprint. */
interface Entry {
  readonly description: string;
  readonly rule: string;
  readonly severity: "info" | "minor" | "major" | "critical" | "blocker";
  readonly file: string;
  readonly line: number;
  readonly identity: Identity;
}

/** Longer descriptions make a merge request unreadable. */
const longestDescription = 1000;

/** Diagnostics as GitLab's code quality report: errors are major, warnings minor. */
export function renderDiagnosticsGitlab(diagnostics: readonly Diagnostic[], options: CodeQualityOptions = {}): string {
  const entries = diagnostics.map(({ address, code, file, line, message, remedy, severity }): Entry => ({
    description: withRemedy(withSubject(message, address), remedy),
    rule: `edgewise/${code}`,
    severity: severity === "error" ? "major" : "minor",
    file,
    line,
    identity: [code, file, address, message],
  }));
  return codeQuality(entries, options);
}

/** How serious a difference is that somebody made behind Git's back. */
const severities: { readonly [I in Impact]: Entry["severity"] } = {
  none: "minor",
  cosmetic: "minor",
  routing: "major",
  security: "critical",
  irreversible: "blocker",
};

/**
 * Drift as GitLab's code quality report, at the manifests' lines; what no manifest describes is at the first line of the
 * configuration. What is pending, or belongs to no stack, is only information.
 * @param options `configFile`: the configuration's name, relative to the root
 */
export function renderDriftGitlab(drift: Drift, options: CodeQualityOptions & { readonly configFile: string }): string {
  const entries = drift.findings.map((finding): Entry => {
    const { address, id, message, source, type } = finding;
    return {
      description: `${withSubject(message, address, id)}${otherFields(finding)}`,
      rule: `edgewise/drift/${type}`,
      severity: severityOf(finding),
      file: source?.file ?? options.configFile,
      line: source?.line ?? 1,
      identity: ["drift", drift.stack, type, address, id],
    };
  });
  return codeQuality(entries, options);
}

function severityOf({ impact, type }: Finding): Entry["severity"] {
  return type === "pending" || type === "unmanaged" ? "info" : severities[impact];
}

function codeQuality(entries: readonly Entry[], { pathPrefix = "" }: CodeQualityOptions): string {
  const fingerprint = fingerprints();
  return safeJson(
    entries.map(({ description, file, identity, line, rule, severity }) => {
      const path = pathPrefix + file;
      return {
        description: visibleLine(cut(description, longestDescription)),
        check_name: rule,
        fingerprint: fingerprint([path, ...identity]),
        severity,
        location: { path, lines: { begin: Math.max(1, line) } },
      };
    }),
  );
}
