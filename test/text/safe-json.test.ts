import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { safeJson, safeJsonParts } from "../../src/text/safe-json.ts";
import { runs } from "../support/runs.ts";

const odd = fc.constantFrom("\u001b[31m", "##[command]x", "a\nb", '"', "\\", "\u202e", "😀", "::error::", "plain");
const texts = fc.oneof(fc.string(), odd);
const values = fc.oneof(fc.jsonValue({ maxDepth: 3 }), texts, fc.array(texts), fc.constant(undefined));

describe("JSON written part by part", () => {
  it("is the text that is written at once", () => {
    fc.assert(
      fc.property(fc.dictionary(texts, fc.oneof(values, fc.array(values))), (object) => {
        expect([...safeJsonParts(object)].join("")).toBe(safeJson(object));
      }),
      runs(300),
    );
  });

  it("comes in short parts, however long its lists are", () => {
    const object = { name: "x", items: Array.from({ length: 20_000 }, (_, at) => ({ at, text: "y".repeat(50) })) };
    const parts = [...safeJsonParts(object)];
    expect(parts.length).toBeGreaterThan(20);
    for (const part of parts) expect(part.length).toBeLessThan(70_000);
    expect(parts.join("")).toBe(safeJson(object));
  });
});
