import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { suggest } from "../../src/diagnostics/suggest.ts";
import { runs } from "../support/runs.ts";

const members = ["description", "metadata", "hostports", "ip_policies", "min_version", "backend"];

describe("suggest", () => {
  it.each([
    ["hostport", "hostports"],
    ["hsotports", "hostports"],
    ["minVersion", "min_version"],
    ["MIN-VERSION", "min_version"],
    ["policies", "ip_policies"],
    ["descripton", "description"],
  ])("takes %s for %s", (word, meant) => {
    expect(suggest(word, members)).toBe(meant);
  });

  it("has nothing for what is near to none", () => {
    expect(suggest("webhook", members)).toBeNull();
    expect(suggest("", members)).toBeNull();
    expect(suggest("x".repeat(100_000), members)).toBeNull();
  });

  it("takes the nearest, and the first of equally near ones", () => {
    expect(suggest("bcd", ["abcd", "bcde"])).toBe("abcd");
    expect(suggest("region", ["regional", "regions"])).toBe("regions");
  });

  it("never suggests the word itself", () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), (word, rest) => suggest(word, [word, ...rest]) !== word),
      runs(),
    );
  });

  it("finds a word of five letters or more with one letter wrong", () => {
    const word = fc.stringMatching(/^[a-z]{5,20}$/);
    fc.assert(
      fc.property(word, fc.nat(), (right, where) => {
        const at = where % right.length;
        const wrong = `${right.slice(0, at)}0${right.slice(at + 1)}`;
        expect(suggest(wrong, [right])).toBe(right);
      }),
      runs(),
    );
  });
});
