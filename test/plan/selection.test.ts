import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Address } from "../../src/kinds/names.ts";
import type { Manifest } from "../../src/manifest/manifest.ts";
import { Account, bodyOf, operationsOf, refusal, refusals, writes } from "./support/account.ts";
import { runs } from "../support/runs.ts";
import { allow, manifestsOf, worlds } from "../support/worlds.ts";
import { address, backend, edge, loose, restriction } from "./support/manifests.ts";

const permissive = { allow, maxDeletes: { count: 1000 }, allowEmpty: true };

function only(account: Account, desired: readonly Manifest[], ...chosen: readonly Address[]): readonly string[] {
  const plan = account.plan(desired, { only: chosen, allow: ["ReservedAddress/tcp"] });
  expect(plan.refusals).toEqual([]);
  return plan.changes.map((change) => change.address);
}

describe("--only", () => {
  it("plans for the named ones and what they refer to, nothing else", () => {
    const desired = [
      backend("b"),
      backend("unrelated"),
      address("a"),
      edge("e", { hostports: [{ address: "a" }], backend: { backend: { name: "b" } } }),
      edge("other"),
    ];
    expect(only(new Account(), desired, "TLSEdge/e")).toEqual([
      "TLSEdge/e",
      "ReservedAddress/a",
      "HTTPResponseBackend/b",
    ]);
    expect(only(new Account(), desired, "HTTPResponseBackend/b")).toEqual(["HTTPResponseBackend/b"]);
    expect(only(new Account(), desired, "HTTPResponseBackend/b", "TLSEdge/other")).toEqual([
      "TLSEdge/other",
      "HTTPResponseBackend/b",
    ]);
  });

  it("takes in whoever holds a hostport that is to be taken, and so on along the chain", () => {
    const account = new Account();
    account.apply([edge("a"), edge("b"), edge("c"), edge("d")]);
    const moved = [
      edge("a", { hostports: ["b.example.com:443"] }),
      edge("b", { hostports: ["c.example.com:443"] }),
      edge("c", { hostports: ["z.example.com:443"] }),
      edge("d", { description: "d" }),
    ];
    expect(only(account, moved, "TLSEdge/a")).toEqual(["TLSEdge/a", "TLSEdge/b", "TLSEdge/c"]);
    expect(only(account, moved, "TLSEdge/c")).toEqual(["TLSEdge/c"]);
  });

  it("deletes nothing that is not named: neither who holds what is taken, nor who refers to what is deleted", () => {
    const account = new Account();
    account.apply([backend("b"), edge("old", { backend: { backend: { name: "b" } } }), edge("unrelated")]);
    const desired = [edge("new", { hostports: ["old.example.com:443"] })];
    const found = refusal(account.plan(desired, { only: ["TLSEdge/new"] }));
    expect(found).toMatchObject({ code: "address-in-use", address: "TLSEdge/new" });
    expect(found.message).toContain("by TLSEdge/old");
    expect(found.remedy).toContain("include TLSEdge/old");
    expect(refusals(account.plan(desired, { only: ["HTTPResponseBackend/b"] }))).toEqual(["still-referenced"]);
    const both = only(account, desired, "TLSEdge/new", "TLSEdge/old", "HTTPResponseBackend/b");
    expect(both).toEqual(["TLSEdge/new", "TLSEdge/old", "HTTPResponseBackend/b"]);
  });

  it("deletes a named leftover with who still refers to it brought along, and no other", () => {
    const account = new Account();
    account.apply([
      backend("gone"),
      backend("too"),
      backend("b"),
      edge("e", { backend: { backend: { name: "gone" } } }),
    ]);
    const desired = [backend("b"), edge("e", { backend: { backend: { name: "b" } } })];
    expect(only(account, desired, "HTTPResponseBackend/gone")).toEqual(["TLSEdge/e", "HTTPResponseBackend/gone"]);
    expect(only(account, desired, "HTTPResponseBackend/too")).toEqual(["HTTPResponseBackend/too"]);
  });

  it("leaves out refusals that concern others", () => {
    const account = new Account();
    account.apply([address("protected"), edge("e")]);
    const desired = [edge("e", { description: "d" }), restriction("api", { type: "api" })];
    expect(refusals(account.plan(desired, { only: ["TLSEdge/e"] }))).toEqual([]);
    expect(refusals(account.plan(desired))).toEqual(["lockout", "deletion-protected", "irreversible"]);
  });

  it("is a mistake for an address that nothing has", () => {
    const account = new Account();
    expect(() => account.plan([edge("e")], { only: ["TLSEdge/typo"] })).toThrow(/TLSEdge\/typo not found/u);
    expect(() => account.plan([edge("e")], { only: ["TLSEdge/typo"], again: true })).not.toThrow();
  });
});

