import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.ts";
import { renderDiagnosticsGitlab } from "../../src/report/machine-reports.ts";
import { violations } from "../schemas/all-schemas.ts";

const error: Diagnostic = {
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
const warning: Diagnostic = { ...error, severity: "warning", code: "policy-phase", remedy: null, line: 12, column: 1 };
const syntax: Diagnostic = {
  ...error,
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
    expect(entries(renderDiagnosticsGitlab([error, warning], "infra/"))).toMatchObject([
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
    expect(prints({ ...error, line: 60, column: 9 })).toEqual(prints(error));
    const others = [error, { ...error, line: 7 }, warning, syntax, { ...error, file: "edge/c.yaml" }];
    expect(new Set(prints(...others)).size).toBe(5);
    expect(prints(...others)[1]).toBe(prints(error, { ...error, line: 70 })[1]);
  });
});
