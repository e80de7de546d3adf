import { describe, expect, it } from "vitest";
import { type ExportOptions, exportManifests } from "../../src/export/export-manifests.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { forListedKinds } from "../../src/kinds/names.ts";
import type { Live } from "../../src/live/live.ts";
import { selfSigned } from "../sandbox/certificates.ts";

const options: ExportOptions = { which: "unowned", stacks: ["mine"], kinds: [], format: "yaml" };
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

describe("exportManifests", () => {
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
        /^traffic_policy of TLSEdge\/a.example is not in its manifest, .*the traffic policy is not JSON\. To manage it, write it as validate accepts it/u,
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
      edgtls_2: '{"on_tcp_connect":[],"on_tcp_connect":[]}',
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
});
