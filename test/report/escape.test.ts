import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { markdownCode, markdownFence, markdownMarker } from "../../src/report/escape.ts";
import { guardRunner } from "../../src/core/visible.ts";
import { runs } from "../support/runs.ts";
import { hostile } from "./hostile.ts";
import { proseOf } from "./markdown-prose.ts";

describe("escaping", () => {
  it("keeps runners from reading commands, colours or not", () => {
    expect(guardRunner("  ::error::x\n\u001b[31m::y\nz ::ok\n##vso[a]\n## Title [x]")).toBe(
      "  \\u003a:error::x\n\u001b[31m\\u003a:y\nz ::ok\n\\u0023#vso[a]\n## Title [x]",
    );
  });

  it("fences with more backticks than the content has", () => {
    expect(markdownFence(["```", "  `````"], "diff")).toBe("``````diff\n```\n  `````\n``````");
    fc.assert(
      fc.property(fc.array(hostile), (lines) => {
        expect(proseOf(markdownFence(lines, "diff"))).toEqual({ text: "", openFence: false });
      }),
      runs(),
    );
  });

  it("makes code spans that end where they should", () => {
    expect(markdownCode("a`b``c")).toBe("```a`b``c```");
    expect(markdownCode("`a")).toBe("`` `a ``");
    fc.assert(
      fc.property(hostile, (text) => {
        expect(proseOf(`${markdownCode(text)}.`).text).toBe(".");
      }),
      runs(),
    );
  });

  it("hides a marker that no stack name can end", () => {
    expect(markdownMarker("plan", "edge-prod")).toBe("<!-- edgewise:plan:edge-prod -->");
    expect(markdownMarker("plan", "a-->b")).not.toMatch(/^<!--.*--.*-->/);
    expect(markdownMarker("plan", "x".repeat(5000)).length).toBeLessThan(300);
    expect(markdownMarker("plan", "a--")).not.toBe(markdownMarker("plan", "a-"));
  });
});
