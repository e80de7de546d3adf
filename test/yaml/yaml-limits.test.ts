import fc from "fast-check";
import { expect, it, vi } from "vitest";
import type * as Limits from "../../src/limits.ts";
import { limits } from "../../src/limits.ts";
import { parseAny } from "../../src/yaml/parse-any.ts";
import { parseFile } from "../../src/yaml/parse-file.ts";
import { readPlain } from "../../src/yaml/plain-document.ts";
import { runs } from "../support/runs.ts";
import { written } from "./support/written-yaml.ts";

vi.mock("../../src/limits.ts", async (original) => {
  const { limits: usual } = await original<typeof Limits>();
  return { limits: { ...usual, yamlTokens: 60 } };
});

const isTooLarge = (text: string) => parseAny(text).problems.some(({ code }) => code === "yaml-size");

it("a document with too many tokens is refused, whichever reader tries first", () => {
  const sizes = fc.sample(written, { numRuns: 300, seed: 1 }).map(isTooLarge);
  expect(new Set(sizes)).toEqual(new Set([true, false]));
  fc.assert(
    fc.property(written, (text) => {
      expect(parseFile(text)).toEqual(parseAny(text));
    }),
    runs(150),
  );
});

it.each([
  ["lists", (count: number) => "- a\n".repeat(count)],
  [
    "maps",
    (count: number) => Array.from({ length: count }, (_, at) => `- k${at} : 1 # c\n`.replace(" :", ":")).join(""),
  ],
  ["quoted keys", (count: number) => Array.from({ length: count }, (_, at) => `"k${at}": 'v'\n`).join("")],
  ["brackets", (count: number) => `a: [${"b,".repeat(count)}b]\n`],
  ["braces", (count: number) => `a: {${Array.from({ length: count }, (_, at) => `k${at}: b`).join(", ")}}\n`],
  ["texts", (count: number) => "- |\n  a\n\n- >\n  b\n".repeat(count)],
  ["comments", (count: number) => `${"  # c\n\n".repeat(count)}a: b\n`],
])("the limit is that of the library for %s", (_what, make) => {
  for (let count = 1; count < 40; count++) {
    const text = make(count);
    expect(parseFile(text)).toEqual(parseAny(text));
    if (isTooLarge(text)) expect(readPlain(text, 0, text.length)).toBeNull();
  }
  expect(isTooLarge(make(40))).toBe(true);
  expect(limits.yamlTokens).toBe(60);
});
