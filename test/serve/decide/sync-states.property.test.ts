import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Address } from "../../../src/kinds/names.ts";
import type { Manifest } from "../../../src/manifest/manifest.ts";
import { compareAll, plan } from "../../../src/plan/make-plan.ts";
import type { PlanOptions } from "../../../src/plan/plan-context.ts";
import { closuresIn } from "../../../src/plan/selection.ts";
import { planWithStates } from "../../../src/serve/decide/sync-states.ts";
import { runs } from "../../support/runs.ts";
import { allow, manifestsOf, worlds } from "../../support/worlds.ts";
import { Account, defaults } from "../../plan/support/account.ts";

const permissive: PlanOptions = { ...defaults, allow, maxDeletes: { count: 1000 }, allowEmpty: true };

const services = fc.constantFrom(
  { moduleEndpoints: ["backend", "ip_restriction"] as const, deleteReferenced: "refuse" as const },
  { moduleEndpoints: [], deleteReferenced: "dangle" as const },
);

function look(account: Account, desired: readonly Manifest[], more: Partial<PlanOptions> = {}) {
  const options = { ...permissive, ...more };
  const closureOf = closuresIn(compareAll(desired, account.live(), options));
  return { ...planWithStates(desired, account.live(), options), closureOf };
}

/** Every address whose two sides are not the same. */
function differing({ states }: ReturnType<typeof look>): readonly Address[] {
  return [...states].flatMap(([address, { desired, live }]) => (desired === live ? [] : [address])).toSorted();
}

describe("the states of a stack", () => {
  it("differ for exactly the addresses that the plan changes, also when a run was cut and begun anew", () => {
    fc.assert(
      fc.property(worlds, worlds, fc.nat({ max: 8 }), services, (from, to, cut, service) => {
        const account = new Account(service);
        const { moduleEndpoints } = service;
        account.run(account.plan(manifestsOf(from), { ...permissive, moduleEndpoints }));
        for (const limit of [cut, cut, Number.POSITIVE_INFINITY]) {
          const found = look(account, manifestsOf(to), { moduleEndpoints });
          expect(found.plan).toEqual(plan(manifestsOf(to), account.live(), { ...permissive, moduleEndpoints }));
          // What is left of a replacement that was cut has a change, and no field that differs.
          const changed = found.plan.changes.map(({ address }) => address).toSorted();
          expect(differing(found)).toEqual(changed);
          account.run(found.plan, () => 0, limit);
        }
        expect(differing(look(account, manifestsOf(to), { moduleEndpoints }))).toEqual([]);
      }),
      runs(40),
    );
  });
});

describe("the closures of a stack", () => {
  it("are those of the parts together, and a plan of some addresses touches nothing else", () => {
    fc.assert(
      fc.property(worlds, worlds, fc.infiniteStream(fc.nat()), (from, to, chance) => {
        const account = new Account();
        account.run(account.plan(manifestsOf(from), permissive));
        const found = look(account, manifestsOf(to));
        const all = found.plan.changes.map(({ address }) => address);
        const some = all.filter(() => (chance.next().value ?? 0) % 2 === 0);
        const union = new Set(some.flatMap((address) => [...found.closureOf([address])]));
        for (const address of union)
          for (const other of found.closureOf([address])) expect(union.has(other)).toBe(true);
        const chosen = look(account, manifestsOf(to), { only: [...union] }).plan;
        expect(chosen.changes.map(({ address }) => address)).toEqual(all.filter((address) => union.has(address)));
        for (const { address } of chosen.operations) expect(union.has(address)).toBe(true);
      }),
      runs(40),
    );
  });
});
