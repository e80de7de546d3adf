import { describe, expect, it } from "vitest";
import type { Address } from "../../../src/kinds/names.ts";
import type { Manifest } from "../../../src/manifest/manifest.ts";
import {
  type PlanWithStates,
  originsOf,
  planWithStates,
  syncedAfter,
} from "../../../src/serve/decide/change-origins.ts";
import type { StackMemory } from "../../../src/serve/records.ts";
import { Account, defaults, manifest } from "../../plan/support/account.ts";
import { backend, edge, lifecycle, loose } from "../../plan/support/manifests.ts";

type Synced = StackMemory["synced"];

const options = {
  ...defaults,
  allowEmpty: true,
  maxDeletes: { count: 100 },
  allow: ["ReservedAddress/a", "HTTPResponseBackend/b"],
};

class Kept {
  readonly account: Account;
  synced: Synced = {};

  constructor(account = new Account()) {
    this.account = account;
  }

  look(desired: readonly Manifest[]): PlanWithStates {
    const found = planWithStates(desired, this.account.live(), options);
    this.synced = syncedAfter(found.states, found.plan, this.synced);
    return found;
  }

  apply(...desired: readonly Manifest[]): this {
    const { plan } = this.look(desired);
    if (plan.refusals.length > 0) throw new Error(JSON.stringify(plan.refusals));
    this.account.carryOut(plan);
    if (this.look(desired).plan.changes.length > 0) throw new Error("it does not converge");
    return this;
  }

  origins(...desired: readonly Manifest[]): { readonly [address: string]: string } {
    return Object.fromEntries(originsOf(this.look(desired), this.synced));
  }

  meddle(which: Address, body: { readonly [member: string]: string | boolean | readonly string[] }): this {
    this.account.meddle(which, body);
    return this;
  }

  remove(which: Address): this {
    this.account.call("DELETE", this.account.path(which));
    return this;
  }
}

const cases: readonly (readonly [Address, Manifest, Manifest])[] = [
  ["TLSEdge/e", edge("e", { description: "a" }), edge("e", { description: "b" })],
  ["ReservedAddress/a", loose("a", { description: "a" }), loose("a", { description: "b" })],
];

