import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ValueObject } from "../../src/core/json.ts";
import { type Marker, readMarker, writeMarker } from "../../src/kinds/marker.ts";
import { runs } from "../support/runs.ts";

const word = fc.string({ minLength: 1, maxLength: 12 });
const markers: fc.Arbitrary<Marker> = fc
  .record({
    stack: word,
    name: word,
    deletion: fc.constantFrom(undefined, "delete" as const, "protect" as const, "orphan" as const),
    replaced: fc.constantFrom(undefined, "delete" as const, "orphan" as const),
    replaces: fc.option(word, { nil: undefined }),
  })
  .map(({ stack, name, deletion, replaced, replaces }) => ({
    stack,
    name,
    ...(deletion === undefined ? {} : { deletion }),
    ...(replaced === undefined ? {} : { replaced }),
    ...(replaces === undefined ? {} : { replaces }),
  }));
const maps = fc
  .dictionary(fc.string({ maxLength: 8 }), fc.jsonValue())
  .filter((map) => !Object.hasOwn(map, "edgewise") && Object.keys(map).length > 0)
  .map((map) => JSON.parse(JSON.stringify(map)) as ValueObject);
/** Texts that are no JSON object: those are told apart by what they mean. */
const texts = fc.string().filter((text) => !/^\s*\{/u.test(text));

describe("the marker", () => {
  it("comes back with the user's own metadata, map or text, whatever they hold", () => {
    fc.assert(
      fc.property(markers, fc.oneof(maps, texts), (marker, user) => {
        const written = writeMarker(marker, user);
        expect(written.startsWith('{"edgewise":{"stack":')).toBe(true);
        expect(readMarker(written)).toEqual({ marker, malformed: false, user });
      }),
      runs(),
    );
  });

  it("is never read from anything else, and reading never throws", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.anything()), (metadata) => {
        const { marker } = readMarker(metadata);
        if (typeof metadata !== "string" || !metadata.includes('"edgewise"')) expect(marker).toBeNull();
      }),
      runs(),
    );
  });

  it("can't be overwritten by a member of the user's", () => {
    const written = writeMarker({ stack: "s", name: "n" }, { edgewise: { stack: "evil", name: "x" }, a: 1 });
    expect(written).toBe('{"edgewise":{"stack":"s","name":"n"},"a":1}');
  });

  it.each([
    ["absent", undefined],
    ["null", null],
    ["empty", ""],
  ])("of %s metadata is nothing at all", (_what, metadata) => {
    expect(readMarker(metadata)).toEqual({ marker: null, malformed: false, user: "" });
  });

  it("with members that this version doesn't know is a marker all the same", () => {
    expect(readMarker('{"edgewise":{"stack":"s","name":"n","future":true}}').marker).toEqual({ stack: "s", name: "n" });
  });
});
