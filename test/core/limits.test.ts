import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { limits } from "../../src/limits.ts";
import { maxChain } from "../../src/pem.ts";

const page = readFileSync(new URL("../../docs/reliability.md", import.meta.url), "utf8");
const section = page.slice(page.indexOf("\n## Limits"), page.indexOf("\n## Measured"));

/** A number, or a number of bytes, as the page writes it. */
function shown(value: number): string {
  const [KiB, MiB] = [1024, 1024 * 1024];
  if (value % MiB === 0) return `${value / MiB} MiB`;
  return value % KiB === 0 ? `${value / KiB} KiB` : value.toLocaleString("en");
}

// Limits that users don't need: the number of problems shown, the steps of patterns, empty pages.
const { emptyPages: _, globSteps: _steps, yamlProblems: _problems, ...documented } = limits;

describe("docs/reliability.md", () => {
  it.each(Object.entries({ ...documented, maxChain }))("names the limit %s", (_name, value) => {
    expect(section).toContain(shown(value));
  });
});
