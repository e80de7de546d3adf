import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../../src/diagnostics/diagnostic.ts";
import { type Code, remedies, severityOf } from "../../../src/diagnostics/codes.ts";
import { planView } from "../../../src/report/plan-view.ts";
import { driftView } from "../../../src/report/drift-view.ts";
import { renderJunit } from "../../../src/report/junit-report.ts";
import { renderDiagnosticsGithub, renderGithub } from "../../../src/report/github-annotations.ts";
import { renderDiagnosticsSarif } from "../../../src/report/machine-reports.ts";
import { runs } from "../../support/runs.ts";
import { hostile, hostileDrift, hostilePlan } from "../../report/hostile.ts";
import { driftOf, finding, sampleDrift } from "../../report/sample-drift.ts";
import { samplePlan } from "../../report/sample-plan.ts";

const published = (name: string): string =>
  readFileSync(new URL(`fixtures/published/${name}`, import.meta.url), "utf8");

const diagnosticOf = (code: string, more: Partial<Diagnostic> = {}): Diagnostic => ({
  severity: "error",
  code,
  message: "spec.hostport is not known",
  remedy: "Did you mean hostports?",
  file: "edge/a b.yaml",
  line: 6,
  column: 3,
  address: "TLSEdge/api",
  ...more,
});

const diagnostics: readonly Diagnostic[] = (Object.keys(remedies) as Code[]).map((code) =>
  diagnosticOf(code, { severity: severityOf(code) }),
);

const hostileDiagnostics: fc.Arbitrary<readonly Diagnostic[]> = fc.array(
  fc
    .record({
      severity: fc.constantFrom("error" as const, "warning" as const),
      code: fc.constantFrom(...Object.keys(remedies).slice(0, 5)),
      message: hostile,
      remedy: fc.option(hostile),
      file: hostile,
      line: fc.integer({ min: 1, max: 999 }),
      column: fc.integer({ min: 1, max: 999 }),
      address: fc.option(hostile),
    })
    .map(({ code, ...more }) => diagnosticOf(code, more)),
  { maxLength: 5 },
);

const sarifOfDiagnostics = (some: readonly Diagnostic[], pathPrefix = ""): string =>
  renderDiagnosticsSarif(some, "1.2.3", pathPrefix);

interface SarifResult {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly message: { readonly text: string };
  readonly locations: readonly [
    {
      readonly physicalLocation: {
        readonly artifactLocation: { readonly uri: string };
        readonly region: { readonly startLine: number };
      };
    },
  ];
  readonly partialFingerprints: { readonly [name: string]: string };
}

interface SarifRule {
  readonly id: string;
  readonly shortDescription: { readonly text: string };
  readonly fullDescription: { readonly text: string };
  readonly help: { readonly text: string };
}

