import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Redactor } from "../../src/redact/redactor.ts";
import { maskedMembers, safeJson, safeJsonParts } from "../../src/text/safe-json.ts";
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

  it("is masked as a whole document is, and stays JSON", () => {
    // Its parts look like the punctuation of any document.
    const secrets = [
      "hook-secret-0123456789",
      '{\n  "type": "account",\n  "key": "0123456789abcdef"\n}',
      "12345678901",
    ];
    const redactor = new Redactor();
    for (const secret of secrets) redactor.add(secret);
    const mask = (text: string): string => redactor.redact(text);
    const withSecrets = fc.oneof(
      texts,
      fc.constantFrom(...secrets, 12_345_678_901),
      fc.tuple(texts, fc.constantFrom(...secrets)).map((two) => two.join("")),
    );
    const items = fc.oneof(withSecrets, fc.dictionary(texts, withSecrets), fc.array(withSecrets));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.oneof(items, fc.array(items))), (object) => {
        const written = [...safeJsonParts(object, mask)].join("");
        expect(JSON.parse(written)).toEqual(JSON.parse(mask(safeJson(object))));
        expect(maskedMembers(object, mask)).toEqual(JSON.parse(written));
        expect(written).not.toContain("0123456789");
      }),
      runs(200),
    );
  });

  it("is the same object when nothing is masked", () => {
    const object = { a: 1, list: [{ b: "x" }] };
    expect(maskedMembers(object, (text) => text)).toBe(object);
  });
});
