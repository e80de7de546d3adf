import { describe, expect, it } from "vitest";
import {
  collectAddress,
  collectKind,
  collectPair,
  countOrPercent,
  duration,
  latency,
  wholeNumber,
} from "../../src/commands/program/parsers.ts";
import { plural } from "../../src/text/layout.ts";

describe("parsers of flags", () => {
  it("duration", () => {
    expect([duration("90m"), duration("12h"), duration("30d"), duration("2w")]).toEqual([
      5_400_000, 43_200_000, 2_592_000_000, 1_209_600_000,
    ]);
    for (const wrong of ["", "30", "d", "-1d", "1.5d", "30 d", "30y"])
      expect(() => duration(wrong)).toThrow("like 30d");
  });

  it("collects in the order of the command line", () => {
    expect(collectAddress("TLSEdge/b", collectAddress("TLSEdge/a", undefined))).toEqual(["TLSEdge/a", "TLSEdge/b"]);
    expect(collectPair("a=1=2", undefined)).toEqual(["a=1=2"]);
  });

  it("whole numbers and percentages", () => {
    expect(wholeNumber(1, 100)("100")).toBe(100);
    for (const wrong of ["0", "101", "1e1", " 1", "0x1", ""])
      expect(() => wholeNumber(1, 100)(wrong)).toThrow("from 1 to 100");
    expect([countOrPercent("0"), countOrPercent("100%")]).toEqual(["0", "100%"]);
  });
});

describe("kinds", () => {
  it("are taken as one or many, and parts of their names are enough for a suggestion", () => {
    for (const name of ["tls-edges", "TLSEdge", "TLSEDGES"]) expect(collectKind(name, undefined)).toEqual(["TLSEdge"]);
    expect(collectKind("reserved-addresses", undefined)).toEqual(["ReservedAddress"]);
    expect(() => collectKind("reserved-addresss", undefined)).toThrow("Did you mean ReservedAddress?");
    expect(() => collectKind("Edge", undefined)).toThrow("Did you mean TLSEdge?");
    expect(["edge", "address", "ip-policy", "key"].map(plural)).toEqual(["edges", "addresses", "ip-policies", "keys"]);
  });
});

describe("latency", () => {
  it.each([
    ["50", 50],
    ["50ms", 50],
    ["2s", 2000],
    ["0", 0],
  ])("%s is %i milliseconds", (text, ms) => {
    expect(latency(text)).toBe(ms);
  });

  it.each(["", "x", "-1", "1.5", "1m", "601s"])("%s is none", (text) => {
    expect(() => latency(text)).toThrow(/milliseconds/u);
  });
});