describe("SARIF", () => {
  const { $id: _, ...schema } = JSON.parse(published("sarif-2.1.0.json")) as { readonly $id: string };
  const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true, unicodeRegExp: false }).compile(
    schema,
  );

  const expectUploadable = (text: string): readonly SarifResult[] => {
    const log = JSON.parse(text) as {
      readonly runs: readonly [
        {
          readonly tool: { readonly driver: { readonly rules: readonly SarifRule[] } };
          readonly results: readonly SarifResult[];
        },
      ];
    };
    validate(log);
    expect(validate.errors).toBeNull();
    const { results, tool } = log.runs[0];
    for (const { locations, message, ruleId, ruleIndex } of results) {
      expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
      expect(message.text).not.toMatch(/\]\(/);
      const { artifactLocation, region } = locations[0].physicalLocation;
      // A path: nothing in it is a scheme, a query or a fragment.
      expect(artifactLocation.uri).toMatch(/^(?:[\w.~!*'()/-]|%[0-9A-F]{2})*$/);
      expect(region.startLine).toBeGreaterThan(0);
    }
    const prints = results.map(({ partialFingerprints }) => partialFingerprints["edgewise/v1"]);
    expect(new Set(prints).size).toBe(results.length);
    return results;
  };

  it("of diagnostics is valid, and uploadable to GitHub", () => {
    expectUploadable(sarifOfDiagnostics([...diagnostics, ...diagnostics], "in fra/"));
    expectUploadable(sarifOfDiagnostics([]));
  });

  it("is valid whatever the data say", () => {
    fc.assert(
      fc.property(hostileDiagnostics, (some) => {
        expect(expectUploadable(sarifOfDiagnostics(some))).toHaveLength(some.length);
      }),
      runs(25),
    );
  });
});

describe("JUnit", () => {
  const expectCounted = (...reports: readonly string[]): void => {
    for (const report of reports) {
      const cases = [...report.matchAll(/<testcase classname="([^"]*)" name="([^"]*)"/g)];
      expect(new Set(cases.map(([, of, name]) => `${of} ${name}`)).size).toBe(cases.length);
      const counts = /<testsuite [^>]*tests="(\d+)" failures="(\d+)" errors="0" skipped="(\d+)"/.exec(report)?.slice(1);
      const found = [cases.length, ...["failure", "skipped"].map((name) => report.split(`<${name} `).length - 1)];
      expect(counts).toEqual(found.map(String));
    }
  };

  it("of drift is valid", async () => {
    expectCounted(
      renderJunit(driftView(sampleDrift()), "infra/"),
      renderJunit(driftView(driftOf([]))),
      renderJunit(driftView({ ...sampleDrift(), commit: "0".repeat(40), ref: "HEAD~1" })),
      renderJunit(
        driftView(driftOf(["a", "b", "c"].map((name) => finding("unexpected", { address: `TLSEdge/${name}` })))),
      ),
    );
  });

  it("is valid whatever the data say", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hostileDrift, { minLength: 5, maxLength: 5 }), async (many) =>
        expectCounted(...many.map((each) => renderJunit(driftView(each)))),
      ),
      runs(4),
    );
  });
});

describe("GitHub's workflow commands", () => {
  /** As the runner reads a line: the documented escapes, and no others. */
  const command =
    /^::(error|warning|notice) ((?:file|line|col|title)=(?:[^%\r\n:,]|%(?:25|0D|0A|3A|2C))*(?:,(?:file|line|col|title)=(?:[^%\r\n:,]|%(?:25|0D|0A|3A|2C))*)*)::((?:[^%\r\n]|%(?:25|0D|0A))*)$/;

  const read = (text: string): readonly { readonly title: string; readonly message: string }[] =>
    text
      .split("\n")
      .slice(0, -1)
      .map((line) => {
        const [, , properties = "", message = ""] = command.exec(line) ?? [];
        expect(line).toMatch(command);
        const decode = (part: string) =>
          part.replace(/%(25|0D|0A|3A|2C)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
        const title = decode(/(?:^|,)title=([^,]*)/.exec(properties)?.[1] ?? "");
        expect(title.length).toBeGreaterThan(0);
        expect(title.length).toBeLessThan(256);
        return { title, message: decode(message) };
      });

  it("follow the grammar, and no message says its title again", () => {
    for (const text of [
      renderGithub(planView(samplePlan())),
      renderGithub(driftView(sampleDrift())),
      renderDiagnosticsGithub(diagnostics),
    ]) {
      for (const { message, title } of read(text)) {
        expect(message).not.toBe("");
        const subject = /\w+\/[\w.-]+$/.exec(title)?.[0];
        if (subject !== undefined) expect(message).not.toContain(subject);
      }
    }
  });

  it("follow the grammar whatever the data say", () => {
    fc.assert(
      fc.property(hostileDrift, hostilePlan(), hostileDiagnostics, (drift, plan, some) => {
        read(renderGithub(driftView(drift)));
        read(renderGithub(planView(plan)));
        expect(read(renderDiagnosticsGithub(some, "a,b:c/"))).toHaveLength(some.length);
      }),
      runs(25),
    );
  });
});
