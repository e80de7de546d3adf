import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { nodeCrypto } from "../node-crypto.js";
import { type Drift, type Finding, findingTypes } from "../plan/drift-findings.js";
import { type ShownCommit, shownCommit } from "../plan/plan-format.js";
import { safeJson } from "../text/safe-json.js";
import { visible } from "../text/visible.js";
import { fileUri } from "./escape.js";
import { findingStyles, levelOfFinding } from "./styles.js";

/** `pathPrefix` goes before every file: the path from the repository's root to the configuration's, ending in `/`. */
export interface SarifOptions {
  readonly pathPrefix?: string;
}

/** Drift as SARIF 2.1.0, one rule for each type of finding; a resource without a manifest has a logical place only. */
export function renderDriftSarif(drift: Drift, { pathPrefix = "" }: SarifOptions = {}): string {
  return sarifLog({
    toolVersion: drift.toolVersion,
    rules: findingTypes.map(driftRule),
    automation: `edgewise/drift/${visible(drift.stack)}/`,
    results: drift.findings.map((finding) => driftResult(finding, pathPrefix)),
    shown: shownCommit(drift),
  });
}

function driftRule(type: Finding["type"]): object {
  const { heading, meaning } = findingStyles[type];
  return {
    id: `drift/${type}`,
    name: `Drift${heading}`,
    shortDescription: { text: `${heading}: ${meaning}` },
    fullDescription: { text: `${heading}: ${meaning}.` },
    defaultConfiguration: { level: type === "pending" ? "none" : "warning" },
  };
}

function driftResult(finding: Finding, pathPrefix: string): object {
  const { address, fields, id, impact, message, source, type } = finding;
  const paths = fields.length === 0 ? "" : ` (${fields.map((field) => field.path).join(", ")})`;
  const level = levelOfFinding(finding);
  return {
    ruleId: `drift/${type}`,
    ruleIndex: findingTypes.indexOf(type),
    // A result that is no failure has no level.
    ...(type === "pending" ? { kind: "informational", level: "none" } : { level: level === "notice" ? "note" : level }),
    message: { text: visible(`${address}: ${message}${paths}`) },
    locations: [
      {
        ...(source === null
          ? {}
          : { physicalLocation: physicalLocation(pathPrefix + source.file, { startLine: Math.max(1, source.line) }) }),
        logicalLocations: logicalLocations(address),
      },
    ],
    partialFingerprints: {
      "edgewise/v1": nodeCrypto()
        .createHash("sha256")
        .update(JSON.stringify([type, address, id]))
        .digest("hex"),
    },
    properties: { address, id, impact },
  };
}

/** What a code means. */
export interface DiagnosticRule {
  readonly severity: "error" | "warning";
  readonly description: string;
  readonly remedy: string;
}

export interface DiagnosticsSarifOptions extends SarifOptions {
  readonly toolVersion: string;
  /** By code; the log lists those that it uses. */
  readonly rules: { readonly [code: string]: DiagnosticRule };
  /** The commit that was named; null = the files on disk. */
  readonly shown?: ShownCommit | null;
}

/** Diagnostics as SARIF 2.1.0. */
export function renderDiagnosticsSarif(diagnostics: readonly Diagnostic[], options: DiagnosticsSarifOptions): string {
  const { toolVersion, rules, pathPrefix = "", shown = null } = options;
  const used = [...new Set(diagnostics.map(({ code }) => code))].sort();
  return sarifLog({
    toolVersion,
    rules: used.map((code) => diagnosticRule(code, rules[code])),
    automation: "edgewise/validate/",
    columnKind: "utf16CodeUnits",
    results: diagnostics.map((diagnostic) => diagnosticResult(diagnostic, used, pathPrefix)),
    shown,
  });
}

function diagnosticRule(code: string, rule: DiagnosticRule | undefined): object {
  if (rule === undefined) return { id: `validate/${code}` };
  return {
    id: `validate/${code}`,
    shortDescription: { text: rule.description },
    help: { text: rule.remedy },
    defaultConfiguration: { level: rule.severity },
  };
}

function diagnosticResult(diagnostic: Diagnostic, used: readonly string[], pathPrefix: string): object {
  const { address, code, column, file, line, message, remedy, severity } = diagnostic;
  return {
    ruleId: `validate/${code}`,
    ruleIndex: used.indexOf(code),
    level: severity,
    message: { text: visible(remedy === null ? message : `${message}\n${remedy}`) },
    locations: [
      {
        physicalLocation: physicalLocation(pathPrefix + file, { startLine: line, startColumn: column }),
        ...(address === null ? {} : { logicalLocations: logicalLocations(address) }),
      },
    ],
  };
}

interface SarifRun {
  readonly toolVersion: string;
  readonly rules: readonly object[];
  /** Results with the same id replace those of earlier runs. */
  readonly automation: string;
  readonly columnKind?: string;
  readonly results: readonly object[];
  readonly shown: ShownCommit | null;
}

function sarifLog({ toolVersion, rules, automation, columnKind, results, shown }: SarifRun): string {
  return safeJson({
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "edgewise", version: toolVersion, rules } },
        automationDetails: { id: automation },
        ...(columnKind === undefined ? {} : { columnKind }),
        results,
        // SARIF's own place for it needs the address of the repository too.
        ...(shown === null ? {} : { properties: { commit: shown.commit, ref: visible(shown.ref) } }),
      },
    ],
  });
}

function physicalLocation(file: string, region: object): object {
  return { artifactLocation: { uri: fileUri(file), uriBaseId: "%SRCROOT%" }, region };
}

function logicalLocations(address: string): readonly object[] {
  return [{ fullyQualifiedName: visible(address), kind: "resource" }];
}
