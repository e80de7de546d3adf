import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { lockMetadata } from "../../src/kinds/lock-object.ts";
import { type ListedKind, listedKinds } from "../../src/kinds/names.ts";
import { kinds } from "../../src/kinds/registry.ts";
import type { Live } from "../../src/live/live.ts";
import type { Manifest } from "../../src/manifest/manifest.ts";
import { CompareAhead } from "../../src/plan/compare-ahead.ts";
import { plan } from "../../src/plan/make-plan.ts";
import type { PlanOptions } from "../../src/plan/options.ts";
import { hostileLists } from "../support/hostile-worlds.ts";
import { runs } from "../support/runs.ts";
import { allow, inAnyOrder, manifestsOf, worlds } from "../support/worlds.ts";
import { Account, defaults } from "./support/account.ts";
import { address, backend, edge, lifecycle } from "./support/manifests.ts";

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
      runs(150),
    );
  });

  it("stands for nothing that is odd: lists of a service that returns anything give the same plan", () => {
    fc.assert(
      fc.property(worlds, hostileLists, (world, lists) => {
        const desired = manifestsOf(world);
        const live: Live = { lists, unreadable: [], modules: [] };
        const options = { ...permissive, rehearse: false };
        const made = (forms?: CompareAhead["forms"]): string => {
          try {
            return JSON.stringify(plan(desired, live, options, forms));
          } catch (error) {
            return String(error);
          }
        };
        expect(made(allAhead(desired, live, options).forms)).toBe(made());
      }),
      runs(60),
    );
  });

  it("is not done again: of an unchanged account the plan normalizes and compares nothing", () => {
    const desired = manifests();
    const live = applied(desired);
    const { forms } = allAhead(desired, live);
    const options = { ...defaults, rehearse: false };
    expect(countingWork(() => plan(desired, live, options))).toBeGreaterThan(0);
    expect(countingWork(() => expect(plan(desired, live, options, forms).changes).toEqual([]))).toBe(0);
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

  it("is void when it was compared in another way", () => {
    const desired = [backend("a", { status_code: 503, description: "mine" })];
    const live = applied(desired);
    const ignoring = desired.map((one) => ({ ...one, ...lifecycle({ ignore: ["spec.description"] }) }));
    const [wire] = live.lists.HTTPResponseBackend;
    const lists = { ...live.lists, HTTPResponseBackend: [{ ...wire, description: "theirs" }] };
    const changed = { ...live, lists };
    const { forms } = allAhead(ignoring, changed);
    const options = { ...defaults, rehearse: false };
    expect(plan(ignoring, changed, options, forms).changes).toEqual([]);
    // The same spec, described by a manifest that ignores nothing.
    expect(plan(desired, changed, options, forms).changes).toHaveLength(1);
  });

  it("is void for another of the same stacks, which has its own name written to every marker", () => {
    const desired = manifests();
    const live = applied(desired);
    const { forms } = allAhead(desired, live, { ...defaults, previousStacks: ["former"] });
    const former = { ...defaults, stack: "former", previousStacks: [defaults.stack], rehearse: false };
    const made = plan(desired, live, former, forms);
    expect(made.changes.map(({ action }) => action)).toEqual(desired.map(() => "update"));
    expect(JSON.stringify(made)).toBe(JSON.stringify(plan(desired, live, former)));
  });

  it("leaves the marker to the plan: a spec may be the same, and what becomes of it without a manifest not", () => {
    const live = applied([backend("a", { status_code: 503 })]);
    const desired = [{ ...backend("a", { status_code: 503 }), ...lifecycle({ deletion: "orphan" }) }];
    const options = { ...defaults, rehearse: false };
    const { changes } = plan(desired, live, options, allAhead(desired, live).forms);
    expect(changes.map(({ action, address: of }) => [of, action])).toEqual([["HTTPResponseBackend/a", "update"]]);
  });

  it("says nothing about what a reference by id or address leads to, which may be gone", () => {
    const account = new Account();
    const others = [backend("page"), address("tcp")];
    account.run(account.plan(others, permissive));
    const [page] = account.live().lists.HTTPResponseBackend;
    const desired = [
      edge("by-id", { backend: { enabled: true, backend: { id: String(page?.["id"]) } } }),
      edge("by-address", { hostports: ["1.tcp.example:20001"] }),
    ];
    account.run(account.plan([...others, ...desired], permissive));
    const whole = account.live();
    const gone: Live = { ...whole, lists: { ...whole.lists, HTTPResponseBackend: [] } };
    const options = { ...defaults, rehearse: false, prune: false };
    const { forms } = allAhead(desired, gone);
    const { changes, refusals } = plan(desired, gone, options, forms);
    expect(changes).toEqual([]);
    expect(refusals.map(({ address: of, code }) => [of, code])).toEqual([
      ["TLSEdge/by-address", "reference-not-live"],
      ["TLSEdge/by-id", "reference-not-live"],
    ]);
    expect(refusals).toEqual(plan(desired, gone, options).refusals);
  });

  it("holds although a lock is among the resources, as in every plan of an apply", () => {
    const desired = manifests();
    const live = applied(desired);
    const metadata = lockMetadata({ stack: "test", run: "r", by: "ann", until: "2030-01-01T00:00:00.000Z" });
    const lock = { id: "bkdhr_lock", status_code: 503, metadata };
    const listed = { ...live.lists, HTTPResponseBackend: [lock, ...live.lists.HTTPResponseBackend] };
    const { forms } = allAhead(desired, { ...live, lists: listed });
    const options = { ...defaults, rehearse: false };
    expect(countingWork(() => expect(plan(desired, live, options, forms).changes).toEqual([]))).toBe(0);
  });

  it("is kept no longer than the lists that it is of", async () => {
    setFlagsFromString("--expose-gc");
    const collect: unknown = runInNewContext("gc");
    const { forms } = new CompareAhead(defaults);
    const index = (): WeakRef<object> => {
      const account = forms.accountOf(applied(manifests()).lists, new Set([defaults.stack]));
      if (account === null) throw new Error("the forms made no index");
      return new WeakRef(account);
    };
    const made = index();
    // What was looked at in this turn is alive until it ends.
    await setImmediate();
    if (typeof collect === "function") collect();
    expect(made.deref()).toBeUndefined();
    expect(forms).toBeDefined();
  });

  it("does the work in steps", () => {
    const many = Array.from({ length: 100 }, (_, index) => backend(`b${index}`, { status_code: 200 }));
    const ahead = new CompareAhead(defaults);
    const task = ahead.takeManifests(many);
    let steps = 1;
    while (task.next().done !== true) steps += 1;
    expect(steps).toBeGreaterThanOrEqual(5);
  });
});
