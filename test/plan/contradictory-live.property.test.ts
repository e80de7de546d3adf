import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../src/core/json.ts";
import type { ListedKind } from "../../src/kinds/names.ts";
import { kinds } from "../../src/kinds/registry.ts";
import type { Manifest } from "../../src/manifest/manifest.ts";
import { runs } from "../support/runs.ts";
import { Account, manifest } from "./support/account.ts";
import { address, certificate, edge, lifecycle, marked, restriction } from "./support/manifests.ts";

const hostports = fc.subarray(["a.example.com:443", "b.example.com:443", "c.example.com:443", "d.example.com:443"], {
  minLength: 1,
});
/** What edges serve, and which of them gets each hostport. */
const sharedHostports = fc.record({
  live: fc.array(hostports, { minLength: 2, maxLength: 4 }),
  owners: fc.array(fc.nat({ max: 3 }), { minLength: 4, maxLength: 4 }),
  order: fc.infiniteStream(fc.nat()),
});

const texts = fc.constantFrom<Json>(null, "", "text", "é".repeat(128), "x".repeat(4096));
const switches = fc.constantFrom<Json>(true, false);
/** A module of an edge, or null where it is not configured. */
const module = (members: { readonly [member: string]: fc.Arbitrary<Json> }): fc.Arbitrary<Json> =>
  fc.option(fc.record({ enabled: switches, ...members }) as fc.Arbitrary<JsonObject>);
const policies = fc.constantFrom<Json>([], null, [{ id: "ipp_1" }], [{ id: "ipp_2" }, { id: "ipp_1" }]);

const lives = {
  HTTPResponseBackend: fc.record({
    status_code: fc.constantFrom(0, 200, 999),
    body: texts,
    headers: fc.constant(null),
  }),
  IPRestriction: fc.record({ type: fc.constantFrom("agent", "moon"), enforced: switches, ip_policies: policies }),
  ReservedAddress: fc.record({ region: fc.constantFrom<Json>("us", "global", "", null) }),
  TLSCertificate: fc.record({ certificate_pem: fc.constantFrom("old", ""), issued_at: fc.constant(null) }),
  TLSEdge: fc.record({
    hostports: fc.constantFrom<Json>(["live.example.com:443"], ["odd"], []),
    backend: module({ backend: fc.constantFrom<Json>(null, { id: "bkd_other" }) }),
    ip_restriction: module({ ip_policies: policies }),
    mutual_tls: module({ certificate_authorities: fc.constantFrom<Json>([], [{ id: "ca_1" }]) }),
    tls_termination: module({
      terminate_at: fc.constantFrom("edge", "upstream", "agent"),
      min_version: fc.constantFrom<Json>(null, "1.2"),
    }),
    traffic_policy: module({ value: fc.constantFrom("{}", "a: b", "") }),
  }),
} satisfies { readonly [K in ListedKind]?: fc.Arbitrary<object> };
const held = Object.keys(lives) as readonly (keyof typeof lives)[];

const wanted: { readonly [K in keyof typeof lives]: () => Manifest } = {
  HTTPResponseBackend: () => manifest("HTTPResponseBackend", "x", { status_code: 204, description: "new" }),
  IPRestriction: () => restriction("x", { type: "dashboard", enforced: false }),
  ReservedAddress: () => address("x", { region: "jp" }),
  TLSCertificate: () => certificate("x", "new"),
  TLSEdge: () => edge("x", { description: "new", tls_termination: { min_version: "1.3" } }),
};

const holdings = fc.constantFrom(...held).chain((kind) =>
  fc.record({
    kind: fc.constant(kind),
    wire: lives[kind] as fc.Arbitrary<object>,
    description: texts,
    owner: fc.constantFrom(marked("test", "x"), marked("other", "x"), "x".repeat(4090), ""),
    ignored: fc.subarray(Object.keys(kinds[kind].fields)),
  }),
);

describe("a live state that no manifest could say", () => {
  it("of edges that share hostports is brought in order, whatever each of them holds", () => {
    fc.assert(
      fc.property(sharedHostports, ({ live, order, owners }) => {
        const account = new Account();
        for (const [index, held] of live.entries())
          account.hold("TLSEdge", { id: `edgtls_${index}`, hostports: held, metadata: marked("test", `e${index}`) });
        const all = ["a", "b", "c", "d"].map((name) => `${name}.example.com:443`);
        const desired = live.flatMap((_, index) => {
          const own = all.filter((_each, place) => owners[place] === index);
          return own.length === 0 ? [] : [edge(`e${index}`, { hostports: own })];
        });
        const options = { allowEmpty: true, maxDeletes: { count: 9 } };
        const plan = account.plan(desired, options);
        expect(plan).toMatchObject({ refusals: [], rehearsal: { converges: true } });
        account.run(plan, (count) => (order.next().value ?? 0) % Math.max(1, count));
        expect(account.plan(desired, options).changes).toEqual([]);
      }),
      runs(100),
    );
  });

  it("is kept, changed or refused in words where a manifest ignores it, and never blamed on edgewise", () => {
    fc.assert(
      fc.property(holdings, ({ description, ignored, kind, owner, wire }) => {
        const account = new Account();
        const id = `${kinds[kind].idPrefix}1`;
        account.hold(kind, { ...wire, id, description, metadata: owner });
        const own = owner === marked("test", "x");
        const ignore = ignored.map((field) => `spec.${field}`);
        const desired = { ...wanted[kind](), ...lifecycle({ ignore }), ...(own ? {} : { id }) };
        const { refusals } = account.plan([desired], {
          allow: [desired.address],
          maxDeletes: { count: 9 },
          takeOver: true,
        });
        expect(refusals.map(({ code }) => code)).not.toContain("does-not-converge");
      }),
      runs(200),
    );
  });
});
