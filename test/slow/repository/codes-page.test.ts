import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorCodes } from "../../../src/core/errors.ts";
import { FindingsCollector } from "../../../src/plan/findings-collector.ts";
import { refusalCodes, warningCodes } from "../../../src/plan/plan-format.ts";
import { root } from "../../repository/source-files.ts";

const page = readFileSync(join(root, "docs/reference/codes.md"), "utf8");

/** The rows of the tables under the headings that begin so: the cells of each, the code first. */
function rowsOf(heading: string): readonly (readonly string[])[] {
  const sections = page.split(/^## /m).filter((section) => section.startsWith(heading));
  return sections.flatMap((section) =>
    [...section.matchAll(/^\| `([a-z-]+)` \|(.*)\|$/gm)].map(([, code = "", rest = ""]) => [
      code,
      ...rest.split(" | ").map((cell) => cell.trim()),
    ]),
  );
}

const codesOf = (heading: string): readonly string[] => rowsOf(heading).map(([code = ""]) => code);

describe("the page of codes", () => {
  it.each([
    ["Refusals", refusalCodes],
    ["Warnings", warningCodes],
    ["Errors", errorCodes],
  ])("has every code once, and no other: %s", (heading, codes) => {
    expect(codesOf(heading).toSorted()).toEqual([...codes].toSorted());
  });

  it("explains each code, and says what to do", () => {
    for (const heading of ["Refusals", "Warnings", "Errors"])
      for (const cells of rowsOf(heading)) for (const cell of cells.slice(1)) expect(cell, cells[0]).not.toBe("");
  });

  it.each(refusalCodes)("says whether --allow lifts %s", (code) => {
    const refused = new FindingsCollector(["TLSEdge/api"]).refuse(code, "TLSEdge/api", "no", "remedy");
    // Policies are judged apart from the other guards; test/policies tests that an address lifts them.
    const [, , , allow] = rowsOf("Refusals").find(([named]) => named === code) ?? [];
    expect(allow).toBe(refused ? "no" : "yes");
  });
});
