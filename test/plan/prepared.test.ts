import { describe, expect, it } from "vitest";
import { lists, manifests, stack } from "../../bench/account.mjs";
import { listedKinds } from "../../src/kinds/names.ts";
import { prepareSpec, prepareWire } from "../../src/kinds/normal-form.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { plan } from "../../src/library/library-api.ts";
import type { Live } from "../../src/live/live.ts";
import type { Manifest } from "../../src/manifest/manifest.ts";

const options = { stack, baseUrl: "https://api.example.com", toolVersion: "0" };

const account = (changed: boolean): { desired: readonly Manifest[]; live: Live } => ({
  desired: manifests(60) as unknown[] as Manifest[],
  live: { lists: lists(60, changed), unreadable: [], modules: [] },
});

describe("what was brought to normal form ahead", () => {
  it.each([false, true])("gives the very plan that it gives otherwise (changed: %s)", (changed) => {
    const prepared = account(changed);
    for (const { kind, spec } of prepared.desired) prepareSpec(kinds[kind], spec);
    for (const kind of listedKinds) for (const wire of prepared.live.lists[kind]) prepareWire(kinds[kind], wire);
    const fresh = account(changed);
    expect(JSON.stringify(plan(prepared.desired, prepared.live, options))).toBe(
      JSON.stringify(plan(fresh.desired, fresh.live, options)),
    );
  });

  it("is the one thing that is remembered: a caller may plan, change what was read, and plan again", () => {
    const { desired, live } = account(false);
    expect(plan(desired, live, options).changes).toEqual([]);
    const [first] = live.lists.TLSEdge;
    if (first === undefined) throw new Error("the account has no edges");
    Reflect.set(first, "description", "changed in place");
    expect(plan(desired, live, options).changes).toHaveLength(1);
  });
});
