import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isObject } from "../../src/core/json.ts";
import { annotateOrigins } from "../../src/plan/annotate-origins.ts";
import { type Drift, driftOf } from "../../src/plan/drift-findings.ts";
import { type World, allow, inAnyOrder, manifestsOf, worlds } from "../support/worlds.ts";
import { Account, manifest } from "./support/account.ts";
import { runs } from "../support/runs.ts";

const services = fc.constantFrom(
  { moduleEndpoints: ["backend", "ip_restriction"] as const, deleteReferenced: "refuse" as const },
  { moduleEndpoints: [], deleteReferenced: "dangle" as const },
  {
    moduleEndpoints: [],
    deleteReferenced: "dangle" as const,
    unsetModule: "empty" as const,
    unsetText: "omitted" as const,
  },
);

/** With --allow a backend may go although a disabled module still names it: that alone may dangle. */
function unexpected(troubles: readonly string[], service: { readonly deleteReferenced: string }): readonly string[] {
  return troubles.filter(
    (trouble) =>
      service.deleteReferenced === "refuse" ||
      !/refers to the HTTP response backend .* which does not exist/u.test(trouble),
  );
}

const permissive = { allow, maxDeletes: { count: 1000 }, allowEmpty: true };

function foreign(account: Account): string[] {
  const marked = JSON.stringify({ edgewise: { stack: "other", name: "one" } });
  account.call("POST", "/backends/http_response", { status_code: 200, metadata: marked });
  account.call("POST", "/edges/tls", { hostports: ["foreign.example.com:443"], metadata: "mine" });
  account.call("POST", "/reserved_addrs", { description: "unowned" });
  return foreignBytes(account);
}

function foreignBytes(account: Account): string[] {
  const { lists } = account.live();
  return Object.values(lists).flatMap((list) =>
    list
      .filter(
        ({ metadata, description, hostports }) =>
          metadata === "mine" ||
          String(metadata).includes('"other"') ||
          description === "unowned" ||
          JSON.stringify(hostports) === '["foreign.example.com:443"]',
      )
      .map((wire) => JSON.stringify(wire)),
  );
}

function passThrough(account: Account): void {
  for (const { id, metadata } of account.list("TLSEdge")) {
    if (!String(metadata).includes('"test"')) continue;
    for (const module of ["mutual_tls", "traffic_policy"]) {
      account.call("DELETE", `/edges/tls/${String(id)}/${module}`);
    }
    account.call("PUT", `/edges/tls/${String(id)}/tls_termination`, { terminate_at: "upstream" });
  }
}

function deleteBackends(account: Account): void {
  for (const { id, metadata } of account.list("HTTPResponseBackend")) {
    if (String(metadata).includes('"test"')) account.call("DELETE", `/backends/http_response/${String(id)}`);
  }
}

function endsTlsWhereMeant(account: Account, { edges }: World): boolean {
  return edges.every(({ inheriting, mode, name }) => {
    const termination = account.one(`TLSEdge/${name}`)["tls_termination"];
    const [where, version] = isObject(termination) ? [termination["terminate_at"], termination["min_version"]] : [];
    if (mode === "version") return where === "edge" && version === "1.3";
    if (mode === "policy" || mode === "both" || (mode === "mutual" && inheriting)) return where !== "upstream";
    return true;
  });
}

