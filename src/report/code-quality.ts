import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { Impact } from "../kinds/impact.js";
import { nodeCrypto } from "../node-crypto.js";
import type { Drift, Finding } from "../plan/drift-findings.js";
import { cut } from "../text/layout.js";
import { safeJson } from "../text/safe-json.js";
import { visibleLine } from "../text/visible.js";

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
  /** What tells the entry from others, and stays the same when lines move. */
  readonly identity: readonly (string | null)[];
}

/** Longer descriptions make a merge request unreadable. */
const longestDescription = 1000;

/** Diagnostics as GitLab's code quality report: errors are major, warnings minor. */
export function renderDiagnosticsGitlab(diagnostics: readonly Diagnostic[], options: CodeQualityOptions = {}): string {
  const entries = diagnostics.map(({ address, code, file, line, message, remedy, severity }): Entry => ({
    description: `${address === null ? "" : `${address}: `}${message}${remedy === null ? "" : ` (${remedy})`}`,
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
    const { address, fields, id, message, source, type } = finding;
    // Most messages name the resource and few fields themselves.
    const unnamed = fields.map(({ path }) => path).filter((path) => !message.includes(path));
    const paths = unnamed.length === 0 ? "" : ` (${unnamed.join(", ")})`;
    return {
      description: `${message.includes(address) ? "" : `${address}: `}${message}${paths}`,
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
  const seen = new Map<string, number>();
  return safeJson(
    entries.map(({ description, file, identity, line, rule, severity }) => {
      const path = pathPrefix + file;
      const exact = JSON.stringify([path, ...identity]);
      const before = seen.get(exact) ?? 0;
      seen.set(exact, before + 1);
      // The same problem twice in one file: entries with one fingerprint would be shown once.
      const own = before === 0 ? exact : `${exact}#${before + 1}`;
      return {
        description: visibleLine(cut(description, longestDescription)),
        check_name: rule,
        fingerprint: nodeCrypto().createHash("sha256").update(own, "utf8").digest("hex"),
        severity,
        location: { path, lines: { begin: Math.max(1, line) } },
      };
    }),
  );
}
