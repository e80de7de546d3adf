import { describe, expect, it } from "vitest";
import { certificateBlocks, certificateBody } from "../../src/pem.ts";

const block = (body: string): string => `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----`;

describe("certificates of a PEM text", () => {
  it("are found in their order, whatever stands between them", () => {
    expect(certificateBlocks(`a\n${block("A-A")}\n- -\n${block("BB")}`)).toEqual([block("A-A"), block("BB")]);
    expect(certificateBlocks("")).toEqual([]);
  });

  it("that are not closed are blocks of their own, and hide no other", () => {
    const open = "-----BEGIN CERTIFICATE-----\nAA\n";
    expect(certificateBlocks(open + block("BB"))).toEqual([open, block("BB")]);
    expect(certificateBlocks(block("BB") + open)).toEqual([block("BB"), open]);
  });

  it("have bodies without white space", () => {
    expect(certificateBody(block("A B\r\nC"))).toBe("ABC");
    expect(certificateBody("-----BEGIN CERTIFICATE-----\nA B")).toBe("AB");
  });
});
