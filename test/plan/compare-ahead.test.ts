import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { type ListedKind, listedKinds } from "../../src/kinds/names.ts";
import { kinds } from "../../src/kinds/registry.ts";
import type { Live } from "../../src/live/live.ts";
import type { Manifest } from "../../src/manifest/manifest.ts";
import { CompareAhead } from "../../src/plan/compare-ahead.ts";
import { plan } from "../../src/plan/make-plan.ts";
import type { PlanOptions } from "../../src/plan/options.ts";
import { runs } from "../support/runs.ts";
import { allow, inAnyOrder, manifestsOf, worlds } from "../support/worlds.ts";
import { Account, defaults } from "./support/account.ts";
import { address, backend, edge } from "./support/manifests.ts";

const permissive: PlanOptions = { ...defaults, allow, maxDeletes: { count: 1000 }, allowEmpty: true };

/** The manifests in two parts and the lists in pages of up to three, as work to be done ahead. */
function tasksOf(ahead: CompareAhead, desired: readonly Manifest[], { lists }: Pick<Live, "lists">): Task[] {
  const pages = listedKinds.flatMap((kind: ListedKind) =>
    Array.from({ length: Math.ceil(lists[kind].length / 3) }, (_, page) =>
      ahead.takePage(kind, lists[kind].slice(page * 3, page * 3 + 3)),
    ),
  );
  const half = Math.floor(desired.length / 2);
  return [...pages, ahead.takeManifests(desired.slice(0, half)), ahead.takeManifests(desired.slice(half))];
}

type Task = Generator<undefined, void>;

/** Runs a task to its end. */
function finish(task: Task): void {
  while (task.next().done !== true);
}

/** Everything done ahead. */
function allAhead(desired: readonly Manifest[], live: Live, options: PlanOptions = defaults): CompareAhead {
  const ahead = new CompareAhead(options);
  for (const task of tasksOf(ahead, desired, live)) finish(task);
  return ahead;
}

/** How often any field is brought to normal form or compared meanwhile. */
function countingWork(work: () => void): number {
  let calls = 0;
  const codecs = new Set(Object.values(kinds).flatMap(({ fieldList }) => fieldList.map(({ field }) => field.codec)));
  const spies = [...codecs].flatMap((codec) =>
    (["fromManifest", "fromWire", "same"] as const).map((name) => vi.spyOn(codec, name)),
  );
  try {
    work();
    calls = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return calls;
}

const manifests = (): readonly Manifest[] => [
  backend("page", { status_code: 503, headers: { "x-a": "b" } }),
  address("tcp"),
  ...["a", "b", "c"].map((name) =>
    edge(name, {
      hostports: [`${name}.example:443`],
      backend: { enabled: true, backend: { name: "page" } },
      traffic_policy: { value: { on_tcp_connect: [{ actions: [{ type: "log" }] }] } },
    }),
  ),
];

/** An account that matches its manifests. */
function applied(desired: readonly Manifest[]): Live {
  const account = new Account();
  account.run(account.plan(desired, permissive));
  return account.live();
}

describe("what was compared ahead", () => {
  it("gives the very plan that is made without it, in whatever order things come, and wherever it is cut off", () => {
    fc.assert(
      fc.property(
        worlds,
        worlds,
        fc.nat({ max: 8 }),
        fc.boolean(),
        fc.infiniteStream(fc.nat()),
        fc.nat({ max: 30 }),
        (from, to, cut, complete, chance, steps) => {
          const account = new Account();
          account.run(account.plan(manifestsOf(from), permissive));
          account.run(account.plan(manifestsOf(to), permissive), () => 0, complete ? Number.POSITIVE_INFINITY : cut);
          const live = account.live();
          const desired = manifestsOf(to);
          const ahead = new CompareAhead(permissive);
          let left = complete ? Number.POSITIVE_INFINITY : steps;
          for (const task of inAnyOrder(tasksOf(ahead, desired, live), chance)) {
            while (left > 0 && task.next().done !== true) left -= 1;
            left -= 1;
          }
          const fresh = plan(manifestsOf(to), account.live(), permissive);
          expect(JSON.stringify(plan(desired, live, permissive, ahead.forms))).toBe(JSON.stringify(fresh));
        },
      ),
      runs(50),
    );
  });

  it("waits for what is referred to, which may come on a later page", () => {
    const desired = manifests();
    const live = applied(desired);
    const options = { ...defaults, rehearse: false };
    const edgesFirst = (): CompareAhead => {
      const ahead = new CompareAhead(defaults);
      finish(ahead.takeManifests(desired));
      finish(ahead.takePage("TLSEdge", live.lists.TLSEdge));
      return ahead;
    };
    const { forms: withoutBackends } = edgesFirst();
    expect(countingWork(() => plan(desired, live, options, withoutBackends))).toBeGreaterThan(0);
    const ahead = edgesFirst();
    finish(ahead.takePage("HTTPResponseBackend", live.lists.HTTPResponseBackend));
    finish(ahead.takePage("ReservedAddress", live.lists.ReservedAddress));
    expect(countingWork(() => plan(desired, live, options, ahead.forms))).toBe(0);
  });

  it("is void when a reference stands for something else now", () => {
    const desired = manifests();
    const live = applied(desired);
    const { forms } = allAhead(desired, live);
    const [page] = live.lists.HTTPResponseBackend;
    const moved = { ...live.lists, HTTPResponseBackend: [{ ...page, id: "bkdhr_other" }] };
    const { changes } = plan(desired, { ...live, lists: moved }, { ...defaults, rehearse: false }, forms);
    expect(changes.map(({ address: of }) => of)).toEqual(["TLSEdge/a", "TLSEdge/b", "TLSEdge/c"]);
  });
});
