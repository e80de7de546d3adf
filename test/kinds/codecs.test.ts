import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Value } from "../../src/core/json.ts";
import { wrongKindOfId } from "../../src/kinds/registry.ts";
import {
  anyBackend,
  certificateAuthority,
  certificateChain,
  clearableText,
  endpointConfiguration,
  headers,
  hostportClaim,
  hostports,
  ipPolicy,
  plain,
  ref,
  refs,
  secretText,
  userMetadata,
} from "../../src/kinds/codecs.ts";
import type { Codec } from "../../src/kinds/kind.ts";
import { policy } from "../../src/kinds/policy.ts";
import { Secret } from "../../src/core/secret.ts";
import { runs } from "../support/runs.ts";

const id = fc.constantFrom("a_1", "a_2", "a_3").map((each) => ({ id: each }));
const named = fc.constantFrom("one", "two").map((name) => ({ name }));
const port = fc.oneof(
  fc.constantFrom("a.example:443", "A.example:443", "b.example:443"),
  fc.constantFrom("one", "two").map((address) => ({ address })),
);

/** As a file gives them: members may have any name, those of JavaScript's own objects too. */
const documents = fc
  .dictionary(fc.oneof(fc.string(), fc.constantFrom("valueOf", "constructor", "toString", "__proto__")), fc.jsonValue())
  .map((value): Value => JSON.parse(JSON.stringify(value)));

const codecs: readonly (readonly [string, Codec, fc.Arbitrary<Value>])[] = [
  ["plain", plain, fc.oneof(fc.boolean(), fc.integer(), fc.string())],
  ["text", clearableText, fc.oneof(fc.string(), fc.constant(null))],
  ["ref", ref(anyBackend), fc.oneof(id, named)],
  ["refs", refs(anyBackend), fc.array(fc.oneof(id, named), { maxLength: 4 })],
  ["hostports", hostports, fc.array(port, { maxLength: 4 })],
  ["headers", headers, fc.oneof(fc.dictionary(fc.constantFrom("a", "A", "b-C"), fc.string()), fc.constant(null))],
  ["policy", policy, fc.oneof(fc.json(), fc.string(), documents)],
  ["chain", certificateChain, fc.string()],
  ["user metadata", userMetadata, fc.oneof(fc.string(), fc.json(), documents)],
];

describe.each(codecs)("the codec of %s", (_name, codec, values) => {
  it("compares symmetrically, and everything with itself as the same", () => {
    fc.assert(
      fc.property(values, values, (left, right) => {
        const [a, b] = [codec.fromManifest(left), codec.fromManifest(right)];
        expect(codec.same(a, a)).toBe(true);
        expect(codec.same(a, b)).toBe(codec.same(b, a));
      }),
      runs(),
    );
  });

  it("writes JSON, with a null for everything that is bound", () => {
    fc.assert(
      fc.property(values, (value) => {
        const { json, bind } = codec.toWire(codec.fromManifest(value));
        expect(JSON.parse(JSON.stringify(json))).toEqual(json);
        for (const pointer of Object.keys(bind)) {
          const path = pointer.split("/").slice(1);
          const found = path.reduce<unknown>(
            (at, member) => (at as { readonly [member: string]: unknown })[member],
            json,
          );
          expect(found).toBeNull();
        }
      }),
      runs(),
    );
  });
});

describe("particular values", () => {
  it("hostports keep their case in requests and lose it in claims", () => {
    expect(hostports.toWire(["A.example:443"]).json).toEqual(["A.example:443"]);
    expect(hostportClaim("A.example:443")).toBe("hostport:a.example:443");
    expect(hostportClaim({ address: "x" })).toBeNull();
  });

  it("secrets are the same, different, or unknown", () => {
    const [one, two] = [Secret.of("1", "a"), Secret.of("2", "b")];
    const gone = Secret.unavailable("c", "not set");
    expect(secretText.same(one, Secret.of("1", "elsewhere"))).toBe(true);
    expect(secretText.same(one, two)).toBe(false);
    expect(secretText.same(one, gone)).toBeNull();
    expect(secretText.same(gone, one)).toBeNull();
    expect(secretText.same(null, one)).toBe(false);
    expect(secretText.same(secretText.fromWire(""), secretText.fromManifest(null))).toBe(true);
    expect(secretText.toWire(one)).toEqual({ json: null, bind: { "": { secret: true } } });
  });
});

describe("ids in references", () => {
  it.each([
    ["an IP policy", ipPolicy, "ipp_1", ["ca_1", "ipx_1", "IPP_1", "1"]],
    ["a certificate authority", certificateAuthority, "ca_1", ["cert_1", "ipp_1", "1"]],
    ["an endpoint configuration", endpointConfiguration, "ec_1", ["ra_1", "zz_1"]],
    ["a backend", anyBackend, "bkdhr_1", ["edgtls_1", "ra_1", "cert_1", "ipx_1", "ipp_1", "ca_1", "ec_1"]],
    ["a backend of another kind", anyBackend, "bkdtg_1", []],
    ["a backend without any prefix", anyBackend, "1", []],
  ])("of %s have its prefix, or none of another kind", (_what, referred, right, wrong) => {
    expect(wrongKindOfId(right, referred)).toBeNull();
    for (const id of wrong) expect(wrongKindOfId(id, referred), id).toMatch(/begin/u);
  });
});
