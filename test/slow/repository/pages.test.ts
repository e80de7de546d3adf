import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { followPage } from "../../../scripts/pages/follow-page.mjs";
import { pageNames } from "../../../scripts/pages/page-names.mjs";
import { commandBlocks, fate } from "../../../scripts/pages/read-page.mjs";
import { root } from "../../repository/source-files.ts";

const pages = pageNames().map((name) => ({ name, text: readFileSync(join(root, name), "utf8") }));
const page = (...lines: readonly string[]) => `${lines.join("\n")}\n`;

describe("every page of the documentation", () => {
  it("has its commands run, or says why they are not", () => {
    const reasons: Record<string, number> = {};
    for (const { name, text } of pages) {
      for (const block of commandBlocks(text)) {
        if (fate(block) !== "not run") continue;
        const entry = `${name}: ${block.marks["not run"]}`;
        reasons[entry] = (reasons[entry] ?? 0) + 1;
      }
    }
    // Whoever adds one gives the reason here, too.
    expect(reasons).toEqual({
      "docs/ci/kubernetes.md: needs Docker": 1,
      "docs/ci/kubernetes.md: needs a cluster": 1,
      "docs/how-to/recover-from-a-half-apply.md: the page kills an apply of its own, and waits no longer than it must": 1,
      "docs/how-to/rotate-a-certificate.md: the page's own certificates last for a century, so that its outputs stay the same": 1,
      "docs/library.md: a test compiles and runs this program": 1,
      "docs/serve/several-machines.md: needs a PostgreSQL": 1,
    });
  });
});

describe("a page that is followed", () => {
  it("fails with the line where a command ends otherwise than it says", async () => {
    const failing = page("", "```console", "$ false", "```");
    await expect(followPage("page.md", failing)).rejects.toThrow("page.md:2: false: exit code 1, expected 0");
    const expected = page("```console", "$ sh -c 'exit 3'   # always exits with 3", "```");
    expect(await followPage("page.md", expected)).toBe(expected);
    await expect(followPage("page.md", expected.replace("'exit 3'", "'exit 0'"))).rejects.toThrow(
      "exit code 0, expected 3",
    );
    await expect(followPage("page.md", page("```sh", "exit 0", "```"))).rejects.toThrow("ended the shell");
  });
});
