import { describe, expect, it } from "vitest";
import { renderPlanGithub } from "../../src/report/github-annotations.ts";
import { formatDuration, progressLine } from "../../src/report/layout.ts";
import { splitDrift } from "../../src/report/plan-sections.ts";
import { renderPlanGitlab, renderPlanJson } from "../../src/report/safe-json.ts";
import { expectGolden } from "./expect-golden.ts";
import { change, field, planOf, samplePlan } from "./sample-plan.ts";

describe("plan in other formats", () => {
  it("as JSON is the plan", () => {
    expect(JSON.parse(renderPlanJson(samplePlan()))).toEqual(samplePlan());
  });

  it("as annotations, worst first", () => {
    const text = renderPlanGithub(samplePlan(), { pathPrefix: "infra/" });
    expectGolden("plan.github.txt", text);
    expect(text.split("\n").map((line) => /^::(\w+)/.exec(line)?.[1] ?? "")).toEqual(
      [..."e", ..."wwww", ..."nnnn", ..."ww", ""].map(
        (short) => ({ e: "error", w: "warning", n: "notice" })[short] ?? "",
      ),
    );
    expect(renderPlanGithub(planOf([]))).toBe(
      "::notice title=edgewise plan::No changes. Live matches the manifests (3 resources).\n",
    );
  });

  it("as counts for a merge request", () => {
    expect(JSON.parse(renderPlanGitlab(samplePlan()))).toEqual({ create: 2, update: 5, delete: 2 });
  });
});

describe("overwritten drift", () => {
  const mine = field("spec.a", 1, 2, { origin: "desired", impact: "routing", reason: "mine" });
  const theirs = field("spec.b", 1, 2, { origin: "drift", impact: "security", reason: "theirs" });

  it("is kept apart, each part with its own worst", () => {
    const both = change("TLSEdge/x", "update", [mine, theirs], {
      impact: "security",
      reason: "theirs",
      origin: "both",
    });
    const { branch, overwritten } = splitDrift([both]);
    expect(branch).toMatchObject([{ fields: [mine], impact: "routing", reason: "mine", origin: "desired" }]);
    expect(overwritten).toMatchObject([{ fields: [theirs], impact: "security", reason: "theirs", origin: "drift" }]);
  });

  it("never moves deletes and replacements, nor anything without a base", () => {
    const replaced = change("TLSEdge/x", "replace", [theirs], { origin: "drift" });
    const plain = change("TLSEdge/y", "update", [field("spec.a", 1, 2)]);
    expect(splitDrift([replaced, plain])).toEqual({ branch: [replaced, plain], overwritten: [] });
  });
});

describe("progress", () => {
  it("is told in a line", () => {
    expect(
      progressLine({
        done: 12,
        total: 40,
        running: 8,
        failed: 1,
        elapsedMs: 14_000,
        estimateMs: 30_000,
        now: "patch TLSEdge/api",
      }),
    ).toBe("Applying 12/40, 8 running, 1 failed, 14s, about 30s left: patch TLSEdge/api");
    expect(
      progressLine({ done: 0, total: 3, running: 0, failed: 0, elapsedMs: 400, estimateMs: null }, "Reading"),
    ).toBe("Reading 0/3, 0.4s");
  });

  it.each([
    [0, "0s"],
    [440, "0.4s"],
    [9_949, "9.9s"],
    [9_960, "10s"],
    [59_999, "1m 00s"],
    [185_000, "3m 05s"],
    [3_720_000, "1h 02m"],
  ])("%d ms is %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});
