import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.ts";
import { renderDiagnosticsGitlab, renderDriftGitlab } from "../../src/report/code-quality.ts";
import { renderDiagnosticsHtml } from "../../src/report/diagnostics-html.ts";
import { renderDiagnosticsJunit } from "../../src/report/diagnostics-junit.ts";
import { violations } from "../schemas/all-schemas.ts";
import { checkXml } from "./check-xml.ts";
import { expectGolden } from "./expect-golden.ts";
import { driftOf, finding, sampleDrift } from "./sample-drift.ts";

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
const manifest = (name: string, file = "edge/a.yaml", line = 1) => ({
  address: `TLSEdge/${name}`,
  source: { file, line },
});

/** What no format may let through. */
const evil = "\u001b[2J\u202e\n::set-output name=x::y\n##[error]x <img src=x onerror=alert(1)> ]]> & \" '";
const hostile: Diagnostic = {
  ...error,
  message: evil,
  remedy: evil,
  file: evil,
  address: evil,
  excerpt: evil,
  code: "x",
};

describe("junit", () => {
  it("has a test for each manifest, and for each file whose problems belong to none", () => {
    const junit = renderDiagnosticsJunit({
      diagnostics: [error, { ...error, line: 7, message: "another" }, warning, syntax],
      manifests: [manifest("web"), { ...manifest("api"), source: { file: "edge/a.yaml", line: 4 } }],
      pathPrefix: "infra/",
    });
    expectGolden("diagnostics.junit.xml", junit);
    const counts = checkXml(junit);
    expect([counts.get("testcase"), counts.get("failure"), counts.get("system-out")]).toEqual([3, 2, 1]);
    expect(junit).toContain('tests="3" failures="2" errors="0" skipped="0"');
  });

  it("fails no test for a warning", () => {
    const junit = renderDiagnosticsJunit({ diagnostics: [warning], manifests: [manifest("api")] });
    expect(junit).toContain('tests="1" failures="0"');
    expect(junit).not.toContain("<failure");
  });

  it("has a test that passes when there is no manifest", () => {
    const junit = renderDiagnosticsJunit({ diagnostics: [], manifests: [] });
    expect(junit).toContain('tests="1" failures="0"');
    expect(checkXml(junit).get("testcase")).toBe(1);
  });

  it("keeps two manifests of one name apart", () => {
    const twice = [manifest("api", "edge/a.yaml"), manifest("api", "edge/c.yaml")];
    const junit = renderDiagnosticsJunit({ diagnostics: [{ ...error, file: "edge/c.yaml" }], manifests: twice });
    expect(junit).toContain('tests="2" failures="1"');
  });

  it("is well-formed whatever the manifests say", () => {
    const junit = renderDiagnosticsJunit({ diagnostics: [hostile], manifests: [] });
    expect(checkXml(junit).get("failure")).toBe(1);
    expect(junit).not.toMatch(/[\u001b\u202e]/u); // eslint-disable-line no-control-regex
    expect(junit).not.toMatch(/^\s*::/mu);
    expect(junit).not.toMatch(/##\[/u);
  });
});

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
    expect(entries(renderDiagnosticsGitlab([error, warning], { pathPrefix: "infra/" }))).toMatchObject([
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

  it("shows drift at the manifests, and what has none at the configuration", () => {
    const report = renderDriftGitlab(sampleDrift(), { configFile: "edgewise.yaml", pathPrefix: "infra/" });
    expectGolden("drift.gitlab.json", report);
    const found = entries(report);
    expect(found.some(({ location }) => location.path === "infra/edgewise.yaml" && location.lines.begin === 1)).toBe(
      true,
    );
    expect(new Set(found.map(({ fingerprint }) => fingerprint)).size).toBe(found.length);
  });

  it.each([
    ["modified", "none", "minor"],
    ["modified", "routing", "major"],
    ["missing", "security", "critical"],
    ["unexpected", "irreversible", "blocker"],
    ["unmanaged", "routing", "info"],
    ["pending", "security", "info"],
  ] as const)("a finding that is %s, with impact %s, is %s", (type, impact, severity) => {
    const drift = driftOf([finding(type, { impact })]);
    expect(entries(renderDriftGitlab(drift, { configFile: "edgewise.yaml" }))).toMatchObject([{ severity }]);
  });
});

describe("html", () => {
  const page = (diagnostics: readonly Diagnostic[]) =>
    renderDiagnosticsHtml({ diagnostics, manifests: 3, toolVersion: "0.1.0", pathPrefix: "infra/" });

  it("shows errors before warnings, each with its line", () => {
    expectGolden("diagnostics.html", page([warning, error, syntax]));
    const valid = page([]);
    expect(valid).toContain("3 manifests checked: nothing is wrong.");
    expect(valid).not.toContain("<fieldset");
  });
});
