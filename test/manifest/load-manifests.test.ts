import { describe, expect, it } from "vitest";
import { load, places } from "./support/load-text.ts";

const head = (kind: string, name: string, more = "") =>
  `apiVersion: edgewise/v1\nkind: ${kind}\nmetadata: {name: ${name}${more}}\n`;
const edge = (name: string, host = `${name}.example`) => `${head("TLSEdge", name)}spec: {hostports: ["${host}:443"]}\n`;
const backend = (name: string) => `${head("HTTPResponseBackend", name)}spec: {status_code: 200}\n`;

describe("loadManifests", () => {
  it("takes a policy that lies beside the manifest that names it for no manifest", async () => {
    const named = `${head("TLSEdge", "api")}spec: {hostports: ["a.example:443"], traffic_policy: {value: {file: policy.yaml}}}\n`;
    const policy = "on_tcp_connect:\n- name: ${{ vars.NONE }}\n  actions: [{type: log}]\n";
    for (const manifest of ["edge/a.yaml", "edge/z.yaml"]) {
      const { manifests, diagnostics } = await load(
        { [manifest]: named, "edge/policy.yaml": policy },
        { patterns: ["edge"] },
      );
      expect(diagnostics).toEqual([]);
      expect(manifests.map(({ spec }) => spec["traffic_policy"])).toEqual([
        { value: { on_tcp_connect: [{ name: "${{ vars.NONE }}", actions: [{ type: "log" }] }] } },
      ]);
    }
  });

  it("takes what nobody names, or what says that it is a manifest, for one", async () => {
    const named = `${head("TLSEdge", "api")}spec: {hostports: ["a.example:443"], traffic_policy: {value: {file: policy.yaml}}}\n`;
    const unnamed = await load({ "edge/a.yaml": backend("a"), "edge/policy.yaml": "on_tcp_connect: []\n" });
    expect(places(unnamed)).toEqual(["edge/policy.yaml:1:1 unknown-kind"]);
    const mistyped = await load({ "edge/a.yaml": named, "edge/policy.yaml": "kind: TLSEgde\non_tcp_connect: []\n" });
    expect(places(mistyped)).toContain("edge/policy.yaml:1:7 unknown-kind");
  });

  it("gives what a document says, in its own shape", async () => {
    const text = `# comment
---
apiVersion: edgewise/v1
kind: TLSEdge
metadata:
  name: api
  labels: {team: payments}
  id: edgtls_1
  previousNames: [old]
lifecycle:
  deletion: protect
  replaced: null
  ignore: [spec.description]
spec:
  description: null
  hostports: ["a.example:443", {address: eu}]
  traffic_policy: {value: {file: ../policies/p.json}}
`;
    const { manifests, diagnostics } = await load(
      {
        "edge/a.yaml": text,
        "policies/p.json": '{"on_tcp_connect":  []}',
        "edge/b.yaml": `${head("ReservedAddress", "eu")}spec: {}\n`,
      },
      { patterns: ["edge"] },
    );
    expect(diagnostics).toEqual([]);
    expect(manifests[0]).toEqual({
      kind: "TLSEdge",
      name: "api",
      address: "TLSEdge/api",
      source: { file: "edge/a.yaml", line: 3 },
      labels: { team: "payments" },
      id: "edgtls_1",
      previousNames: ["old"],
      lifecycle: { deletion: "protect", ignore: ["spec.description"] },
      spec: {
        description: null,
        hostports: ["a.example:443", { address: "eu" }],
        traffic_policy: { value: '{"on_tcp_connect":  []}' },
      },
    });
  });

  it("takes ids from the configuration, and refuses two that differ", async () => {
    const adopt = { "TLSEdge/a": "edgtls_9", "HTTPSEdge/www": "edghts_1" };
    const www = `${head("HTTPSEdge", "www")}spec: {tls_termination: {min_version: "1.2"}}\n`;
    const { manifests, diagnostics } = await load({ "a.yaml": `${edge("a")}---\n${www}` }, { adopt });
    expect([diagnostics, manifests.map(({ id }) => id)]).toEqual([[], ["edgtls_9", "edghts_1"]]);
    const conflict = await load({ "a.yaml": edge("a").replace("name: a", "name: a, id: edgtls_1") }, { adopt });
    expect(conflict.diagnostics.map(({ code }) => code)).toEqual(["adopt-conflict"]);
    const shared = await load(
      { "a.yaml": `${edge("a")}---\n${edge("b").replace("name: b", "name: b, id: edgtls_9")}` },
      { adopt },
    );
    expect(shared.diagnostics.map(({ code }) => code)).toEqual(["duplicate-id"]);
  });

  it("leaves missing names to the planner when not all manifests are here", async () => {
    const text = `${head("TLSEdge", "a")}spec: {hostports: [{address: gone}], backend: {backend: {name: gone}}}\n`;
    expect(places(await load({ "a.yaml": text }))).toEqual([
      "a.yaml:4:30 dangling-reference",
      "a.yaml:4:64 dangling-reference",
    ]);
    expect(places(await load({ "a.yaml": text }, { complete: false }))).toEqual([]);
  });

  it.each([
    ["nothing", ""],
    ["two documents", "a: 1\n---\nb: 2\n"],
  ])("refuses a policy file that holds %s", async (_name, policy) => {
    const text = `${head("TLSEdge", "a")}spec: {hostports: ["a.example:443"], traffic_policy: {value: {file: p.yaml}}}\n`;
    const { diagnostics } = await load({ "a.yaml": text, "p.yaml": policy }, { patterns: ["a.yaml"] });
    expect(diagnostics.map(({ code }) => code)).toEqual(["policy-json"]);
  });

  it("takes no text for metadata that would pass for a marker", async () => {
    const withText = (metadata: string) =>
      `${head("HTTPResponseBackend", "a")}spec: {status_code: 200, metadata: ${JSON.stringify(metadata)}}\n`;
    for (const text of [
      '{"edgewise":{"stack":"other","name":"b"}}',
      ' \n{"a":1,"edgewise":{"stack":"other","name":"b","replaces":"x"}}',
      '{"edgew\\u0069se":{"stack":"other","name":"b"}}',
      '{"edgewise":null}',
    ]) {
      const { diagnostics } = await load({ "a.yaml": withText(text) });
      expect(diagnostics.map(({ code }) => code)).toEqual(["reserved-member"]);
    }
    for (const text of ["edgewise", '{"edge":{"edgewise":{}}}', '["edgewise"]', '{"edgewise":'])
      expect((await load({ "a.yaml": withText(text) })).diagnostics).toEqual([]);
  });

  it("counts the marker in the size of metadata, when the stack is known, and spares backends", async () => {
    const with4060 = (kind: string, spec: string) =>
      `${head(kind, "a")}spec: {${spec}, metadata: {t: "${"x".repeat(4060)}"}}\n`;
    const text = with4060("TLSEdge", 'hostports: ["a.example:443"]');
    expect((await load({ "a.yaml": text })).diagnostics.map(({ code }) => code)).toEqual(["metadata-too-large"]);
    expect((await load({ "a.yaml": text }, { stack: null })).diagnostics).toEqual([]);
    expect((await load({ "a.yaml": with4060("HTTPResponseBackend", "status_code: 200") })).diagnostics).toEqual([]);
  });

  it("warns of empty lists that the service may refuse", async () => {
    const edge = (modules: string): string =>
      `${head("TLSEdge", "e")}spec: {hostports: [e.example.com:443], ${modules}}\n`;
    const text = [
      `${head("IPRestriction", "a")}spec: {type: agent, enforced: true, ip_policies: []}\n`,
      edge("ip_restriction: {ip_policies: []}, mutual_tls: {certificate_authorities: []}"),
    ].join("---\n");
    const { diagnostics } = await load({ "a.yaml": text });
    expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([
      ["empty-list", "warning"],
      ["empty-list", "warning"],
      ["empty-list", "warning"],
    ]);
    const full = "ip_restriction: {ip_policies: [{id: ipp_1}]}, mutual_tls: {certificate_authorities: [{id: ca_1}]}";
    expect((await load({ "a.yaml": edge(full) })).diagnostics).toEqual([]);
  });
});
