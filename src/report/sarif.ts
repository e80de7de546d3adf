import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { type Drift, type Finding, findingTypes } from "../plan/drift-findings.js";
import { type ShownCommit, shownCommit } from "../plan/plan-format.js";
import { safeJson } from "../text/safe-json.js";
import { visible } from "../text/visible.js";
import { fileUri } from "./escape.js";
import { fingerprints, otherFields, withRemedy, withSubject } from "./report-entries.js";
import { levelOfFinding } from "./styles.js";

/** `pathPrefix` goes before every file: the path from the repository's root to the configuration's, ending in `/`. */
export interface SarifOptions {
  readonly pathPrefix?: string;
}

export interface DriftSarifOptions extends SarifOptions {
  /** The configuration's name, relative to the root: the place of what has no manifest. */
  readonly configFile: string;
}

/**
 * Drift as SARIF 2.1.0, one rule for each type of finding. A resource without a manifest is at the first line of the
 * configuration, because GitHub refuses a whole log when one result has no file.
 */
export function renderDriftSarif(drift: Drift, { configFile, pathPrefix = "" }: DriftSarifOptions): string {
  const fingerprint = fingerprints();
  const results = drift.findings.map((finding) => {
    const { address, id, source, type } = finding;
    const { file, line } = source ?? { file: configFile, line: 1 };
    const region = { startLine: Math.max(1, line) };
    return {
      ruleId: `drift/${type}`,
      ruleIndex: findingTypes.indexOf(type),
      ...levelOf(finding),
      message: messageOf(`${withSubject(finding.message, address, id)}${otherFields(finding)}`),
      locations: [
        {
          physicalLocation: physicalLocation(pathPrefix + file, region),
          logicalLocations: logicalLocations(address),
        },
      ],
      partialFingerprints: { "edgewise/v1": fingerprint([type, address, id]) },
      properties: { address, id, impact: finding.impact },
    };
  });
  return sarifLog({
    toolVersion: drift.toolVersion,
    rules: findingTypes.map(driftRule),
    automation: `edgewise/drift/${visible(drift.stack)}/`,
    results,
    shown: shownCommit(drift),
  });
}

/** What GitHub shows of a rule: the title of its alerts, what it means, and what to do. */
const driftRules: {
  readonly [T in Finding["type"]]: { readonly title: string; readonly meaning: string; readonly help: string };
} = {
  missing: {
    title: "Resource is missing",
    meaning: "A manifest describes a resource that is not live: somebody deleted it outside of Git.",
    help: "Run `edgewise apply` to create it again, or remove its manifest.",
  },
  modified: {
    title: "Resource was changed outside of Git",
    meaning: "A live resource differs from its manifest.",
    help: "Run `edgewise apply` to undo the change, or `edgewise pull` to write it into the manifest.",
  },
  unexpected: {
    title: "Resource has no manifest",
    meaning: "A live resource carries the marker of this stack, but no manifest describes it.",
    help: "Run `edgewise apply` to delete it, or let `edgewise export --owned` write its manifest.",
  },
  unmanaged: {
    title: "Resource belongs to no stack",
    meaning: "A live resource carries the marker of no stack, and no manifest describes it.",
    help: "Let `edgewise export` write a manifest that adopts it, or delete it by hand.",
  },
  expiring: {
    title: "Certificate expires soon",
    meaning: "A live certificate has expired or does so soon.",
    help: "Put a renewed certificate and its key into the manifest, and apply it.",
  },
  dangling: {
    title: "Reference to something that is gone",
    meaning: "A live resource refers to another one that does not exist any more.",
    help: "Create again what it refers to, or let it refer to something else.",
  },
  pending: {
    title: "Change is not applied yet",
    meaning: "A manifest was changed since the last apply. This is not drift.",
    help: "Run `edgewise apply` to apply what was merged.",
  },
};

function driftRule(type: Finding["type"]): object {
  const { help, meaning, title } = driftRules[type];
  return {
    id: `drift/${type}`,
    name: pascalCase(`drift-${type}`),
    shortDescription: { text: title },
    fullDescription: { text: meaning },
    help: { text: help },
    defaultConfiguration: { level: type === "pending" ? "none" : "warning" },
  };
}

function levelOf(finding: Finding): object {
  // A result that is no failure has no level.
  if (finding.type === "pending") return { kind: "informational", level: "none" };
  const level = levelOfFinding(finding);
  return { level: level === "notice" ? "note" : level };
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
  const fingerprint = fingerprints();
  return sarifLog({
    toolVersion,
    rules: used.map((code) => diagnosticRule(code, rules[code])),
    automation: "edgewise/validate/",
    columnKind: "utf16CodeUnits",
    results: diagnostics.map((diagnostic) => ({
      ...diagnosticResult(diagnostic, used, pathPrefix),
      partialFingerprints: {
        "edgewise/v1": fingerprint([
          diagnostic.code,
          pathPrefix + diagnostic.file,
          diagnostic.address,
          diagnostic.message,
        ]),
      },
    })),
    shown,
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
        tool: { driver: { name: "edgewise", semanticVersion: toolVersion, version: toolVersion, rules } },
        originalUriBaseIds: { "%SRCROOT%": { description: { text: "The root of the repository." } } },
        automationDetails: { id: automation },
        ...(columnKind === undefined ? {} : { columnKind }),
        results,
        // SARIF's own place for it needs the address of the repository too.
        ...(shown === null ? {} : { properties: { commit: shown.commit, ref: visible(shown.ref) } }),
      },
    ],
  });
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
