import { describe, expect, it } from "vitest";
import { remedies } from "../../src/diagnostics/codes.ts";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.ts";
import { renderDiagnosticsText } from "../../src/report/diagnostics-report.ts";
import { renderDiagnosticsGitlab, renderDiagnosticsSarif } from "../../src/report/machine-reports.ts";
import { renderDiagnosticsGithub } from "../../src/report/github-annotations.ts";
import { violations } from "../schemas/all-schemas.ts";

const base: Diagnostic = {
  severity: "error",
  code: "unknown-member",
  message: "spec.hostport is not known",
  remedy: "Did you mean hostports?",
  file: "edge/a.yaml",
  line: 6,
  column: 3,
  address: "TLSEdge/api",
  excerpt: "  hostport: []",
};
const warning: Diagnostic = {
  ...base,
  severity: "warning",
  code: "policy-phase",
  remedy: null,
  address: null,
  line: 12,
  column: 1,
};

describe("text", () => {
  it("shows place, line, caret, remedy and a summary", () => {
    expect(renderDiagnosticsText([base, warning], { color: false }))
      .toBe(`edge/a.yaml:6:3: error TLSEdge/api: spec.hostport is not known [unknown-member]
  6 |   hostport: []
    |   ^
    → Did you mean hostports?

edge/a.yaml:12:1: warning spec.hostport is not known [policy-phase]
  12 |   hostport: []
     | ^

1 error and 1 warning in 1 file.
`);
  });

  it.each([["\tkey: x", 2, "\t^"]])("puts the caret under what is meant: %j", (excerpt, column, caret) => {
    const text = renderDiagnosticsText([{ ...base, excerpt, column }], { color: false });
    expect(text.split("\n")[2]).toBe(`    | ${caret}`);
  });
});

describe("github", () => {
  it("gives one command a diagnostic, from the repository's root", () => {
    expect(renderDiagnosticsGithub([base, warning], "infra/")).toBe(
      "::error file=infra/edge/a.yaml,line=6,col=3,title=unknown-member TLSEdge/api::spec.hostport is not known%0ADid you mean hostports?\n" +
        "::warning file=infra/edge/a.yaml,line=12,col=1,title=policy-phase::spec.hostport is not known\n",
    );
    expect(renderDiagnosticsGithub([])).toBe("");
  });
});

describe("sarif", () => {
  it("is a 2.1.0 log with rules, places and columns", () => {
    const log = JSON.parse(renderDiagnosticsSarif([base, warning], "1.2.3", "in fra/")) as {
      readonly version: string;
      readonly runs: readonly [
        { readonly tool: unknown; readonly results: readonly unknown[]; readonly columnKind: string },
      ];
    };
    expect(log.version).toBe("2.1.0");
    const [run] = log.runs;
    expect(run.columnKind).toBe("utf16CodeUnits");
    expect(run.tool).toMatchObject({
      driver: {
        semanticVersion: "1.2.3",
        rules: [
          { id: "validate/policy-phase" },
          { id: "validate/unknown-member", help: { text: remedies["unknown-member"] } },
        ],
      },
    });
    expect(run.results[0]).toMatchObject({
      ruleId: "validate/unknown-member",
      ruleIndex: 1,
      level: "error",
      message: { text: "TLSEdge/api: spec.hostport is not known. Did you mean hostports?" },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: "in%20fra/edge/a.yaml", uriBaseId: "%SRCROOT%" },
            region: { startLine: 6, startColumn: 3 },
          },
          logicalLocations: [{ fullyQualifiedName: "TLSEdge/api", kind: "resource" }],
        },
      ],
    });
    expect(run.results[1]).toMatchObject({ level: "warning", ruleIndex: 0 });
  });
});

const syntax: Diagnostic = {
  ...base,
  code: "yaml-syntax",
  message: "a map has no end",
  file: "edge/b.yaml",
  address: null,
};

interface Entry {
  readonly fingerprint: string;
  readonly severity: string;
  readonly location: { readonly path: string; readonly lines: { readonly begin: number } };
}

const entries = (text: string): readonly Entry[] => {
  const parsed = JSON.parse(text);
  expect(violations("code-quality", parsed)).toEqual([]);
  return parsed;
};

describe("GitLab's code quality", () => {
  it("names problems from the repository's root", () => {
    expect(entries(renderDiagnosticsGitlab([base, warning], "infra/"))).toMatchObject([
      {
        description: "TLSEdge/api: spec.hostport is not known. Did you mean hostports?",
        check_name: "edgewise/unknown-member",
        severity: "major",
        location: { path: "infra/edge/a.yaml", lines: { begin: 6 } },
      },
      { check_name: "edgewise/policy-phase", severity: "minor" },
    ]);
    expect(entries(renderDiagnosticsGitlab([]))).toEqual([]);
  });

  it("keeps a fingerprint when lines move, and gives every problem another one", () => {
    const prints = (...diagnostics: readonly Diagnostic[]) =>
      entries(renderDiagnosticsGitlab(diagnostics)).map(({ fingerprint }) => fingerprint);
    expect(prints({ ...base, line: 60, column: 9 })).toEqual(prints(base));
    const others = [base, { ...base, line: 7 }, warning, syntax, { ...base, file: "edge/c.yaml" }];
    expect(new Set(prints(...others)).size).toBe(5);
    expect(prints(...others)[1]).toBe(prints(base, { ...base, line: 70 })[1]);
  });
});
