import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/json.js";
import type { ValueObject } from "../../src/kinds/value.js";
import type { Manifest } from "../../src/manifest/manifest.js";
import { Secret } from "../../src/secret.js";
import { Account, manifest } from "./support/account.js";

const ports = ["a", "b", "c", "d", "e", "f"].map((host) => `${host}.example.com:443`);
const names = ["one", "two", "three"];
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });

interface World {
  readonly backends: readonly { readonly name: string; readonly status: number }[];
  readonly addresses: readonly { readonly name: string; readonly region: string; readonly configured: boolean }[];
  readonly certificates: readonly {
    readonly name: string;
    readonly chain: string;
    readonly replaced: "delete" | "orphan";
  }[];
  readonly restrictions: readonly { readonly name: string; readonly type: string; readonly enforced: boolean }[];
  readonly edges: readonly {
    readonly name: string;
    readonly ports: readonly number[];
    readonly address: string | undefined;
    readonly backend: string | undefined;
    readonly mode: "plain" | "upstream" | "mutual" | "policy" | "both";
    readonly description: string;
    readonly restricted: boolean;
    readonly former: string | undefined;
  }[];
}

const named = <T>(more: fc.Arbitrary<T>): fc.Arbitrary<(T & { name: string })[]> =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...names), more), { selector: ([name]) => name, maxLength: 3 })
    .map((items) => items.map(([name, rest]) => ({ ...rest, name })));

const worlds: fc.Arbitrary<World> = fc.record({
  backends: named(fc.record({ status: fc.constantFrom(200, 503) })),
  addresses: named(fc.record({ region: fc.constantFrom("us", "eu"), configured: fc.boolean() })),
  certificates: named(
    fc.record({
      chain: fc.constantFrom("AAAA", "BBBB"),
      replaced: fc.constantFrom("delete" as const, "orphan" as const),
    }),
  ),
  restrictions: named(fc.record({ type: fc.constantFrom("api", "agent"), enforced: fc.boolean() })),
  edges: fc
    .tuple(
      fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 3 }),
      named(
        fc.record({
          count: fc.integer({ min: 1, max: 2 }),
          address: maybe(fc.constantFrom(...names)),
          backend: maybe(fc.constantFrom(...names)),
          mode: fc.constantFrom(
            "plain" as const,
            "upstream" as const,
            "mutual" as const,
            "policy" as const,
            "both" as const,
          ),
          description: fc.constantFrom("", "x", "y"),
          restricted: fc.boolean(),
          former: maybe(fc.constantFrom(...names)),
        }),
      ),
    )
    .map(([order, edges]) => {
      let next = 0;
      return edges.map(({ count, ...edge }) => {
        const own = order.slice(next, next + count);
        next += count;
        return { ...edge, ports: own.length > 0 ? own : [order[0] ?? 0] };
      });
    })
    .filter((edges) => {
      const all = edges.flatMap((edge) => edge.ports);
      return new Set(all).size === all.length;
    }),
});

function pem(body: string): string {
  return `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`;
}

function manifestsOf(world: World): Manifest[] {
  const taken = new Set<string>();
  const present = new Set(world.edges.map((edge) => edge.name));
  const formerly = new Set<string>();
  return [
    ...world.backends.map(({ name, status }) =>
      manifest("HTTPResponseBackend", name, { status_code: status, headers: { "X-A": "b" } }),
    ),
    ...world.addresses.map(({ name, region, configured }) =>
      manifest(
        "ReservedAddress",
        name,
        { region, ...(configured ? { endpoint_configuration: { id: "ec_1" } } : {}) },
        { lifecycle: { ignore: [], deletion: "delete" } },
      ),
    ),
    ...world.certificates.map(({ name, chain, replaced }) =>
      manifest(
        "TLSCertificate",
        name,
        { certificate_pem: pem(chain), private_key_pem: Secret.of("k", "env K") },
        { lifecycle: { ignore: [], replaced } },
      ),
    ),
    ...world.restrictions.map(({ name, type, enforced }) =>
      manifest("IPRestriction", name, { type, enforced, ip_policies: [{ id: "ipp_1" }] }),
    ),
    ...world.edges.map((edge) => {
      const hostports: (string | { address: string })[] = edge.ports.map((port) => ports[port] ?? "");
      if (
        edge.address !== undefined &&
        world.addresses.some(({ name }) => name === edge.address) &&
        !taken.has(edge.address)
      ) {
        taken.add(edge.address);
        hostports.push({ address: edge.address });
      }
      const previous =
        edge.former !== undefined && !present.has(edge.former) && !formerly.has(edge.former) ? [edge.former] : [];
      previous.forEach((name) => formerly.add(name));
      const backend = world.backends.find(({ name }) => name === edge.backend);
      const spec: ValueObject = {
        hostports,
        description: edge.description,
        ...(backend === undefined ? {} : { backend: { backend: { name: backend.name } } }),
        ...(edge.restricted ? { ip_restriction: { ip_policies: [{ id: "ipp_2" }, { id: "ipp_1" }] } } : {}),
        ...(edge.mode === "upstream" ? { tls_termination: { terminate_at: "upstream" } } : {}),
        ...(edge.mode === "mutual" || edge.mode === "both"
          ? { mutual_tls: { certificate_authorities: [{ id: "ca_1" }] } }
          : {}),
        ...(edge.mode === "policy" || edge.mode === "both"
          ? {
              traffic_policy: { value: { on_tcp_connect: [{ actions: [{ type: "deny" }] }] } },
              tls_termination: { terminate_at: "edge" },
            }
          : {}),
      };
      return manifest("TLSEdge", edge.name, spec, { previousNames: previous });
    }),
  ];
}

