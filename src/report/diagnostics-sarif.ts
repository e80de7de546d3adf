import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { visible } from "./escape.js";
import { fileUri } from "./file-uri.js";
import { safeJson } from "./safe-json.js";

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
