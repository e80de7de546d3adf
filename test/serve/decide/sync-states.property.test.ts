import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Manifest } from "../../../src/manifest/manifest.ts";
import { compareAll, plan } from "../../../src/plan/make-plan.ts";
import type { PlanOptions } from "../../../src/plan/plan-context.ts";
import { closuresIn } from "../../../src/plan/selection.ts";
import { syncedAfter } from "../../../src/serve/decide/change-origins.ts";
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

function synced({ plan: found, states }: ReturnType<typeof look>): readonly string[] {
  return Object.keys(syncedAfter(states, found, {})).toSorted();
}

describe("the states of a stack", () => {
  it("are in sync for exactly the addresses that the plan leaves, also when a run was cut and begun anew", () => {
    fc.assert(
      fc.property(worlds, worlds, fc.nat({ max: 8 }), services, (from, to, cut, service) => {
        const account = new Account(service);
        const { moduleEndpoints } = service;
        account.run(account.plan(manifestsOf(from), { ...permissive, moduleEndpoints }));
        for (const limit of [cut, cut, Number.POSITIVE_INFINITY]) {
          const found = look(account, manifestsOf(to), { moduleEndpoints });
          expect(found.plan).toEqual(plan(manifestsOf(to), account.live(), { ...permissive, moduleEndpoints }));
          const changed = new Set(found.plan.changes.map(({ address }) => address));
          const left = manifestsOf(to).flatMap(({ address }) => (changed.has(address) ? [] : [address]));
          expect(synced(found)).toEqual(left.toSorted());
          account.run(found.plan, () => 0, limit);
        }
        const all = manifestsOf(to).map(({ address }) => address);
        expect(synced(look(account, manifestsOf(to), { moduleEndpoints }))).toEqual(all.toSorted());
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
