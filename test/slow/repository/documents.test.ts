import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { urlPathOf } from "../../../docs/site/pages.mjs";
import { brokenLinks, markdownFiles } from "../../../scripts/check-links.mjs";
import { root } from "../../repository/source-files.ts";

const documents = markdownFiles(root).map((path) => ({ path: relative(root, path), text: readFileSync(path, "utf8") }));

describe("documents", () => {
  it("are reached from the README or from each other", () => {
    const named = new Set(
      documents.flatMap(({ path, text }) =>
        [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map((match) =>
          relative(root, resolve(root, dirname(path), match[1] ?? "")),
        ),
      ),
    );
    const lost = documents.map(({ path }) => path).filter((path) => path.startsWith("docs/") && !named.has(path));
    expect(lost).toEqual([]);
  });

  it("have an address of their own on the site", () => {
    const addresses = documents.map(({ path }) => urlPathOf(path).toLowerCase());
    expect(addresses.filter((address, index) => addresses.indexOf(address) !== index)).toEqual([]);
  });

  it("name no service, but for the page about a real one", () => {
    const named = documents.filter(({ text }) => /ngrok/i.test(text)).map(({ path }) => path);
    expect(named).toEqual(["docs/live-services.md"]);
  });
});

describe("the check of links", () => {
  /** What it finds in a folder with `a.md`, of this text, and `sub/b.md`. */
  function broken(text: string): readonly string[] {
    const directory = mkdtempSync(join(tmpdir(), "edgewise-links-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    mkdirSync(join(directory, "sub"));
    writeFileSync(join(directory, "a.md"), text);
    writeFileSync(join(directory, "sub/b.md"), "# One\n\n## Two: `x`, y\n\n## One\n\n```sh\n# no heading\n```\n");
    return brokenLinks(directory);
  }

  it.each([
    "[a](sub/b.md), [b](sub), [c](sub/b.md#two-x-y) and [d](sub/b.md#one-1)",
    "# Here\n\n[a](#here) ![b](sub/b.md)",
    "`[a](nowhere.md)` and\n\n```md\n[b](nowhere.md)\n```\n",
  ])("accepts %j", (text) => {
    expect(broken(text)).toEqual([]);
  });

  it.each([
    ["[a](nowhere.md)", "nowhere.md"],
    ["[a](sub/b.md#three)", "sub/b.md#three"],
    ["# Here\n\n[a](#there)", "#there"],
    ["[a](../../etc/passwd)", "../../etc/passwd"],
    ["[a][b]\n\n[b]: nowhere.md", "nowhere.md"],
  ])("finds %j", (text, target) => {
    expect(broken(text)).toEqual([`a.md: ${target}`]);
  });
});
