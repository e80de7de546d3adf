import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorCodes } from "../../../src/core/errors.ts";
import { refusalCodes, warningCodes } from "../../../src/plan/plan-format.ts";
import { root } from "../../repository/source-files.ts";

const page = readFileSync(join(root, "docs/reference/codes.md"), "utf8");

function codesOf(heading: string): readonly string[] {
  const sections = page.split(/^## /m).filter((section) => section.startsWith(heading));
  return sections.flatMap((section) => [...section.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, code = ""]) => code));
}

describe("the page of codes", () => {
  it.each([
    ["Refusals", refusalCodes],
    ["Warnings", warningCodes],
    ["Errors", errorCodes],
  ])("has every code once, and no other: %s", (heading, codes) => {
    expect(codesOf(heading).toSorted()).toEqual([...codes].toSorted());
  });
});
