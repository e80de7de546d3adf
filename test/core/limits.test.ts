import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { limits } from "../../src/limits.ts";
import { maxChain } from "../../src/pem.ts";

const page = readFileSync(new URL("../../docs/reliability.md", import.meta.url), "utf8");
const section = page.slice(page.indexOf("\n## Limits"), page.indexOf("\n## Measured"));

/** How people write a number of bytes or of anything else. */
function shown(value: number): string {
  const [KiB, MiB] = [1024, 1024 * 1024];
  if (value % MiB === 0) return `${value / MiB} MiB`;
  return value % KiB === 0 ? `${value / KiB} KiB` : value.toLocaleString("en");
}

// What nobody plans with: how many problems are shown, how patterns are counted, empty pages.
const { emptyPages: _, globSteps: _steps, yamlProblems: _problems, ...documented } = limits;

describe("docs/reliability.md", () => {
  it.each(Object.entries({ ...documented, maxChain }))("names the limit %s", (_name, value) => {
    expect(section).toContain(shown(value));
  });
});
