import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { kindNames } from "../../src/kinds/names.ts";
import type { LoadOptions } from "../../src/manifest/load-run.ts";
import { renderDiagnosticsText } from "../../src/report/diagnostics-report.ts";
import { load, type Files } from "./support/load-text.ts";

/**
 * Typical mistakes, and what is said about each. A file is `--- path` and that file's text, as often as needed, maybe
 * `--- options` with JSON, then `=== output` and what a user sees, with `{kinds}` for the names of all kinds.
 * UPDATE_GOLDEN=1 writes the outputs anew.
 */
const folder = join(import.meta.dirname, "golden");
const names = readdirSync(folder).toSorted();

interface Case {
  readonly input: string;
  readonly files: Files;
  readonly options: Partial<LoadOptions>;
  readonly output: string;
}

function read(name: string): Case {
  const [input = "", output = ""] = readFileSync(join(folder, name), "utf8").split("=== output\n");
  const sections = input.split(/^--- (.*)\n/m).slice(1);
  const files: Record<string, string> = {};
  for (let index = 0; index < sections.length; index += 2) files[sections[index] ?? ""] = sections[index + 1] ?? "";
  const { options = "{}", ...rest } = files;
  return { input, output, files: rest, options: JSON.parse(options) as Partial<LoadOptions> };
}

describe("typical mistakes", () => {
  it.each(names)("%s", async (name) => {
    const { files, input, options, output } = read(name);
    const { diagnostics } = await load(files, { now: Date.parse("2026-01-01T00:00:00Z"), ...options });
    const actual = renderDiagnosticsText(diagnostics, { color: false }).replaceAll(kindNames.join(", "), "{kinds}");
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(join(folder, name), `${input}=== output\n${actual}`);
    else expect(actual).toBe(output);
    expect(diagnostics.length).toBeGreaterThan(0);
    expect(actual).not.toContain("hunter2");
  });
});
