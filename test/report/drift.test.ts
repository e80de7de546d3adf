import { describe, expect, it } from "vitest";
import { driftView } from "../../src/report/drift-view.ts";
import { renderHtml } from "../../src/report/report-html.ts";
import { renderMarkdown } from "../../src/report/report-markdown.ts";
import { renderText } from "../../src/report/report-text.ts";
import { renderJunit } from "../../src/report/junit-report.ts";
import { renderGithub } from "../../src/report/github-annotations.ts";
import { expectGolden } from "./expect-golden.ts";
import { driftOf, finding, sampleDrift } from "./sample-drift.ts";
import { field } from "./sample-plan.ts";

describe("drift", () => {
  it("is shown in every format", async () => {
    const drift = sampleDrift();
    expectGolden("drift.txt", renderText(driftView(drift), { color: false }));
    expectGolden("drift.md", renderMarkdown(driftView(drift)));
    expectGolden("drift.github.txt", renderGithub(driftView(drift), "infra/"));
  });

  it("reports that there is none", async () => {
    const none = driftOf([]);
    expect(renderText(driftView(none), { color: false })).toMatch(/^No drift: /);
    expect(renderMarkdown(driftView(none))).toContain("No drift");
    expect(renderGithub(driftView(none))).toMatch(/^::notice title=edgewise drift \(stack edge-prod\)::No drift/);
    const junit = renderJunit(driftView(none));
    expect(junit).toContain('tests="1" failures="0"');
    expect(junit).not.toContain("<failure");
  });

  it("shows what is pending apart, and as no failure", async () => {
    const pending = driftOf([finding("pending", { impact: "security" })]);
    expect(renderText(driftView(pending), { color: false })).toMatch(/^No drift: 1 pending\.\n/);
    expect(renderMarkdown(driftView(pending))).toContain("drift of edge-prod: no drift\n");
    expect(renderHtml(driftView(pending))).toContain('<div class="headline good">No drift: 1 pending.');
    expect(renderGithub(driftView(pending))).toMatch(
      /^::notice title=drift%3A pending TLSEdge\/api \(stack edge-prod\)::/,
    );
    const junit = renderJunit(driftView(pending));
    expect(junit).toContain('tests="2" failures="0" errors="0" skipped="1"');
    expect(junit).toContain('<skipped message="It is so.">It is so.</skipped>');
  });

  it("does not speak of an apply", async () => {
    const backend = field("spec.backend", null, { backend: { name: "b" } }, { unknown: true });
    const hostports = field("spec.hostports", ["a.example:443"], [{ address: "a" }], { unknown: true });
    const drift = driftOf([finding("modified", { fields: [backend, hostports] })]);
    expect(renderText(driftView(drift), { color: false })).not.toContain("after apply");
  });

  it("names no worst impact where there is none", async () => {
    const text = renderText(driftView(driftOf([finding("expiring", { impact: "none" })])), { color: false });
    expect(text).toMatch(/^DRIFT {2}1 finding: 1 expiring\n/);
  });

  it("makes security drift an error and unmanaged resources a notice", () => {
    const lines = renderGithub(
      driftView(driftOf([finding("unmanaged"), finding("modified", { impact: "security" })])),
    ).split("\n");
    expect(lines[0]).toMatch(/^::error /);
    expect(lines[1]).toMatch(/^::notice /);
  });
});
