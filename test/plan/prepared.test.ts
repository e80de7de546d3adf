import { describe, expect, it } from "vitest";
import { lists, manifests, stack } from "../../bench/account.mjs";
import { forListedKinds, listedKinds } from "../../src/kinds/names.ts";
import { NormalForms } from "../../src/kinds/normal-form.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { plan } from "../../src/plan/make-plan.ts";
import { defaults } from "./support/account.ts";
import type { Live } from "../../src/live/live.ts";
import type { Manifest } from "../../src/manifest/manifest.ts";

const options = { ...defaults, stack };

const account = (changed: boolean): { desired: readonly Manifest[]; live: Live } => ({
  desired: manifests(60) as unknown[] as Manifest[],
  live: { lists: { ...forListedKinds(() => []), ...lists(60, changed) }, unreadable: [], modules: [] },
});

/** The normal forms of everything in an account. */
function prepared({ desired, live }: { readonly desired: readonly Manifest[]; readonly live: Live }): NormalForms {
  const normalForms = new NormalForms();
  for (const { kind, spec } of desired) normalForms.prepareSpec(kinds[kind], spec);
  for (const kind of listedKinds) for (const wire of live.lists[kind]) normalForms.prepareWire(kinds[kind], wire);
  return normalForms;
}

describe("what was brought to normal form ahead", () => {
  it.each([false, true])("gives the very plan that it gives otherwise (changed: %s)", (changed) => {
    const { desired, live } = account(changed);
    const fresh = account(changed);
    expect(JSON.stringify(plan(desired, live, options, prepared({ desired, live })))).toBe(
      JSON.stringify(plan(fresh.desired, fresh.live, options)),
    );
  });

  it("counts only where it is passed in: a live resource that was changed in place is read afresh", () => {
    const { desired, live } = account(false);
    expect(plan(desired, live, options, prepared({ desired, live })).changes).toEqual([]);
    const [first] = live.lists.TLSEdge;
    if (first === undefined) throw new Error("the account has no edges");
    Reflect.set(first, "description", "changed in place");
    expect(plan(desired, live, options).changes).toHaveLength(1);
    expect(plan(desired, live, options, prepared({ desired, live })).changes).toHaveLength(1);
  });

  it("counts only where it is passed in: a manifest that was changed in place is read afresh", () => {
    const { desired, live } = account(false);
    expect(plan(desired, live, options, prepared({ desired, live })).changes).toEqual([]);
    const first = desired.find(({ kind }) => kind === "TLSEdge");
    if (first === undefined) throw new Error("the account has no edges");
    Reflect.set(first.spec, "description", "changed in place");
    expect(plan(desired, live, options).changes).toHaveLength(1);
  });

  it("is not filled by planning: a caller may plan, change what was read, and plan again", () => {
    const { desired, live } = account(false);
    const normalForms = new NormalForms();
    expect(plan(desired, live, options, normalForms).changes).toEqual([]);
    const [first] = live.lists.TLSEdge;
    if (first === undefined) throw new Error("the account has no edges");
    Reflect.set(first, "description", "changed in place");
    expect(plan(desired, live, options, normalForms).changes).toHaveLength(1);
  });
});
