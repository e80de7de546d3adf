import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codes } from "../../src/diagnostics/codes.ts";
import { diagnosticsDoc } from "./support/diagnostics-doc.ts";

const document = join(import.meta.dirname, "../../docs/diagnostics.md");

describe("codes", () => {
  it("are listed in docs/diagnostics.md", () => {
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(document, diagnosticsDoc());
    expect(readFileSync(document, "utf8")).toBe(diagnosticsDoc());
  });

  it("have a name, a sentence and a remedy each", () => {
    for (const [code, { description, remedy }] of Object.entries(codes)) {
      expect(code).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(description, code).toMatch(/^[A-Za-z`].*\.$/s);
      expect(remedy, code).toMatch(/^[A-Z].*\.$/s);
    }
  });

  it("of the golden files are all known", () => {
    const folder = join(import.meta.dirname, "../manifest/golden");
    const shown = readdirSync(folder).flatMap((name) => {
      const [, output = ""] = readFileSync(join(folder, name), "utf8").split("=== output\n");
      return [...output.matchAll(/^\S.* \[([a-z-]+)\]$/gm)].map((match) => match[1] ?? "");
    });
    expect(shown.length).toBeGreaterThan(30);
    expect(shown.filter((code) => !(code in codes))).toEqual([]);
  });
});
