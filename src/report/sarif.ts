import { createHash } from "node:crypto";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { type Drift, type Finding, findingTypes } from "../plan/drift-findings.js";
import { safeJson } from "../text/safe-json.js";
import { visible } from "../text/visible.js";
import { fileUri } from "./escape.js";
import { findingStyles } from "./styles.js";

/** `pathPrefix` goes before every file: the way from the repository's root to the configuration's, ending in `/`. */
export interface DriftSarifOptions {
  readonly pathPrefix?: string;
}

/** Drift as SARIF 2.1.0, one rule for each type of finding; a resource without a manifest has a logical place only. */
export function renderDriftSarif(drift: Drift, options: DriftSarifOptions = {}): string {
  return safeJson({
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "edgewise", version: drift.toolVersion, rules: findingTypes.map(driftRule) } },
        automationDetails: { id: `edgewise/drift/${visible(drift.stack)}/` },
        results: drift.findings.map((finding) => driftResult(finding, options.pathPrefix ?? "")),
      },
    ],
  });
}

function driftRule(type: Finding["type"]): object {
  const { heading, meaning } = findingStyles[type];
  return {
    id: `drift/${type}`,
    name: `Drift${heading}`,
    shortDescription: { text: `${heading}: ${meaning}` },
    fullDescription: { text: `${heading}: ${meaning}.` },
    defaultConfiguration: { level: "warning" },
  };
}

function driftResult(finding: Finding, prefix: string): object {
  const fields = finding.fields.map((field) => field.path);
  const paths = fields.length === 0 ? "" : ` (${fields.join(", ")})`;
  return {
    ruleId: `drift/${finding.type}`,
    ruleIndex: findingTypes.indexOf(finding.type),
    level: levelOfFinding(finding),
    message: { text: visible(`${finding.address}: ${finding.message}${paths}`) },
    locations: [driftLocation(finding, prefix)],
    partialFingerprints: {
      "edgewise/v1": createHash("sha256")
        .update(JSON.stringify([finding.type, finding.address, finding.id]))
        .digest("hex"),
    },
    properties: { address: finding.address, id: finding.id, impact: finding.impact },
  };
}

function driftLocation(finding: Finding, prefix: string): object {
  const logicalLocations = [{ fullyQualifiedName: visible(finding.address), kind: "resource" }];
  const { source } = finding;
  if (source === null) return { logicalLocations };
  return {
    physicalLocation: {
      artifactLocation: { uri: fileUri(prefix + source.file), uriBaseId: "%SRCROOT%" },
      region: { startLine: Math.max(1, source.line) },
    },
    logicalLocations,
  };
}

function levelOfFinding(finding: Finding): "error" | "warning" | "note" {
  if (finding.impact === "security" || finding.impact === "irreversible") return "error";
  if (finding.type === "unmanaged" || (finding.type === "modified" && finding.impact !== "routing")) return "note";
  return "warning";
}

/** What a code means; the rules of the log. */
export interface DiagnosticRule {
  readonly severity: "error" | "warning";
  readonly description: string;
  readonly remedy: string;
}

export interface DiagnosticsSarifOptions {
  readonly toolVersion: string;
  /** By code; those that are needed are listed in the log. */
  readonly rules: { readonly [code: string]: DiagnosticRule };
  /** Goes before every file: the way from the repository's root to the configuration's, ending in `/`. */
  readonly pathPrefix?: string;
}

/** Diagnostics as SARIF 2.1.0. */
export function renderDiagnosticsSarif(diagnostics: readonly Diagnostic[], options: DiagnosticsSarifOptions): string {
  const used = [...new Set(diagnostics.map(({ code }) => code))].sort();
  return safeJson({
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "edgewise",
            version: options.toolVersion,
            rules: used.map((code) => diagnosticRule(code, options)),
          },
        },
        automationDetails: { id: "edgewise/validate/" },
        columnKind: "utf16CodeUnits",
        results: diagnostics.map((diagnostic) => diagnosticResult(diagnostic, used, options.pathPrefix ?? "")),
      },
    ],
  });
}

function diagnosticRule(code: string, { rules }: DiagnosticsSarifOptions): object {
  const known = rules[code];
  if (known === undefined) return { id: `validate/${code}` };
  return {
    id: `validate/${code}`,
    shortDescription: { text: known.description },
    help: { text: known.remedy },
    defaultConfiguration: { level: known.severity },
  };
}

function diagnosticResult(diagnostic: Diagnostic, used: readonly string[], prefix: string): object {
  const { address, code, column, file, line, message, remedy, severity } = diagnostic;
  return {
    ruleId: `validate/${code}`,
    ruleIndex: used.indexOf(code),
    level: severity,
    message: { text: visible(remedy === null ? message : `${message}\n${remedy}`) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: fileUri(prefix + file), uriBaseId: "%SRCROOT%" },
          region: { startLine: line, startColumn: column },
        },
        ...(address === null ? {} : { logicalLocations: [{ fullyQualifiedName: visible(address), kind: "resource" }] }),
      },
    ],
  };
}
