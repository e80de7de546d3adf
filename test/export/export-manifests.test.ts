import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ExportOptions, type Exported, exportManifests } from "../../src/export/export-manifests.ts";
import type { JsonObject } from "../../src/json.ts";
import { writeMarker } from "../../src/kinds/marker.ts";
import { forListedKinds } from "../../src/kinds/names.ts";
import { loadManifests, plan } from "../../src/library/library-api.ts";
import type { Live } from "../../src/live/live.ts";
import { selfSigned } from "../sandbox/certificates.ts";
import { runs } from "../support/runs.ts";

const options: ExportOptions = { which: "unowned", stacks: ["mine"], kinds: [], format: "yaml", split: "kind" };
const { pem: chain } = await selfSigned("www.example");
const nothing: Live["lists"] = forListedKinds(() => []);

function live(lists: Partial<Live["lists"]>): Live {
  return { lists: { ...nothing, ...lists }, unreadable: [], modules: [] };
}

function backend(id: string, more: JsonObject = {}): JsonObject {
  return {
    id,
    uri: `https://x/${id}`,
    created_at: "2024-01-01T00:00:00Z",
    status_code: 200,
    body: "",
    headers: null,
    ...more,
  };
}

/** Loads the exported manifests, and plans them against the same live lists. */
async function planOf(world: Live, exported: Exported) {
  const root = await mkdtemp(join(tmpdir(), "edgewise-export-"));
  try {
    for (const { path, text } of exported.files) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    const { manifests, diagnostics } = await loadManifests({
      root,
      patterns: exported.files.map(({ path }) => path),
      stack: "mine",
    });
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    return { errors, made: plan(manifests, world, { stack: "mine", baseUrl: "https://x" }) };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** Live resources as no manifest can say them, or only with care. */
const hostileMetadata = fc.constantFrom(
  '{"n":12345678901234567890}',
  '{"n":1.0000000000000000001,"deep":[9007199254740993]}',
  '{"__proto__":{"a":1},"b":2}',
  '{"a":1,"a":2}',
  '{"text":"${{ vars.x }}"}',
  "{not json",
  "",
  null,
);
const hostilePolicy = fc.constantFrom(
  "on_tcp_connect:\n  - actions:\n      - type: deny\n",
  '{"on_tcp_connect":[{"n":12345678901234567890}]}',
  '{"on_tcp_connect":[],"__proto__":{"a":1}}',
  "[]",
  "",
);
const hostileModules = fc.record({
  traffic_policy: fc.oneof(
    hostilePolicy.map((value) => ({ enabled: true, value })),
    fc.constant({}),
  ),
});
const hostileWorlds = fc
  .record({
    metadata: fc.array(hostileMetadata, { minLength: 6, maxLength: 6 }),
    region: fc.constantFrom("us", "global", "us-cal-1", null, undefined, 7),
    type: fc.constantFrom("api", "moon"),
    status: fc.constantFrom(200, 99, 600, "200"),
    modules: hostileModules,
    description: fc.constantFrom("d", "x".repeat(256), null),
  })
  .map(({ description, metadata, modules, region, status, type }) =>
    live({
      IPRestriction: [
        { id: "ipx_1", type, enforced: true, ip_policies: [{ id: "ipp_1" }], metadata: metadata[0] ?? null },
      ],
      TLSEdge: [
        {
          id: "edgtls_1",
          hostports: ["a.example:443"],
          description,
          metadata: metadata[1] ?? null,
          backend: { enabled: true, backend: { id: "bkdhr_1" } },
          mutual_tls: {},
          ...modules,
        },
      ],
      ReservedAddress: [
        {
          id: "ra_1",
          addr: "1.tcp.example:21",
          metadata: metadata[2] ?? null,
          ...(region === undefined ? {} : { region }),
        },
      ],
      HTTPResponseBackend: [backend("bkdhr_1", { status_code: status, metadata: metadata[3] ?? null })],
    }),
  );

describe("exportManifests of a hostile account", () => {
  it("writes only what validates, and what the next plan only adopts", async () => {
    await fc.assert(
      fc.asyncProperty(hostileWorlds, async (world) => {
        const exported = await exportManifests(world, options);
        const { errors, made } = await planOf(world, exported);
        expect(errors).toEqual([]);
        expect(made.refusals).toEqual([]);
        for (const { action, fields } of made.changes) {
          expect(action).toBe("adopt");
          expect(fields.map(({ path }) => path)).toEqual(["metadata.marker"]);
        }
        // What no JavaScript object can hold is kept as it was.
        const sent = JSON.stringify(made.operations.map(({ body }) => body));
        const kept = Object.values(world.lists)
          .flat()
          .filter(({ metadata }) => String(metadata).includes("123456789012"));
        const adopted = made.changes.map(({ id }) => id);
        expect(sent.match(/12345678901234567890/gu)?.length ?? 0).toBe(
          kept.filter(({ id }) => adopted.some((each) => each === id)).length,
        );
        expect(made.changes).toHaveLength(exported.count);
      }),
      runs(10),
    );
  });

  it("says what it left out, and why", async () => {
    const { warnings, whole, count } = await exportManifests(
      live({
        ReservedAddress: [{ id: "ra_1", addr: "1.tcp.example:21", region: "global" }],
        TLSEdge: [{ id: "edgtls_1", hostports: ["a.example:443"], traffic_policy: { value: "on_tcp_connect: []" } }],
        HTTPResponseBackend: [backend("bkdhr_1", { status_code: 99 })],
      }),
      options,
    );
    expect(count).toBe(2);
    expect(warnings).toEqual([
      expect.stringMatching(/^HTTPResponseBackend\/.* was not exported: .*status_code/u),
      expect.stringMatching(
        /^traffic_policy of TLSEdge\/a.example is not in its manifest, .*the traffic policy is YAML, but a policy that is a text must be JSON\. To manage it, write it as validate accepts it/u,
      ),
      expect.stringMatching(/^region of ReservedAddress\/.* keeps its live value: .*region/u),
    ]);
    expect(whole).toContain("ignore:\n    - spec.traffic_policy");
    expect(whole).not.toContain("region: global");
  });

  it("keeps metadata that a map would change as text", async () => {
    const metadata = '{"n":12345678901234567890}';
    const { whole } = await exportManifests(live({ HTTPResponseBackend: [backend("bkdhr_1", { metadata })] }), options);
    expect(whole).toContain(`metadata: '${metadata}'`);
  });
});

describe("exportManifests", () => {
  it("derives readable names: description, hostport, common name, address, status", async () => {
    const { whole } = await exportManifests(
      live({
        HTTPResponseBackend: [backend("bkdhr_1"), backend("bkdhr_2", { description: "Ça & là!" })],
        TLSEdge: [{ id: "edgtls_1", hostports: ["Api.Example.com:8443"] }],
        TLSCertificate: [{ id: "cert_1", certificate_pem: chain, subject_common_name: "*.example.com" }],
        ReservedAddress: [{ id: "ra_1", addr: "1.tcp.example:21", region: "us" }],
      }),
      options,
    );
    const names = [...whole.matchAll(/^ {2}name: (.+)$/gmu)].map(([, name]) => name);
    expect(names).toEqual(["api.example.com-8443", "1.tcp.example-21", "ca-la", "status-200", "example.com"]);
  });

  it("uses a unique variable for each private key", async () => {
    const certificate = (id: string, name: string): JsonObject => ({ id, certificate_pem: chain, description: name });
    const { secretsNeeded, whole } = await exportManifests(
      live({
        TLSCertificate: [certificate("cert_1", "a.b"), certificate("cert_2", "a-b"), certificate("cert_3", "1a")],
      }),
      options,
    );
    expect(secretsNeeded.map(({ variable, address, field }) => [variable, address, field])).toEqual([
      ["_1A_PRIVATE_KEY", "TLSCertificate/1a", "private_key_pem"],
      ["A_B_PRIVATE_KEY", "TLSCertificate/a-b", "private_key_pem"],
      ["A_B_PRIVATE_KEY_2", "TLSCertificate/a.b", "private_key_pem"],
    ]);
    expect(whole).toContain("env: A_B_PRIVATE_KEY_2");
  });

  it("keeps a policy's text when an object would not say the same", async () => {
    const policies = {
      // An integer that JavaScript can't hold.
      edgtls_1: '{"on_tcp_connect":[{"name":"n","actions":[{"type":"log","config":{"n":12345678901234567890}}]}]}',
      // A repeated member.
      edgtls_2: '{"on_tcp_connect":[],"on_tcp_connect":[]}',
      // It would be read as the name of a file.
      edgtls_3: '{"file":"policy.yaml"}',
    };
    const { whole } = await exportManifests(
      live({
        TLSEdge: Object.entries(policies).map(([id, value]) => ({
          id,
          hostports: [`${id.replace("_", "-")}.example.com:443`],
          traffic_policy: { enabled: true, value },
        })),
      }),
      options,
    );
    for (const value of Object.values(policies))
      expect(whole).toMatch(new RegExp(`value: ['"]?${value.slice(0, 2).replace("{", "\\{")}`, "u"));
    expect(whole).toContain("12345678901234567890");
  });

  it("keeps the deletion policy of a marker, and reports what belongs to others", async () => {
    const marked = (stack: string, name: string) =>
      writeMarker({ stack, name, deletion: "orphan", replaced: "orphan" }, { team: "a" });
    const world = live({
      HTTPResponseBackend: [
        backend("bkdhr_1", { metadata: marked("mine", "kept") }),
        backend("bkdhr_2", { metadata: marked("theirs", "other"), description: "Theirs" }),
      ],
    });
    const { whole, warnings, count } = await exportManifests(world, { ...options, which: "all" });
    expect(count).toBe(2);
    expect(whole).toContain("name: kept\n  id: bkdhr_1\nlifecycle:\n  deletion: orphan\n  replaced: orphan\n");
    expect(whole).not.toContain("edgewise:");
    expect(whole).toContain("team: a");
    expect(warnings).toEqual([expect.stringContaining("belongs to stack theirs")]);
  });

  it("reports the collections that could not be read", async () => {
    const world: Live = { ...live({}), unreadable: [{ kind: "TLSEdge", status: 403 }] };
    expect((await exportManifests(world, options)).warnings).toEqual([expect.stringContaining("TLSEdge")]);
  });
});
