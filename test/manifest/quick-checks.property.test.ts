import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Marker } from "../../src/kinds/marker.ts";
import { plainMetadata, writeMarker } from "../../src/kinds/marker.ts";
import { isPlainHostport, syntaxProblem } from "../../src/manifest/checks/hostports.ts";
import { mostBytes, mostBytesOfMarker } from "../../src/manifest/checks/metadata-and-headers.ts";
import { runs } from "../support/runs.ts";

const hostports = fc.oneof(
  fc
    .array(
      fc.constantFrom(
        ..."a api x-y - . .. : :: 443 0 8080 65536 00 * *. _ example com é \u212a \u017f ${x} {{x}} @ /".split(" "),
        " ",
      ),
      { maxLength: 8 },
    )
    .map((parts) => parts.join("")),
  fc
    .tuple(
      fc.constantFrom("a", "a-b", "a.b.example.com", "A1", "x".repeat(63), "x".repeat(64), "a--b", "-a", "a-"),
      fc.nat(100_000),
    )
    .map(([host, port]) => `${host}:${port}`),
);

describe("a plain hostport", () => {
  it("has no mistake", () => {
    fc.assert(
      fc.property(hostports, (hostport) => {
        if (isPlainHostport(hostport)) expect(syntaxProblem(hostport)).toBeNull();
      }),
      runs(500),
    );
    expect(["a.example:443", "api-1.example.com:8443"].every(isPlainHostport)).toBe(true);
  });
});

const texts = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc
    .array(fc.constantFrom("\0", "\ud800", "\u001f", '"', "\\", "€", "😀"), { maxLength: 20 })
    .map((parts) => parts.join("")),
);

const markers: fc.Arbitrary<Marker> = fc.tuple(texts, texts, fc.boolean()).map(([stack, name, more]) => ({
  stack,
  name,
  ...(more ? { deletion: "protect", replaced: "orphan", replaces: "x".repeat(48), adopted: "x".repeat(48) } : {}),
}));

describe("the most bytes of metadata", () => {
  it("are never fewer than the metadata takes", () => {
    fc.assert(
      fc.property(markers, fc.oneof(texts, fc.dictionary(texts, texts, { maxKeys: 5 })), (marker, user) => {
        const most = mostBytes(user) + mostBytes(marker.stack) + mostBytes(marker.name) + mostBytesOfMarker;
        expect(Buffer.byteLength(writeMarker(marker, user))).toBeLessThanOrEqual(most);
        expect(Buffer.byteLength(plainMetadata(user))).toBeLessThanOrEqual(mostBytes(user));
      }),
      runs(300),
    );
  });
});
