import fc from "fast-check";
import { expect, it, vi } from "vitest";
import type * as Limits from "../../src/core/limits.ts";
import { parseAny } from "../../src/yaml/parse-any.ts";
import { parseFile } from "../../src/yaml/parse-file.ts";
import { runs } from "../support/runs.ts";
import { written } from "./support/written-yaml.ts";

vi.mock("../../src/core/limits.ts", async (original) => {
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
