import { readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { urlPathOf } from "../../../docs/site/pages.mjs";
import { markdownFiles } from "../../../scripts/check-links.mjs";
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

  it("name no service, but for the first page and the one about a real one", () => {
    const named = documents.filter(({ text }) => /ngrok/i.test(text)).map(({ path }) => path);
    expect(named).toEqual(["README.md", "docs/live-services.md"]);
  });
});
