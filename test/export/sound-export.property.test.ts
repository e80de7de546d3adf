import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ExportOptions, type Exported, exportManifests } from "../../src/export/export-manifests.ts";
import { readMarker } from "../../src/kinds/marker.ts";
import { listedKinds, forListedKinds } from "../../src/kinds/names.ts";
import { loadManifests } from "../../src/index.ts";
import type { Live } from "../../src/live/live.ts";
import type { Manifest } from "../../src/manifest/manifest.ts";
import type { Change } from "../../src/plan/plan-format.ts";
import { Account } from "../plan/support/account.ts";
import { runs } from "../support/runs.ts";
import type { Json, JsonObject } from "../../src/core/json.ts";
import { type Issued, issue } from "../sandbox/certificates.ts";

/** Made once: keys take long. */
const root = await issue({ name: "CN=root" });
const leaf = await issue({ name: "CN=www.example", issuer: root });
const other = await issue({ name: "CN=other" });
const expired = await issue({
  name: "CN=old",
  notBefore: new Date("2000-01-01T00:00:00Z"),
  notAfter: new Date("2001-01-01T00:00:00Z"),
});
const pemOf = ({ pem }: Issued): string => pem;

const oddText = fc.oneof(
  fc.constantFrom<Json>("plain", "", null, 7, true, ["a"], { a: 1 }, "é".repeat(128), "x".repeat(256), "__proto__"),
  fc.constantFrom(
    "${{ vars.X }} $${{ env.Y }}",
    "\ufeffbom",
    "lone \ud800 surrogate",
    "(secret)",
    "--- \n...\n%YAML 1.1",
  ),
  fc.constantFrom("\u0000\u001b[31m\u007f\u0085\u2028", "line\r\nbreak\n\n\ttab \n", "::set-output name=a::b"),
  fc.string({ unit: "binary", maxLength: 20 }),
);

const sized = (bytes: number): string => JSON.stringify({ pad: "x".repeat(Math.max(0, bytes - 10)) });

const oddMetadata = fc.oneof(
  oddText,
  fc.constantFrom(
    '{"n":12345678901234567890}',
    '{"n":1e400,"z":-0}',
    '{"__proto__":{"a":1},"b":2}',
    '{"a":1,"a":2}',
    '{"text":"${{ vars.x }}","${{ env.K }}":1}',
    '{"edgewise":7,"mine":true}',
    '{"edgewise":{"stack":"other","name":"x"}}',
    "{not json",
    '{"a":"\\ud800"}',
    '{"file":"/etc/passwd"}',
    '{"":1," ":2,"a: b":3,"? x":4,"<<":5,"!tag":6,"&a":7,"*a":8}',
    `${'{"a":'.repeat(120)}1${"}".repeat(120)}`,
  ),
  fc.integer({ min: 3900, max: 4096 }).map(sized),
  fc.json({ maxDepth: 3 }),
);

const oddPolicy = fc.oneof(
  fc.constantFrom<Json>(
    "on_tcp_connect:\n  - actions:\n      - type: deny\n",
    '{"on_tcp_connect":[{"n":12345678901234567890}]}',
    '{"on_tcp_connect":[],"__proto__":{"a":1}}',
    '{"on_tcp_connect":[{"actions":[{"type":"x","config":{"secret":"s3cr3t"}}]}]}',
    '{"on_tcp_connect":[{"metadata":{"env":"prod"},"token":"s3cret"}]}',
    '{"on_tcp_connect":[{"secret":{"a":1},"password":7}]}',
    '{"a":"(secret, env X)"}',
    '{"file":"policy.yaml"}',
    "",
    null,
    7,
    { on_tcp_connect: [] },
    `${'{"a":'.repeat(120)}1${"}".repeat(120)}`,
  ),
  fc.json({ maxDepth: 3 }),
);

const refTo = (...ids: readonly string[]): fc.Arbitrary<Json> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...ids).map((id): Json => ({ id, uri: "u" })) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Json>(null, "text", {}, { id: "" }, { id: 7 }, { id: "a b" }, { id: "ipp_" }),
    },
  );