describe("from any state to any other", () => {
  it("converges, is refused nothing, breaks nothing on the way and touches nothing of others", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(worlds, fc.boolean()), { minLength: 1, maxLength: 4 }),
        services,
        fc.infiniteStream(fc.nat()),
        (states, service, chance) => {
          const account = new Account(service);
          const options = { ...permissive, moduleEndpoints: service.moduleEndpoints };
          const before = foreign(account);
          for (const [state, meddled] of states) {
            const desired = manifestsOf(state);
            if (meddled) passThrough(account);
            // Where all are referred to anew: a module that refers to nothing can't even be disabled.
            const renewed = state.edges.every(({ backend }) => state.backends.some(({ name }) => name === backend));
            if (meddled && renewed && service.deleteReferenced === "dangle") deleteBackends(account);
            const plan = account.plan(desired, options);
            expect(plan.refusals).toEqual([]);
            expect(plan.rehearsal).toEqual({ converges: true, steps: plan.operations.length });
            const { troubles } = account.run(plan, (count) => (chance.next().value ?? 0) % Math.max(1, count));
            expect(unexpected(troubles, service)).toEqual([]);
            const again = account.plan(desired, options);
            expect(again.changes).toEqual([]);
            expect(again.operations).toEqual([]);
            expect(endsTlsWhereMeant(account, state)).toBe(true);
            expect(unexpected(account.problems(), service)).toEqual([]);
          }
          expect(foreignBytes(account)).toEqual(before);
        },
      ),
      runs(50),
    );
  });

  it("is finished although the manifests change between runs that were cut", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(worlds, fc.nat({ max: 8 })), { minLength: 2, maxLength: 5 }),
        services,
        (states, service) => {
          const account = new Account(service);
          const options = { ...permissive, moduleEndpoints: service.moduleEndpoints };
          const before = foreign(account);
          for (const [world, limit] of states) {
            const plan = account.plan(manifestsOf(world), options);
            expect(plan.refusals).toEqual([]);
            expect(plan.warnings.map(({ code }) => code)).not.toContain("allowed-duplicate-marker");
            expect(unexpected(account.run(plan, () => 0, limit).troubles, service)).toEqual([]);
          }
          const desired = states.slice(-1).flatMap(([world]) => manifestsOf(world));
          account.run(account.plan(desired, options));
          expect(account.plan(desired, options)).toMatchObject({ changes: [], refusals: [] });
          const markers = Object.values(account.live().lists)
            .flat()
            .map(({ metadata }) => String(metadata));
          expect(markers.filter((text) => text.includes('"test"'))).toHaveLength(desired.length);
          expect(foreignBytes(account)).toEqual(before);
        },
      ),
      runs(25),
    );
  });

  it("is refused for exactly the edges that refer to something that is not live", () => {
    const reference = fc.constantFrom("live", "foreign kind", "gone", "address", "gone address");
    fc.assert(
      fc.property(worlds, fc.array(reference, { minLength: 1, maxLength: 4 }), (world, references) => {
        const account = new Account();
        account.apply(manifestsOf(world), permissive);
        const { id } = account.call("POST", "/backends/http_response", { status_code: 200 });
        const ids: { readonly [reference: string]: string } = {
          live: String(id),
          "foreign kind": "bkdtg_1",
          gone: "bkdhr_gone",
        };
        const edges = references.map((what, index) => {
          const { addr } = account.call("POST", "/reserved_addrs", {});
          const hostports = [what === "address" ? String(addr) : `9.tcp.gone.example:${20_000 + index}`];
          const backend = { backend: { backend: { id: ids[what] ?? "" } } };
          return manifest(
            "TLSEdge",
            `referring-${index}`,
            what.endsWith("address") ? { hostports } : { hostports: [`${index}.referring.example:443`], ...backend },
          );
        });
        const desired = [...manifestsOf(world), ...edges];
        const dead = edges.filter((_, index) => references[index]?.startsWith("gone")).map(({ address }) => address);
        const refused = account.plan(desired, permissive).refusals;
        expect(refused.map(({ address, code }) => `${code} ${address ?? ""}`).toSorted()).toEqual(
          dead.map((address) => `reference-not-live ${address}`).toSorted(),
        );
        const allowed = account.plan(desired, { ...permissive, allow: [...allow, ...dead] });
        expect(allowed).toMatchObject({ refusals: [], rehearsal: { converges: true } });
      }),
      runs(15),
    );
  });

  it("is pending and no drift while only the manifests moved on; what somebody did remains drift", () => {
    fc.assert(
      fc.property(worlds, worlds, services, (from, to, service) => {
        const account = new Account(service);
        const options = { ...permissive, moduleEndpoints: service.moduleEndpoints };
        const [atBase, now] = [manifestsOf(from), manifestsOf(to)];
        account.run(account.plan(atBase, options));
        const since = (): Drift => {
          const judged = { ...options, judged: "drift" } as const;
          const told = annotateOrigins(account.plan(now, judged), account.plan(atBase, judged), {
            base: "0",
            now,
            atBase,
          });
          const unapplied = account.plan(now, options).changes;
          return driftOf(told, account.live(), {
            stack: "test",
            previousStacks: [],
            unmanaged: false,
            expiresWithinMs: null,
            now: 0,
            unapplied,
          });
        };
        const before = since();
        expect(before.findings.filter(({ type }) => type !== "pending")).toEqual([]);
        expect(before.clean).toBe(true);
        expect(new Set(before.findings.map(({ address }) => address))).toEqual(
          new Set(account.plan(now, options).changes.map(({ address }) => address)),
        );
        const [victim] = account
          .live()
          .lists.HTTPResponseBackend.filter(({ metadata }) => String(metadata).includes('"test"'));
        if (victim === undefined) return;
        account.call("PATCH", `/backends/http_response/${String(victim["id"])}`, { body: "done by somebody" });
        expect(since()).toMatchObject({ clean: false });
      }),
      runs(25),
    );
  });

  it("gives the same bytes whatever the order of manifests and lists", () => {
    fc.assert(
      fc.property(worlds, worlds, fc.infiniteStream(fc.nat()), (from, to, chance) => {
        const account = new Account();
        account.run(account.plan(manifestsOf(from), permissive));
        const shuffle = <T>(items: readonly T[]): T[] => inAnyOrder(items, chance);
        const desired = manifestsOf(to);
        const first = JSON.stringify(account.plan(desired, permissive));
        const lists = account.live().lists;
        const shuffled = {
          ...account.live(),
          lists: {
            ...lists,
            ...Object.fromEntries(Object.entries(lists).map(([kind, list]) => [kind, shuffle(list)])),
          },
        };
        account.live = () => shuffled;
        expect(JSON.stringify(account.plan(shuffle(desired), permissive))).toBe(first);
      }),
      runs(25),
    );
  });
});
