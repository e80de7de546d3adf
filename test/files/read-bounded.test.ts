import fc from "fast-check";
import { expect, it } from "vitest";
import { decodeUtf8 } from "../../src/files/read-bounded.ts";
import { runs } from "../support/runs.ts";

const marks = [[0xef, 0xbb, 0xbf], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98, 0x80], [0xff], [0xc0, 0x80], [0x61]] as const;

it("bytes are read as UTF-8 as the standard has it, without one byte order mark", () => {
  const bytes = fc
    .array(fc.oneof(fc.constantFrom(...marks), fc.array(fc.nat(255), { maxLength: 3 })), { maxLength: 6 })
    .map((parts) => Uint8Array.from(parts.flat()));
  fc.assert(
    fc.property(bytes, (given) => {
      let expected: string | null = null;
      try {
        expected = new TextDecoder("utf-8", { fatal: true }).decode(given);
      } catch {
        // Not UTF-8.
      }
      expect(decodeUtf8(given)).toBe(expected);
    }),
    runs(500),
  );
});