const listOf = (item: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.array(item, { maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constantFrom<Json>(null, {}, "x") },
  );

const hostport = fc.oneof(
  { weight: 3, arbitrary: fc.nat({ max: 30 }).map((n): Json => `e${n}.example.com:443`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Json>(
      "E1.Example.COM:443",
      "e1.example.com:443",
      "1.tcp.example.com:20001",
      "1.TCP.example.com:20001",
      "2.tcp.example.com:20002",
      "a.example",
      "https://a.example",
      "[::1]:443",
      "a.*.example:443",
      "bücher.example:443",
      `${"l".repeat(64)}.example:443`,
      "a.example:443\u0000",
      "",
      null,
      443,
    ),
  },
);

const enabled = fc.constantFrom<Json | undefined>(true, true, false, null, undefined, "yes");
const module = (members: {
  readonly [member: string]: fc.Arbitrary<Json | undefined>;
}): fc.Arbitrary<Json | undefined> =>
  fc.oneof(
    fc.constantFrom<Json | undefined>(null, undefined, {}),
    fc.record({ enabled, ...members }).map((value) => value as Json),
    fc.constantFrom<Json | undefined>([], "on", { enabled: true }, { unknown: 1 }),
  );

const common = {
  description: oddText,
  metadata: oddMetadata,
  created_at: fc.constantFrom<Json | undefined>("2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z", null, undefined, 7),
};
const defined = (wire: { readonly [member: string]: unknown }): JsonObject =>
  Object.fromEntries(Object.entries(wire).filter(([, value]) => value !== undefined)) as JsonObject;
const listed = (
  prefix: string,
  members: { readonly [member: string]: fc.Arbitrary<unknown> },
): fc.Arbitrary<JsonObject[]> =>
  fc
    .array(fc.record({ ...common, ...members }), { maxLength: 4 })
    .map((wires) => wires.map((wire, index) => defined({ id: `${prefix}_${index}`, ...wire })));

const hostileLists: fc.Arbitrary<Live["lists"]> = fc.record({
  ...forListedKinds((kind) => listed(kind.toLowerCase(), {})),
  IPRestriction: listed("ipx", {
    type: fc.constantFrom<Json | undefined>("api", "agent", "endpoints", "dashboard", "moon", null, undefined),
    enforced: fc.constantFrom<Json | undefined>(true, false, true, null, undefined, "true"),
    ip_policies: listOf(refTo("ipp_1", "ipp_2", "ipp_1", "bkdhr_0")),
  }),
  TLSEdge: listed("edgtls", {
    hostports: fc.oneof(
      { weight: 8, arbitrary: fc.array(hostport, { minLength: 1, maxLength: 3 }) },
      { weight: 1, arbitrary: fc.constantFrom<Json | undefined>([], null, undefined, "a.example:443") },
    ),
    backend: module({ backend: refTo("bkdhr_0", "bkdhr_1", "bkdhr_gone", "bkdtg_1", "ra_0") }),
    ip_restriction: module({ ip_policies: listOf(refTo("ipp_1", "ipp_2", "ipx_0")) }),
    mutual_tls: module({ certificate_authorities: listOf(refTo("ca_1", "ca_2", "cert_0")) }),
    tls_termination: module({
      terminate_at: fc.constantFrom<Json | undefined>("edge", "upstream", "agent", "moon", null, undefined),
      min_version: fc.constantFrom<Json | undefined>("1.2", "1.3", "1.4", null, undefined, 1.2),
    }),
    traffic_policy: module({ value: oddPolicy }),
    policy: fc.constant(null),
  }),
  ReservedAddress: listed("ra", {
    addr: fc.constantFrom<Json | undefined>(
      "1.tcp.example.com:20001",
      "2.tcp.example.com:20002",
      "1.TCP.example.com:20001",
      "odd",
      null,
      undefined,
    ),
    region: fc.constantFrom<Json | undefined>("us", "eu", "global", "us-cal-1", "", null, undefined, 7),
    endpoint_configuration: fc.oneof(refTo("ec_1", "bkdhr_0"), fc.constant(undefined)),
  }),
  HTTPResponseBackend: listed("bkdhr", {
    status_code: fc.constantFrom<Json | undefined>(200, 503, 200, 99, 600, 0, 200.5, "200", null, undefined),
    body: fc.oneof(oddText, fc.constantFrom<Json | undefined>(undefined, "x".repeat(5000))),
    headers: fc.oneof(
      fc.constantFrom<Json | undefined>(
        null,
        undefined,
        {},
        { "x-a": "1" },
        { "": "1", "a b": "2", "a:b": "\r\n", __proto: "x" },
        { "x-n": 1 },
        { "${{ vars.H }}": "${{ vars.V }}" },
      ),
      fc.dictionary(fc.string({ maxLength: 4 }), oddText, { maxKeys: 2 }) as fc.Arbitrary<Json>,
    ),
  }),
  TLSCertificate: listed("cert", {
    issued_at: fc.constantFrom<Json | undefined>(null, null, null, undefined, "", "2026-01-01T00:00:00Z"),
    certificate_pem: fc.constantFrom<Json | undefined>(
      pemOf(leaf),
      pemOf(leaf) + pemOf(root),
      `\r\n${pemOf(leaf)}\n\n${pemOf(root)}`.replaceAll("\n", "\r\n"),
      pemOf(leaf) + pemOf(other),
      pemOf(expired),
      pemOf(root).repeat(40),
      `${pemOf(leaf)}${leaf.key}`,
      "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
      "",
      null,
      undefined,
      7,
    ),
    subject_common_name: oddText,
    subject_alternative_names: fc.constantFrom<Json | undefined>(
      null,
      undefined,
      { dns_names: [7] },
      { dns_names: null },
      [],
    ),
    not_after: fc.constantFrom<Json | undefined>("2030-01-01T00:00:00Z", null, "soon"),
  }),
});

const unowned: ExportOptions = { which: "unowned", stacks: ["test"], kinds: [], format: "yaml" };

async function load(
  exported: Exported,
): Promise<{ readonly errors: readonly string[]; readonly manifests: readonly Manifest[] }> {
  const root = await mkdtemp(join(tmpdir(), "edgewise-sound-"));
  try {
    for (const { path, text } of exported.files) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    const patterns = exported.files.map(({ path }) => path);
    const { manifests, diagnostics } = await loadManifests({ root, patterns, stack: "test" });
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    return { errors: errors.map(({ code, message }) => `${code}: ${message}`), manifests };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function beyondMarker({ action, address, fields }: Change): readonly string[] {
  return fields.flatMap(({ path, unavailable, unknown }) =>
    path === "metadata.marker" || unknown === true || unavailable !== undefined ? [] : [`${action} ${address} ${path}`],
  );
}

describe("whatever is live", () => {
  it("its export validates, its plan only adopts, and after apply the plan is empty", async () => {
    await fc.assert(
      fc.asyncProperty(
        hostileLists,
        fc.subarray([...listedKinds], { maxLength: 1 }),
        fc.constantFrom<Pick<ExportOptions, "format">>({ format: "yaml" }, { format: "json" }),
        async (all, gone, how) => {
          const lists: Live["lists"] = { ...all, ...Object.fromEntries(gone.map((kind) => [kind, []])) };
          const unreadable = gone.map((kind) => ({ kind, status: 410 }));
          const account = new Account({}, lists);
          const live: Live = { lists, unreadable, modules: [] };
          const exported = await exportManifests(live, { ...unowned, ...how });
          const { errors, manifests } = await load(exported);
          expect(errors).toEqual([]);
          expect(manifests).toHaveLength(exported.count);
          account.live = () => live;
          const plan = account.plan(manifests);
          expect(plan.refusals).toEqual([]);
          expect(plan.changes.flatMap(beyondMarker)).toEqual([]);
          expect(plan.changes.map(({ action }) => action)).toEqual(manifests.map(() => "adopt"));
          const adopted = new Set(manifests.map(({ id }) => id));
          for (const [kind, list] of Object.entries(lists)) {
            for (const { id, metadata } of list) {
              if (adopted.has(String(id)) || readMarker(metadata).marker !== null) continue;
              expect(exported.warnings.join("\n")).toContain(`${kind} ${String(id)}`);
            }
          }
          const applied = new Account({}, lists);
          expect(applied.run(plan).troubles.filter((trouble) => trouble.startsWith("op-"))).toEqual([]);
          const after: Live = { lists: applied.live().lists, unreadable, modules: [] };
          applied.live = () => after;
          expect(applied.plan(manifests)).toMatchObject({ refusals: [], changes: [] });
          const owned = await load(await exportManifests(after, { ...unowned, ...how, which: "owned" }));
          expect(owned.errors).toEqual([]);
          expect(owned.manifests).toHaveLength(manifests.length);
          expect(applied.plan(owned.manifests, { allowEmpty: true })).toMatchObject({ refusals: [], changes: [] });
        },
      ),
      runs(10),
    );
  });
});
