import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../../repository/source-files.ts";

const folder = join(root, "test/slow/security/attacks");

/** The titles of the attacks: every top-level `describe` of the folder that names an outcome. */
function titles(): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".test.ts"))
    .flatMap(({ name }) =>
      [
        ...readFileSync(join(folder, name), "utf8").matchAll(
          /^describe(?:\.\w+(?:\([^\n]*\))?)?\(\s*(["`])(.+?)\1,/gmu,
        ),
      ].map(([, , title]) => title ?? ""),
    )
    .filter((title) => title.includes(" → "));
}

it("docs/security.md lists exactly the attacks that are tried, with their outcomes", () => {
  const document = readFileSync(join(root, "docs/security.md"), "utf8");
  const table = /<!-- attacks:begin -->\n([\s\S]*?)<!-- attacks:end -->/u.exec(document)?.[1] ?? "";
  const rows = [...table.matchAll(/^\| (?!\*\*|attack )(.+?) \| (.+?) \| (\d+) \|$/gmu)];
  const told = rows.map(([, attack, outcome]) => `${attack} → ${outcome}`);
  expect(told.toSorted()).toEqual(titles().toSorted());
  expect(rows.length).toBeGreaterThan(0);
});
