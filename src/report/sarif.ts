import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { ShownCommit } from "../plan/plan-format.js";
import { safeJson } from "../text/safe-json.js";
import { visible } from "../text/visible.js";
import { fileUri } from "./escape.js";
import { fingerprints, withRemedy, withSubject } from "./report-entries.js";

/** What a code means. */
export interface DiagnosticRule {
  readonly severity: "error" | "warning";
  readonly description: string;
  readonly remedy: string;
}

export interface DiagnosticsSarifOptions {
  /** Goes before every file: the path from the repository's root to the configuration's, ending in `/`. */
  readonly pathPrefix?: string;
  readonly toolVersion: string;
  /** By code; the log lists those that it uses. */
  readonly rules: { readonly [code: string]: DiagnosticRule };
  /** The commit that was named; null = the files on disk. */
  readonly shown?: ShownCommit | null;
}

/** Diagnostics as SARIF 2.1.0. */
export function renderDiagnosticsSarif(diagnostics: readonly Diagnostic[], options: DiagnosticsSarifOptions): string {
  const { toolVersion, pathPrefix = "", shown = null } = options;
  const used = [...new Set(diagnostics.map(({ code }) => code))].sort();
  const fingerprint = fingerprints();
  const results = diagnostics.map((diagnostic) => ({
    ...diagnosticResult(diagnostic, used, pathPrefix),
    partialFingerprints: {
      "edgewise/v1": fingerprint([
        diagnostic.code,
        pathPrefix + diagnostic.file,
        diagnostic.address,
        diagnostic.message,
      ]),
    },
  }));
  const rules = used.map((code) => diagnosticRule(code, options.rules[code]));
  return safeJson({
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "edgewise", semanticVersion: toolVersion, version: toolVersion, rules } },
        originalUriBaseIds: { "%SRCROOT%": { description: { text: "The root of the repository." } } },
        // Results with the same id replace those of earlier runs.
        automationDetails: { id: "edgewise/validate/" },
        columnKind: "utf16CodeUnits",
        results,
        // SARIF's own place for it needs the address of the repository too.
        ...(shown === null ? {} : { properties: { commit: shown.commit, ref: visible(shown.ref) } }),
      },
    ],
  });
}

function diagnosticRule(code: string, rule: DiagnosticRule | undefined): object {
  if (rule === undefined) return { id: `validate/${code}` };
  return {
    id: `validate/${code}`,
    name: pascalCase(code),
    shortDescription: { text: firstSentence(rule.description) },
    fullDescription: { text: rule.description },
    help: { text: rule.remedy },
    defaultConfiguration: { level: rule.severity },
  };
}

/** A title has no full stop. */
function firstSentence(text: string): string {
  return text.replace(/\.(?: .*)?$/s, "");
}

/** `unknown-member` as `UnknownMember`. */
function pascalCase(code: string): string {
  return code.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function diagnosticResult(diagnostic: Diagnostic, used: readonly string[], pathPrefix: string): object {
  const { address, code, column, file, line, message, remedy, severity } = diagnostic;
  return {
    ruleId: `validate/${code}`,
    ruleIndex: used.indexOf(code),
    level: severity,
    message: messageOf(withRemedy(withSubject(message, address), remedy)),
    locations: [
      {
        physicalLocation: physicalLocation(pathPrefix + file, {
          startLine: Math.max(1, line),
          startColumn: Math.max(1, column),
        }),
        ...(address === null ? {} : { logicalLocations: logicalLocations(address) }),
      },
    ],
  };
}

/** A message in which nothing is a link: `[text](target)` would be one. */
function messageOf(text: string): object {
  return { text: visible(text).replaceAll("](", "] (") };
}

function physicalLocation(file: string, region: object): object {
  return { artifactLocation: { uri: fileUri(file), uriBaseId: "%SRCROOT%" }, region };
}

function logicalLocations(address: string): readonly object[] {
  return [{ fullyQualifiedName: visible(address), kind: "resource" }];
}