/** Every address that may be allowed: the guards have tests of their own. */
const allow = ["TLSEdge", "ReservedAddress", "HTTPResponseBackend", "TLSCertificate", "IPRestriction"].flatMap((kind) =>
  names.map((name) => `${kind}/${name}`),
);
/** A service that has DELETE for every module, and one that follows the specification to the letter. */
const services = fc.constantFrom(
  { moduleEndpoints: ["backend", "ip_restriction"] as const, deleteReferenced: "refuse" as const },
  { moduleEndpoints: [], deleteReferenced: "dangle" as const },
);

/** With --allow a backend may go although a disabled module still names it: that alone may dangle. */
function unexpected(troubles: readonly string[], service: { readonly deleteReferenced: string }): readonly string[] {
  return troubles.filter(
    (trouble) =>
      service.deleteReferenced === "refuse" || !/refers to the backend .* which does not exist/u.test(trouble),
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

const runs = Number(process.env["EDGEWISE_PROPERTY_RUNS"] ?? 400);

describe("from any state to any other", () => {
  it("converges, is refused nothing, breaks nothing on the way and touches nothing of others", () => {
    fc.assert(
      fc.property(
        fc.array(worlds, { minLength: 1, maxLength: 4 }),
        services,
        fc.infiniteStream(fc.nat()),
        (states, service, chance) => {
          const account = new Account(service);
          const options = { ...permissive, moduleEndpoints: service.moduleEndpoints };
          const before = foreign(account);
          for (const state of states) {
            const desired = manifestsOf(state);
            const plan = account.plan(desired, options);
            expect(plan.refusals).toEqual([]);
            expect(plan.rehearsal).toEqual({ converges: true, steps: plan.operations.length });
            const { troubles } = account.run(plan, (count) => (chance.next().value ?? 0) % Math.max(1, count));
            expect(unexpected(troubles, service)).toEqual([]);
            const again = account.plan(desired, options);
            expect(again.changes).toEqual([]);
            expect(again.operations).toEqual([]);
            expect(unexpected(account.problems(), service)).toEqual([]);
          }
          expect(foreignBytes(account)).toEqual(before);
        },
      ),
      { numRuns: runs },
    );
  });

  it("is finished by the next run wherever it is cut, without twins", () => {
    fc.assert(
      fc.property(worlds, worlds, services, fc.infiniteStream(fc.nat()), (from, to, service, chance) => {
        const pick = (count: number): number => (chance.next().value ?? 0) % Math.max(1, count);
        const account = new Account(service);
        const options = { ...permissive, moduleEndpoints: service.moduleEndpoints };
        const before = foreign(account);
        account.run(account.plan(manifestsOf(from), options));
        const desired = manifestsOf(to);
        // Each round is cut one operation later than the one before, until a run gets through.
        for (let limit = 0; limit < 60; limit += 1) {
          const plan = account.plan(desired, options);
          expect(plan.refusals).toEqual([]);
          if (plan.changes.length === 0) break;
          expect(unexpected(account.run(plan, pick, limit % 3 === 0 ? limit : 1).troubles, service)).toEqual([]);
        }
        expect(account.plan(desired, options).changes).toEqual([]);
        expect(foreignBytes(account)).toEqual(before);
        const markers = Object.entries(account.live().lists)
          .flatMap(([kind, list]) => list.map(({ metadata }) => `${kind} ${String(metadata)}`))
          .filter((text) => text.includes('"test"'));
        expect(markers.length).toBe(desired.length);
      }),
      { numRuns: runs },
    );
  });

  it("gives the same bytes whatever the order of manifests and lists", () => {
    fc.assert(
      fc.property(worlds, worlds, fc.infiniteStream(fc.nat()), (from, to, chance) => {
        const account = new Account();
        account.run(account.plan(manifestsOf(from), permissive));
        const shuffle = <T>(items: readonly T[]): T[] =>
          items
            .map((item) => [chance.next().value ?? 0, item] as const)
            .toSorted(([a], [b]) => a - b)
            .map(([, item]) => item);
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
      { numRuns: runs / 2 },
    );
  });

  it("writes no more than it must when nothing has to be swapped", () => {
    fc.assert(
      fc.property(worlds, worlds, (from, to) => {
        const account = new Account();
        account.run(account.plan(manifestsOf(from), permissive));
        const plan = account.plan(manifestsOf(to), permissive);
        fc.pre(plan.operations.every((operation) => operation.temporary === undefined));
        for (const change of plan.changes) {
          const own = plan.operations.filter((operation) => operation.address === change.address);
          const removed = own.filter((operation) => operation.kind === "module-delete").length;
          const updates = own.filter(
            (operation) => operation.kind === "patch" || operation.kind === "module-put",
          ).length;
          const late = change.fields.some(
            ({ path, after }) => path === "spec.endpoint_configuration" && after !== null,
          );
          const bound: { readonly [action: string]: number } = {
            create: late ? 2 : 1,
            delete: 1,
            orphan: 1,
            replace: late ? 3 : 3,
            update: removed + 1,
            adopt: removed + 1,
          };
          expect(own.length).toBeLessThanOrEqual(bound[change.action] ?? 0);
          // A PATCH names what changed and nothing else.
          for (const operation of own.filter(({ kind }) => kind === "patch" && change.action === "update")) {
            const named = Object.keys((operation.body ?? {}) as { [member: string]: Json });
            expect(named.length).toBeGreaterThan(0);
            expect(named.length).toBeLessThanOrEqual(new Set(change.fields.map(({ path }) => path.split(".")[1])).size);
          }
          expect(updates).toBeLessThanOrEqual(change.action === "replace" ? 2 : 1);
        }
      }),
      { numRuns: runs / 2 },
    );
  });
});
