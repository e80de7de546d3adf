import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { formOf } from "../../src/schema/schema-part.ts";

const folder = new URL("../../schemas/", import.meta.url);
const outputs = [
  "plan",
  "result",
  "drift",
  "diagnostics",
  "graph",
  "version",
  "output-definitions",
  "journal",
  "configurations",
  "all-stacks",
  "ci",
  "code-quality",
  "state",
  "history",
  "serve-stacks",
  "serve-stack",
  "serve-history",
  "serve-notification",
].map((name) => `${name}.schema.json`);

const patterns = readdirSync(folder)
  .filter((file) => file.endsWith(".schema.json") && !outputs.includes(file))
  .flatMap((file) => [...readFileSync(new URL(file, folder), "utf8").matchAll(/"pattern": ("(?:[^"\\]|\\.)*")/g)])
  .map((match) => String(JSON.parse(match[1] ?? '""')));

describe("forms", () => {
  it("has words for every pattern", () => {
    expect(patterns.length).toBeGreaterThan(5);
    const wordless = patterns.filter((pattern) => formOf(pattern).startsWith("text that matches "));
    expect(wordless, "add what they ask for, in words, to forms in src/schema/schema-part.ts").toEqual([]);
  });
});
