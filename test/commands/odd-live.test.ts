import { describe, expect, it } from "vitest";
import { selfSigned } from "../sandbox/certificates.ts";
import { applied, backend, edge, stage } from "./stage.ts";

describe("a service that lost a family of resources", () => {
  it("stops no stack that uses none of them", async () => {
    const status = 410;
    const { run, write, sandbox } = await stage({
      manifests: backend("down"),
      faults: [`status=${status},path=/edges/tls`],
    });
    const applied = await run("apply", "-y", "-o", "json");
    expect(applied.exit).toBe(0);
    expect(sandbox.world().lists.HTTPResponseBackend).toHaveLength(1);
    const plan = await run("plan", "--detailed-exitcode", "-o", "json");
    expect(plan.exit).toBe(0);
    expect(JSON.parse(plan.out).warnings).toMatchObject([
      { code: "kind-unreadable", message: expect.stringContaining(`/edges/tls) answered ${status}`) },
    ]);
    await write("edge/edge.yaml", edge("api", "a.example:443"));
    expect((await run("plan")).exit).toBe(1);
  });
});

describe("a service that shows unset modules as {}", () => {
  it("has them unset: nothing is planned, found or exported for them", async () => {
    const { run, behind, sandbox } = await applied(edge("api", "a.example:443"), {
      model: { unsetModule: "empty", unsetText: "omitted" },
    });
    expect(sandbox.world().lists.TLSEdge).toMatchObject([{ mutual_tls: {}, backend: {} }]);
    expect((await run("plan", "--detailed-exitcode")).exit).toBe(0);
    expect((await run("drift")).exit).toBe(0);
    behind("POST", "/edges/tls", { hostports: ["b.example:443"] });
    const { out } = await run("export", "TLSEdge");
    expect(out).toContain("b.example:443");
    expect(out).not.toMatch(/mutual_tls|backend|traffic_policy/u);
  });
});

describe("a module that is nothing that a module can be", () => {
  it("is deleted when no manifest names it", async () => {
    const module = "n32";
    const metadata = JSON.stringify({ edgewise: { stack: "demo", name: "a" } });
    const live = { id: "edgtls_a", hostports: ["a.example:443"], metadata, traffic_policy: module };
    const { run, sandbox } = await stage({ manifests: edge("a", "a.example:443"), lists: { TLSEdge: [live] } });
    const { operations, refusals } = JSON.parse((await run("plan", "-o", "json")).out);
    expect(refusals).toEqual([]);
    expect(operations).toMatchObject([{ method: "DELETE", path: "/edges/tls/edgtls_a/traffic_policy" }]);
    expect((await run("apply", "-y")).exit).toBe(0);
    expect(sandbox.world().lists.TLSEdge).toMatchObject([{ traffic_policy: null }]);
  });
});

describe("a reserved address that is shown without its host and port", () => {
  it("is what nothing can refer to", async () => {
    const marker = (name: string): string => JSON.stringify({ edgewise: { stack: "demo", name } });
    const address = { id: "ra_1", region: "eu", metadata: marker("tcp") };
    const live = { id: "edgtls_a", hostports: ["a.example:443"], metadata: marker("a") };
    const { run, write, writes } = await stage({ lists: { TLSEdge: [live], ReservedAddress: [address] } });
    const tcp = "apiVersion: edgewise/v1\nkind: ReservedAddress\nmetadata: {name: tcp}\nspec: {}\n";
    await write("edge/all.yaml", `${edge("a", "a.example:443").replace('443"', '443", {address: tcp}')}${tcp}`);
    const { refusals } = JSON.parse((await run("plan", "-o", "json")).out);
    expect(refusals).toMatchObject([{ code: "does-not-converge" }]);
    expect((await run("apply", "-y")).exit).toBe(4);
    expect(writes()).toBe(0);
  });
});

describe("a certificate that the service issues and renews itself", () => {
  it("is neither adopted nor exported nor unmanaged, and a warning says why", async () => {
    const { key, pem } = await selfSigned("www.example");
    const issued = { id: "cert_issued", issued_at: "2026-01-01T00:00:00Z", certificate_pem: pem };
    const { env, run, write, writes } = await stage({ lists: { TLSCertificate: [issued] } });
    const exported = await run("export");
    expect(exported).toMatchObject({ exit: 0, out: "" });
    expect(exported.err).toContain("TLSCertificate cert_issued was not exported: the service issued this certificate");
    await write("edge/all.yaml", backend("down"));
    const drift = await run("drift", "--unmanaged", "-o", "json");
    expect(JSON.parse(drift.out).findings.map(({ address }: { address: string }) => address)).toEqual([
      "HTTPResponseBackend/down",
    ]);
    const spec = "{certificate_pem: {file: ../chain.pem}, private_key_pem: {env: WWW_KEY}}";
    const manifest = `apiVersion: edgewise/v1\nkind: TLSCertificate\nmetadata: {name: www, id: cert_issued}\nspec: ${spec}\n`;
    await write("chain.pem", pem);
    env["WWW_KEY"] = key;
    await write("edge/www.yaml", manifest);
    const plan = await run("plan", "-o", "json");
    expect(plan.err).toBe("");
    expect(JSON.parse(plan.out)).toMatchObject({
      changes: [{ address: "HTTPResponseBackend/down" }],
      refusals: [],
      warnings: [{ code: "managed-by-service", address: "TLSCertificate/www" }],
    });
    expect(writes()).toBe(0);
  });
});

describe("a warning that many resources have", () => {
  it("is shown once, with where it applies", async () => {
    const { behind, run, write } = await stage();
    const many = Array.from({ length: 36 }, (_, at) => at);
    for (const at of many)
      behind("POST", "/backends/http_response", { status_code: 503, metadata: `{"edgewise":${at}}` });
    const edge = (at: number): string => `apiVersion: edgewise/v1
kind: TLSEdge
metadata: {name: e${at}}
spec: {hostports: ["e${at}.example.com:443"], traffic_policy: {value: {on_tcp_connect: [{actions: [{type: odd}]}]}}}
---
`;
    await write("edge/all.yaml", many.map(edge).join(""));
    const times = (text: string, words: string): number => text.replaceAll(/\s+/gu, " ").split(words).length - 1;
    expect(times((await run("validate")).out, 'does not know the action "odd"')).toBe(1);
    for (const output of ["text", "markdown", "html"]) {
      const { out } = await run("plan", "-o", output);
      expect(times(out, "is not a valid marker"), output).toBe(1);
    }
    const { err } = await run("list");
    expect(times(err, "is not a valid marker")).toBe(1);
    expect(err).toContain("HTTPResponseBackend/bkdhr_");
  });
});