describe("the origin of a change", () => {
  it.each(cases)("of %s is who changed it since it was last in sync", (which, before, after) => {
    const kept = (): Kept => new Kept().apply(before);
    expect(kept().origins(before)).toEqual({});
    expect(kept().origins(after)).toEqual({ [which]: "commit" });
    expect(kept().meddle(which, { description: "live" }).origins(before)).toEqual({ [which]: "drift" });
    expect(kept().meddle(which, { description: "live" }).origins(after)).toEqual({ [which]: "both" });
    expect(kept().meddle(which, { description: "b" }).origins(after)).toEqual({});
    expect(kept().meddle(which, { description: "b" }).origins(before)).toEqual({ [which]: "drift" });
  });

  it.each(cases)("of a missing or a superfluous %s is told by whether it was ever there", (which, before, after) => {
    expect(new Kept().origins(before)).toEqual({ [which]: "commit" });
    expect(new Kept().apply(before).remove(which).origins(before)).toEqual({ [which]: "drift" });
    expect(new Kept().apply(before).remove(which).origins(after)).toEqual({ [which]: "both" });
    expect(new Kept().apply(before).remove(which).origins()).toEqual({});
    expect(new Kept().apply(before).origins()).toEqual({ [which]: "commit" });
    expect(new Kept().apply(before).meddle(which, { description: "live" }).origins()).toEqual({ [which]: "both" });
  });

  it.each(cases)("of %s is both when it was never seen in sync", (which, before, after) => {
    const kept = new Kept().apply(before);
    kept.synced = {};
    expect(kept.origins(after)).toEqual({ [which]: "both" });
    kept.synced = {};
    expect(kept.origins()).toEqual({ [which]: "both" });
  });

  it("is forgotten with what is gone on both sides: a new one of that name is new", () => {
    const kept = new Kept().apply(backend("b")).apply();
    expect(kept.synced).toEqual({});
    expect(kept.origins(backend("b"))).toEqual({ "HTTPResponseBackend/b": "commit" });
  });

  it("is looked up under the former name of what is renamed, whose references stay what they are", () => {
    const using = (name: string, description = ""): Manifest =>
      edge("e", { description, backend: { backend: { name } } });
    const renamed = backend("new", {}, { previousNames: ["old"] });
    const kept = (): Kept => new Kept().apply(backend("old"), using("old"));
    expect(kept().origins(renamed, using("new"))).toEqual({ "HTTPResponseBackend/new": "commit" });
    expect(kept().origins(renamed, using("new", "x"))).toEqual({
      "HTTPResponseBackend/new": "commit",
      "TLSEdge/e": "commit",
    });
    const meddled = kept().meddle("TLSEdge/e", { description: "live" });
    expect(meddled.origins(renamed, using("new"))["TLSEdge/e"]).toBe("drift");
    const both = kept().meddle("HTTPResponseBackend/old", { body: "live" });
    expect(both.origins(renamed, using("new"))).toEqual({ "HTTPResponseBackend/new": "both" });
  });

  it("of what refers to something that somebody deleted is drift, as is that of what has to be made again", () => {
    const desired = [loose("a"), edge("e", { hostports: ["x.example.com:443", { address: "a" }] })];
    const kept = new Kept(new Account({ deleteReferenced: "dangle" })).apply(...desired).remove("ReservedAddress/a");
    expect(kept.origins(...desired)).toEqual({ "ReservedAddress/a": "drift", "TLSEdge/e": "drift" });
  });

  it("of a replacement is that of its cause, for what has to be re-pointed, too, also when a run was cut", () => {
    const desired = (region: string): Manifest[] => [
      loose("a", { region }),
      edge("e", { hostports: ["x.example.com:443", { address: "a" }] }),
    ];
    const commit = { "ReservedAddress/a": "commit", "TLSEdge/e": "commit" };
    for (const limit of [0, 1, 2]) {
      const kept = new Kept().apply(...desired("us"));
      const { plan } = kept.look(desired("eu"));
      expect(plan.operations).toHaveLength(3);
      expect(kept.account.run(plan, () => 0, limit).troubles).toEqual([]);
      const { "TLSEdge/e": pointing = "done", ...replaced } = kept.origins(...desired("eu"));
      expect(replaced).toEqual({ "ReservedAddress/a": "commit" });
      expect(pointing).toBe(limit === 2 ? "done" : commit["TLSEdge/e"]);
    }
  });

  it("of a list of references is who changed the list", () => {
    const serving = (...hosts: readonly string[]): Manifest =>
      edge("e", { hostports: hosts.map((host) => `${host}.example.com:443`) });
    const kept = (): Kept => new Kept().apply(serving("a", "b"));
    const live = (...hosts: readonly string[]): Kept =>
      kept().meddle("TLSEdge/e", { hostports: hosts.map((host) => `${host}.example.com:443`) });
    expect(kept().origins(serving("a", "b", "c"))).toEqual({ "TLSEdge/e": "commit" });
    expect(live("a").origins(serving("a", "b"))).toEqual({ "TLSEdge/e": "drift" });
    expect(live("a").origins(serving("a", "b", "c"))).toEqual({ "TLSEdge/e": "both" });
    expect(live("a", "x").origins(serving("a", "c"))).toEqual({ "TLSEdge/e": "both" });
    expect(live("a").origins(serving("a", "c"))).toEqual({ "TLSEdge/e": "both" });
    expect(kept().remove("TLSEdge/e").origins(serving("a"))).toEqual({ "TLSEdge/e": "both" });
    expect(live("a").origins()).toEqual({ "TLSEdge/e": "both" });
  });

  it("leaves out what the manifest leaves to live: ignored and inherited fields, whoever writes them", () => {
    const ignoring = (more: { readonly [field: string]: string }): Manifest =>
      edge("e", { tls_termination: { terminate_at: "edge" }, ...more }, lifecycle({ ignore: ["spec.description"] }));
    const kept = (): Kept => {
      const made = new Kept().apply(ignoring({}));
      made.account.call("PUT", `${made.account.path("TLSEdge/e")}/tls_termination`, { min_version: "1.3" });
      return made.meddle("TLSEdge/e", { description: "written by others" });
    };
    expect(kept().origins(ignoring({}))).toEqual({});
    const hostports = { hostports: ["new.example.com:443"] };
    const changed = manifest(
      "TLSEdge",
      "e",
      { ...ignoring({}).spec, ...hostports },
      { lifecycle: ignoring({}).lifecycle },
    );
    expect(kept().origins(changed)).toEqual({ "TLSEdge/e": "commit" });
    expect(
      kept()
        .meddle("TLSEdge/e", { hostports: ["live.example.com:443"] })
        .origins(ignoring({})),
    ).toEqual({
      "TLSEdge/e": "drift",
    });
    expect(kept().remove("TLSEdge/e").origins(ignoring({}))).toEqual({ "TLSEdge/e": "drift" });
    const looked = kept();
    looked.look([ignoring({})]);
    expect(looked.origins()).toEqual({ "TLSEdge/e": "commit" });
  });
});
