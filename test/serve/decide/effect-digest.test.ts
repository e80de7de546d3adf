import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/core/json.ts";
import { secretResolver } from "../../../src/plan/plan-secrets.ts";
import type { Manifest } from "../../../src/manifest/manifest.ts";
import { planWithStates } from "../../../src/serve/decide/change-origins.ts";
import type { PlanOptions } from "../../../src/plan/plan-context.ts";
import {
  type DigestedEffect,
  approvedChanges,
  coveredBy,
  effectDigest,
  effectSidesOf,
  effectsOf,
} from "../../../src/serve/decide/effect-digest.ts";
import { Secret } from "../../../src/core/secret.ts";
import { Account, defaults, manifest } from "../../plan/support/account.ts";
import { runs } from "../../support/runs.ts";

interface World {
  readonly texts: readonly string[];
  readonly status: number;
  readonly hostports: readonly string[];
  readonly pem: string;
}

const world: World = { texts: ["one", "two", "three"], status: 503, hostports: ["a.example.com:443"], pem: "K3Y-TEXT" };

function manifestsOf({ hostports, pem, status, texts }: World): readonly Manifest[] {
  const backends = texts.map((description, index) =>
    manifest("HTTPResponseBackend", `b${index}`, { description, status_code: status }),
  );
  const edge = manifest("TLSEdge", "edge", {
    hostports: [...hostports],
    backend: { backend: { name: "b0" } },
  });
  const certificate = manifest("TLSCertificate", "cert", {
    certificate_pem: "CERT",
    private_key_pem: Secret.of(pem, "env PEM"),
  });
  return [...backends, edge, certificate];
}

const key = "0".repeat(64);

interface Seen {
  readonly manifests: readonly Manifest[];
  readonly account?: Account;
  readonly options?: Partial<PlanOptions>;
  readonly subject?: Partial<DigestedEffect>;
  readonly key?: string;
}

function effectsSeen({ account = new Account(), manifests, options = {}, ...more }: Seen) {
  const { plan, states } = planWithStates(manifests, account.live(), { ...defaults, ...options });
  const addresses = plan.changes.map(({ address }) => address);
  const source = { states, resolveSecret: secretResolver(manifests), key: more.key ?? key };
  return effectsOf(plan, effectSidesOf(plan, addresses, source));
}

function digestOf(seen: Seen): string {
  const subject = { nonce: "1".repeat(64), account: "main", baseUrl: "http://model.example", marker: "test" };
  return effectDigest({ ...subject, ...seen.subject, effects: effectsSeen(seen) });
}

const worlds: fc.Arbitrary<World> = fc.record({
  texts: fc.array(fc.constantFrom("one", "two", "three", "four"), { minLength: 1, maxLength: 4 }),
  status: fc.constantFrom(200, 404, 503),
  hostports: fc.uniqueArray(fc.constantFrom("a.example.com:443", "b.example.com:443", "c.example.com:443"), {
    minLength: 1,
  }),
  pem: fc.constantFrom("K3Y-TEXT", "OTHER-TEXT"),
});

function reworded(manifests: readonly Manifest[], order: readonly number[]): readonly Manifest[] {
  return manifests
    .map((one, index) => {
      const rank = order[index % order.length] ?? 0;
      const spec = Object.fromEntries(Object.entries(one.spec).toReversed());
      return { rank, one: { ...one, spec, source: { file: `other/${rank}.yaml`, line: rank + 7 } } };
    })
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ one }) => one);
}

