import fc from "fast-check";
import { expect, it } from "vitest";
import { fingerprint, fingerprintOfLarge } from "../../../src/plan/canonical-json.ts";
import { runs } from "../../support/runs.ts";

it("the checksum of something large is that of its canonical JSON", () => {
  const value = fc.dictionary(fc.string(), fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue()), fc.constant(undefined)));
  fc.assert(
    fc.property(value, (large) => fingerprintOfLarge(large) === fingerprint(large)),
    runs(),
  );
  expect(fingerprintOfLarge({})).toBe(fingerprint({}));
});
