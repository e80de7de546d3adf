import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/plan/canonical-json.ts";
import { Secret } from "../../src/secret.ts";
import { runs } from "../support/runs.ts";

/** What has to be hashed, the long way. */
function written(value: unknown): string {
  if (value instanceof Secret) return '"(secret)"';
  if (Array.isArray(value)) return `[${value.map((item: unknown) => written(item ?? null)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${written(member)}`).join(",")}}`;
}

const name = fc.oneof(
  fc.constantFrom("", "0", "9", "10", "010", "1.5", "-1", "4294967294", "4294967295", "__proto__", "constructor"),
  fc.constantFrom("toString", "a", "b", "B", "é", "\ud83d", "🔑", "a\u0000", '"', "\\", "length", "name"),
  fc.string({ maxLength: 4 }),
);

const leaf = fc.oneof(
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.constantFrom<unknown[]>(null, undefined, true, false, 0, -0, 1.5e300, "\ud83d", "x".repeat(100), "\u2028"),
  fc.constant(Secret.of("hunter22", "test")),
  fc.integer(),
);

const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(name, tie("value")), { maxLength: 5 }).map((members) => Object.fromEntries(members)),
  ),
}));

describe("canonical JSON", () => {
  it("has the members of every object in the order of their names, whatever these are", () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(canonicalJson(value)).toBe(written(value));
      }),
      runs(500),
    );
  });
});