describe("the digest of what waits", () => {
  it("is the same for the same effect, and another for every other", () => {
    fc.assert(
      fc.property(worlds, worlds, fc.array(fc.nat(9), { minLength: 1 }), (one, other, order) => {
        const first = digestOf({ manifests: manifestsOf(one) });
        const provenance = {
          commit: "c".repeat(40),
          selection: { only: null, labels: [], files: null, prune: true },
          relaxations: { allow: [], maxDeletes: null, allowEmpty: false, takeOver: false, destroy: false },
        };
        expect(digestOf({ manifests: reworded(manifestsOf(one), order), options: { provenance } })).toBe(first);
        const normal = ({ hostports, ...rest }: World) => JSON.stringify({ ...rest, hostports: hostports.toSorted() });
        const isSame = normal(one) === normal(other);
        expect(digestOf({ manifests: manifestsOf(other) }) === first).toBe(isSame);
      }),
      runs(40),
    );
  });

  it("depends on the occurrence, the account, where it is, the stack, the key and the secret", () => {
    const manifests = manifestsOf(world);
    const digests = [
      digestOf({ manifests }),
      digestOf({ manifests, subject: { nonce: "2".repeat(64) } }),
      digestOf({ manifests, subject: { account: "other" } }),
      digestOf({ manifests, subject: { baseUrl: "http://other.example" } }),
      digestOf({ manifests, subject: { marker: "other" } }),
      digestOf({ manifests, key: "1".repeat(64) }),
      digestOf({ manifests: manifestsOf({ ...world, pem: "PEM2" }) }),
      digestOf({ manifests: manifests.toSpliced(1, 1) }),
    ];
    expect(new Set(digests).size).toBe(digests.length);
    expect(JSON.stringify(effectsSeen({ manifests }))).not.toContain(world.pem);
  });

  it("depends on what is live before: what would be overwritten, deleted, or is another resource", () => {
    const make = (change: (account: Account) => void): Account => {
      const account = new Account();
      account.carryOut(planWithStates(manifestsOf(world), account.live(), defaults).plan);
      change(account);
      return account;
    };
    const desired = manifestsOf({ ...world, status: 404 });
    const patch = (name: string, body: Json) => (account: Account) =>
      account.meddle(`HTTPResponseBackend/${name}`, body);
    const options = { allowEmpty: true, maxDeletes: { count: 100 } };
    const digests = [
      digestOf({ manifests: desired, account: make(() => undefined) }),
      digestOf({ manifests: desired, account: make(patch("b0", { status_code: 500 })) }),
      digestOf({ manifests: desired, account: make(patch("b0", { description: "by hand" })) }),
      digestOf({ manifests: [], account: make(() => undefined), options }),
      digestOf({ manifests: [], account: make(patch("b1", { description: "by hand" })), options }),
    ];
    expect(new Set(digests).size).toBe(digests.length);
  });
});

describe("what an approval covers", () => {
  it("is every part of what was approved, and nothing else", () => {
    const all = effectsSeen({ manifests: manifestsOf(world) });
    const approved = approvedChanges(all);
    const addresses = all.map(({ address }) => address);
    expect(coveredBy(approved, all)).toEqual(addresses);
    fc.assert(
      fc.property(fc.subarray([...all]), (some) => {
        expect(coveredBy(approved, some)).toEqual(some.map(({ address }) => address));
        expect(coveredBy(approvedChanges(some), all)).toEqual(some.map(({ address }) => address));
      }),
      runs(),
    );
    const others = effectsSeen({ manifests: manifestsOf({ ...world, texts: ["one", "2", "three"], pem: "PEM2" }) });
    expect(coveredBy(approved, others).toSorted()).toEqual(
      addresses.filter((address) => !/b1|cert/.test(address)).toSorted(),
    );
  });

  it("is a part of an update, and the second half of a replacement", () => {
    const field = (path: string, after: Json = 1) => ({ path, before: 0, after, sensitive: false, unknown: false });
    const change = {
      address: "HTTPResponseBackend/b" as const,
      action: "update" as const,
      id: "bkdhr_1",
      fields: [field("spec.a"), field("spec.b")],
      desired: "x",
      lost: null,
      secrets: [],
    };
    const approved = approvedChanges([change]);
    expect(coveredBy(approved, [{ ...change, fields: [field("spec.a")] }])).toHaveLength(1);
    for (const other of [
      { ...change, fields: [field("spec.a", 2)] },
      { ...change, fields: [...change.fields, field("spec.c")] },
      { ...change, id: "bkdhr_2" },
      { ...change, desired: "y" },
      { ...change, action: "delete" as const, lost: "x" },
      { ...change, secrets: [{ reference: "r", source: "env A", hmac: null }] },
    ])
      expect(coveredBy(approved, [other])).toEqual([]);
    const replaced = approvedChanges([{ ...change, action: "replace", lost: "old" }]);
    expect(coveredBy(replaced, [{ ...change, action: "create", id: null }])).toHaveLength(1);
    expect(coveredBy(replaced, [{ ...change, action: "create", id: null, desired: "y" }])).toEqual([]);
    expect(coveredBy(replaced, [{ ...change, action: "replace", lost: "new" }])).toEqual([]);
    expect(coveredBy(approved, [{ ...change, action: "create", id: null }])).toEqual([]);
  });
});
