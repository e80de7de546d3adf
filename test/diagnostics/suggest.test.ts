import { describe, expect, it } from "vitest";
import { suggest } from "../../src/diagnostics/suggest.ts";

const members = ["description", "metadata", "hostports", "ip_policies", "min_version", "backend"];

describe("suggest", () => {
  it.each([
    ["hostport", "hostports"],
    ["hsotports", "hostports"],
    ["minVersion", "min_version"],
    ["policies", "ip_policies"],
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
});
