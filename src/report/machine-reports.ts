import { createHash } from "node:crypto";
import { type Code, remedies, severityOf } from "../diagnostics/codes.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { Plan, ShownCommit } from "../plan/plan-format.js";
import { cut } from "../core/text.js";
import { safeJson, visible, visibleLine } from "../core/visible.js";

/** As Terraform's widget counts: a replacement is a create and a delete; adopting and orphaning are updates. */
export function renderPlansGitlab(plans: readonly Plan[]): string {
  const sum = (of: (summary: Plan["summary"]) => number): number =>
    plans.reduce((total, { summary }) => total + of(summary), 0);
  const counts = {
    create: sum(({ create, replace }) => create + replace),
    update: sum(({ adopt, orphan, update }) => update + adopt + orphan),
    delete: sum((summary) => summary.delete + summary.replace),
  };
  return `${JSON.stringify(counts)}\n`;
}

const longestDescription = 1000;

export function renderDiagnosticsGitlab(diagnostics: readonly Diagnostic[], pathPrefix = ""): string {
  const fingerprint = fingerprints(pathPrefix);
  return safeJson(
    diagnostics.map((diagnostic) => ({
      description: visibleLine(cut(wholeMessage(diagnostic), longestDescription)),
      check_name: `edgewise/${diagnostic.code}`,
      fingerprint: fingerprint(diagnostic),
      severity: diagnostic.severity === "error" ? "major" : "minor",
      location: { path: pathPrefix + diagnostic.file, lines: { begin: Math.max(1, diagnostic.line) } },
    })),
  );
}

export function renderDiagnosticsSarif(
  diagnostics: readonly Diagnostic[],
  toolVersion: string,
  pathPrefix = "",
  shown: ShownCommit | null = null,
): string {
  const used = [...new Set(diagnostics.map(({ code }) => code))].sort();
  const fingerprint = fingerprints(pathPrefix);
  return safeJson({
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: { name: "edgewise", semanticVersion: toolVersion, version: toolVersion, rules: used.map(sarifRule) },
        },
        originalUriBaseIds: { "%SRCROOT%": { description: { text: "The root of the repository." } } },
        // Results with the same id replace those of earlier runs.
        automationDetails: { id: "edgewise/validate/" },
        columnKind: "utf16CodeUnits",
        results: diagnostics.map((diagnostic) => ({
          ...sarifResult(diagnostic, pathPrefix),
          ruleIndex: used.indexOf(diagnostic.code),
          partialFingerprints: { "edgewise/v1": fingerprint(diagnostic) },
        })),
        // SARIF's own place for it needs the address of the repository too.
        ...(shown === null ? {} : { properties: { commit: shown.commit, ref: visible(shown.ref) } }),
      },
    ],
  });
}

function sarifRule(code: string): object {
  const words = code.replaceAll("-", " ");
  const remedy = { text: remedies[code as Code] };
  return {
    id: `validate/${code}`,
    shortDescription: { text: words.charAt(0).toUpperCase() + words.slice(1) },
    fullDescription: remedy,
    help: remedy,
    defaultConfiguration: { level: severityOf(code as Code) },
  };
}

function sarifResult(diagnostic: Diagnostic, pathPrefix: string): object {
  const { address, code, column, file, line, severity } = diagnostic;
  const logical =
    address === null ? {} : { logicalLocations: [{ fullyQualifiedName: visible(address), kind: "resource" }] };
  return {
    ruleId: `validate/${code}`,
    level: severity,
    // `[text](target)` would be a link.
    message: { text: visible(wholeMessage(diagnostic)).replaceAll("](", "] (") },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: fileUri(pathPrefix + file), uriBaseId: "%SRCROOT%" },
          region: { startLine: Math.max(1, line), startColumn: Math.max(1, column) },
        },
        ...logical,
      },
    ],
  };
}

function fileUri(path: string): string {
  const parts = path.replaceAll(/\p{Cs}/gu, "\ufffd").split("/");
  return parts.map(encodeURIComponent).join("/");
}

function wholeMessage({ address, message, remedy }: Diagnostic): string {
  const text = address === null || message.includes(address) ? message : `${address}: ${message}`;
  if (remedy === null || remedy === "") return text;
  return `${text}${/[.!?:…]$/u.test(text) ? "" : "."} ${remedy}`;
}

/** The same in later reports, and different for every problem of one. */
function fingerprints(pathPrefix: string): (diagnostic: Diagnostic) => string {
  const seen = new Map<string, number>();
  return ({ address, code, file, message }) => {
    const identity = JSON.stringify([pathPrefix + file, code, file, address, message]);
    const number = (seen.get(identity) ?? 0) + 1;
    seen.set(identity, number);
    const text = number === 1 ? identity : `${identity}#${number}`;
    return createHash("sha256").update(text, "utf8").digest("hex");
  };
}
