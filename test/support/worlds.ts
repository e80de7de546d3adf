import fc from "fast-check";
import type { ValueObject } from "../../src/core/json.ts";
import type { Manifest } from "../../src/manifest/manifest.ts";
import { Secret } from "../../src/core/secret.ts";
import { manifest } from "../plan/support/account.ts";

const ports = ["a", "b", "c", "d", "e", "f"].map((host) => `${host}.example.com:443`);
const names = ["one", "two", "three"];
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });

export interface World {
  readonly backends: readonly (Named & { readonly status: number })[];
  readonly addresses: readonly (Replaceable & { readonly region: string; readonly configured: boolean })[];
  readonly certificates: readonly (Replaceable & { readonly chain: string })[];
  readonly restrictions: readonly (Replaceable & { readonly type: string; readonly enforced: boolean })[];
  readonly edges: readonly (Named & {
    readonly ports: readonly number[];
    readonly address: string | undefined;
    readonly backend: string | undefined;
    readonly mode: "plain" | "upstream" | "mutual" | "policy" | "both" | "version";
    readonly inheriting: boolean;
    readonly description: string;
    readonly restricted: boolean;
  })[];
}

interface Named {
  readonly name: string;
  readonly former: string | undefined;
}

interface Replaceable extends Named {
  readonly replaced: "delete" | "orphan" | undefined;
}

const former = maybe(fc.constantFrom(...names));
const replaced = maybe(fc.constantFrom("delete" as const, "orphan" as const));

const named = <T>(more: fc.Arbitrary<T>): fc.Arbitrary<(T & Named)[]> =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...names), more, former), { selector: ([name]) => name, maxLength: 3 })
    .map((items) => items.map(([name, rest, before]) => ({ ...rest, name, former: before })));

/** Few names and hostports, so that states differ in every way: swaps, renames, replacements. */
export const worlds: fc.Arbitrary<World> = fc.record({
  backends: named(fc.record({ status: fc.constantFrom(200, 503) })),
  addresses: named(fc.record({ region: fc.constantFrom("us", "eu", "jp"), configured: fc.boolean(), replaced })),
  certificates: named(fc.record({ chain: fc.constantFrom("AAAA", "BBBB", "CCCC"), replaced })),
  restrictions: named(
    fc.record({ type: fc.constantFrom("api", "agent", "endpoints"), enforced: fc.boolean(), replaced }),
  ),
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
            "version" as const,
          ),
          inheriting: fc.boolean(),
          description: fc.constantFrom("", "x", "y"),
          restricted: fc.boolean(),
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

export function manifestsOf(world: World, key: Secret = Secret.of("k", "env K")): Manifest[] {
  const taken = new Set<string>();
  return [
    ...manifestsWith(world.backends, ({ name, status }, more) =>
      manifest("HTTPResponseBackend", name, { status_code: status, headers: { "X-A": "b" } }, more),
    ),
    ...manifestsWith(world.addresses, ({ name, region, configured, replaced: of }, more) =>
      manifest(
        "ReservedAddress",
        name,
        { region, ...(configured ? { endpoint_configuration: { id: "ec_1" } } : {}) },
        { ...more, lifecycle: { ignore: [], deletion: "delete", ...replacedIs(of) } },
      ),
    ),
    ...manifestsWith(world.certificates, ({ name, chain, replaced: of }, more) =>
      manifest(
        "TLSCertificate",
        name,
        { certificate_pem: pem(chain), private_key_pem: key },
        { ...more, lifecycle: { ignore: [], ...replacedIs(of) } },
      ),
    ),
    ...manifestsWith(world.restrictions, ({ name, type, enforced, replaced: of }, more) =>
      manifest(
        "IPRestriction",
        name,
        { type, enforced, ip_policies: [{ id: "ipp_1" }] },
        { ...more, lifecycle: { ignore: [], ...replacedIs(of) } },
      ),
    ),
    ...manifestsWith(world.edges, (edge, more) => {
      const hostports: (string | { address: string })[] = edge.ports.map((port) => ports[port] ?? "");
      if (
        edge.address !== undefined &&
        world.addresses.some(({ name }) => name === edge.address) &&
        !taken.has(edge.address)
      ) {
        taken.add(edge.address);
        hostports.push({ address: edge.address });
      }
      const backend = world.backends.find(({ name }) => name === edge.backend);
      const spec: ValueObject = {
        hostports,
        description: edge.description,
        ...(backend === undefined ? {} : { backend: { backend: { name: backend.name } } }),
        ...(edge.restricted ? { ip_restriction: { ip_policies: [{ id: "ipp_2" }, { id: "ipp_1" }] } } : {}),
        ...(edge.inheriting ? { tls_termination: {} } : {}),
        ...(edge.mode === "upstream" ? { tls_termination: { terminate_at: "upstream" } } : {}),
        ...(edge.mode === "version" ? { tls_termination: { min_version: "1.3" } } : {}),
        ...(edge.mode === "mutual" || edge.mode === "both"
          ? { mutual_tls: { certificate_authorities: [{ id: "ca_1" }] } }
          : {}),
        ...(edge.mode === "policy" || edge.mode === "both"
          ? {
              traffic_policy: { value: { on_tcp_connect: [{ actions: [{ type: "deny" }] }] } },
              ...(edge.inheriting ? {} : { tls_termination: { terminate_at: "edge" } }),
            }
          : {}),
      };
      return manifest("TLSEdge", edge.name, spec, more);
    }),
  ];
}

/** Manifests with the previous names that they can have: no name that another has, or has had. */
function manifestsWith<T extends Named>(
  items: readonly T[],
  make: (item: T, more: Pick<Manifest, "previousNames">) => Manifest,
): readonly Manifest[] {
  const taken = new Set(items.map(({ name }) => name));
  return items.map((item) => {
    const before = item.former;
    const previousNames = before === undefined || taken.has(before) ? [] : [before];
    previousNames.forEach((name) => taken.add(name));
    return make(item, { previousNames });
  });
}

function replacedIs(of: Replaceable["replaced"]): { readonly replaced?: "delete" | "orphan" } {
  return of === undefined ? {} : { replaced: of };
}

/** Every address, for --allow; the guards have their own tests. */
export const allow = ["TLSEdge", "ReservedAddress", "HTTPResponseBackend", "TLSCertificate", "IPRestriction"].flatMap(
  (kind) => names.map((name) => `${kind}/${name}`),
);

export function inAnyOrder<T>(items: readonly T[], chance: fc.Stream<number>): T[] {
  return items
    .map((item) => [chance.next().value ?? 0, item] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, item]) => item);
}