describe("--exclude", () => {
  it("leaves out the named ones and what can't go without them, deletes included", () => {
    const account = new Account();
    account.apply([backend("b"), backend("old"), backend("x"), edge("a"), edge("e")]);
    const desired = [
      backend("b", { description: "d" }),
      backend("new"),
      edge("a", { hostports: ["e.example.com:443"] }),
      edge("e", { hostports: ["z.example.com:443"], backend: { backend: { name: "b" } } }),
      edge("f", { backend: { backend: { name: "new" } } }),
    ];
    const without = (...exclude: readonly Address[]): readonly string[] => {
      const plan = account.plan(desired, { exclude });
      expect(plan.refusals).toEqual([]);
      return plan.changes.map((change) => `${change.action} ${change.address}`);
    };
    expect(without("HTTPResponseBackend/old", "HTTPResponseBackend/new", "HTTPResponseBackend/b")).toEqual([
      "update TLSEdge/a",
      "update TLSEdge/e",
      "delete HTTPResponseBackend/x",
    ]);
    // What one edge gives up nobody would serve, and what it keeps nobody else can take.
    for (const excluded of ["TLSEdge/a", "TLSEdge/e"] as const)
      expect(without(excluded).filter((change) => /\/[ae]$/u.test(change))).toEqual([]);
    expect(() => without("TLSEdge/typo")).toThrow(/TLSEdge\/typo not found/u);
  });

  it("never writes what is excluded, and a later full apply converges", () => {
    fc.assert(
      fc.property(worlds, worlds, fc.infiniteStream(fc.nat()), (from, to, chance) => {
        const account = new Account({ moduleEndpoints: ["backend", "ip_restriction"] });
        const options = { moduleEndpoints: ["backend", "ip_restriction"], ...permissive };
        account.apply(manifestsOf(from), options);
        const desired = manifestsOf(to);
        const changes = account.plan(desired, options).changes.map((change) => change.address);
        const exclude = changes.filter(() => Number(chance.next().value) % 3 === 0);
        const plan = account.plan(desired, { ...options, exclude });
        expect(plan.refusals).toEqual([]);
        expect(plan.operations.map((one) => one.address).filter((one) => exclude.includes(one))).toEqual([]);
        expect(account.run(plan).troubles).toEqual([]);
        expect(account.plan(desired, { ...options, exclude, again: true }).changes).toEqual([]);
        account.apply(desired, options);
        expect(account.plan(desired, options).changes).toEqual([]);
      }),
      runs(15),
    );
  });
});

describe("names that no manifest has", () => {
  it("are a mistake with a place", () => {
    const account = new Account();
    account.apply([backend("b")]);
    const desired = [edge("e", { backend: { backend: { name: "b" } } })];
    expect(() => account.plan(desired)).toThrow(/edge\/all\.yaml:1: TLSEdge\/e refers to HTTPResponseBackend\/b/u);
  });

  it("are looked up among the live owned ones when asked to", () => {
    const account = new Account();
    account.apply([backend("b"), loose("a")]);
    account.apply([backend("theirs")], { stack: "other" });
    const options = { lookUp: true, prune: false };
    const plan = account.plan(
      [edge("e", { hostports: [{ address: "a" }], backend: { backend: { name: "b" } } })],
      options,
    );
    expect(writes(plan)).toEqual(["POST /edges/tls"]);
    expect(bodyOf(plan, "TLSEdge/e")).toMatchObject({
      hostports: [account.one("ReservedAddress/a")["addr"]],
      backend: { backend_id: account.id("HTTPResponseBackend/b") },
    });
    expect(operationsOf(plan, "TLSEdge/e")[0]?.bind).toEqual({});
    expect(plan.preconditions.map((one) => one.address)).toEqual(["ReservedAddress/a", "HTTPResponseBackend/b"]);
    const foreign = [edge("e", { backend: { backend: { name: "theirs" } } })];
    expect(() => account.plan(foreign, options)).toThrow(/the stack doesn't own/u);
  });
});
