import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { manifestErrors } from "../../src/schema/validate-documents.ts";

function errors(yaml: string): readonly string[] {
  return manifestErrors(parse(yaml)).map((error) => `${error.code} ${error.path.join("/")}`);
}

function tlsEdge(spec: string, metadata = "{name: api}", lifecycle = "{}"): string {
  return `{apiVersion: edgewise/v1, kind: TLSEdge, metadata: ${metadata}, lifecycle: ${lifecycle}, spec: ${spec}}`;
}

function of(kind: string, spec: string, metadata = "{name: a}"): string {
  return `{apiVersion: edgewise/v1, kind: ${kind}, metadata: ${metadata}, spec: ${spec}}`;
}

const complete = `
apiVersion: edgewise/v1
kind: TLSEdge
metadata:
  name: api
  labels: {team: payments}
  id: edgtls_1
  previousNames: [old-api]
lifecycle:
  deletion: delete
  replaced: delete
  ignore: [spec.description, spec.tls_termination.min_version, spec.metadata.owner]
spec:
  description: Public API
  metadata: {owner: payments}
  hostports: ["api.example.com:443", {address: tcp-eu}]
  backend: {enabled: true, backend: {name: maintenance}}
  ip_restriction: {ip_policies: [{id: ipp_1}]}
  mutual_tls: {certificate_authorities: [{id: ca_1}]}
  tls_termination: {terminate_at: edge, min_version: "1.2"}
  traffic_policy:
    value:
      on_tcp_connect: [{name: log, actions: [{type: log, config: {metadata: {edge: api}}}]}]
`;

describe("what is valid", () => {
  it.each([
    ["everything", complete],
    [
      "null for what may be absent",
      tlsEdge("{hostports: [], description: null, metadata: null, backend: null, traffic_policy: null}"),
    ],
    ["a backend of another kind", tlsEdge("{hostports: [], backend: {backend: {id: bkdfo_1}}}")],
    ["an address", of("ReservedAddress", "{region: eu, description: x, endpoint_configuration: {id: ec_1}}")],
    ["a backend", of("HTTPResponseBackend", "{status_code: 503, headers: {Retry-After: '60'}, body: {file: x.html}}")],
    ["a certificate", of("TLSCertificate", "{certificate_pem: {file: a.pem}, private_key_pem: {env: KEY}}")],
    ["an HTTPS edge that drops its module", of("HTTPSEdge", "{tls_termination: null}", "{name: a, id: edghts_1}")],
    [
      "a route",
      of("HTTPSEdgeRoute", "{edge: {id: e}, webhook_verification: {provider: SNS, secret: null}}", "{name: a, id: r}"),
    ],
  ])("%s", (_what, yaml) => {
    expect(manifestErrors(parse(yaml))).toEqual([]);
  });
});

describe("what is not", () => {
  it.each([
    ["a configuration", "{kind: Config}", ["unknown-kind kind"]],
    ["another version", complete.replace("v1", "v2"), ["unknown-api-version apiVersion"]],
    ["an id that climbs", tlsEdge("{hostports: []}", "{name: a, id: ..}"), ["bad-format metadata/id"]],
    [
      "a version that YAML made a number",
      tlsEdge("{hostports: [], tls_termination: {min_version: 1.2}}"),
      ["wrong-type spec/tls_termination/min_version"],
    ],
    [
      "the marker's member",
      tlsEdge("{hostports: [], metadata: {edgewise: {}}}"),
      ["reserved-member spec/metadata/edgewise"],
    ],
    ["the legacy field", tlsEdge("{hostports: [], policy: null}"), ["read-only-member spec/policy"]],
    ["a status above 599", of("HTTPResponseBackend", "{status_code: 600}"), ["out-of-range spec/status_code"]],
    [
      "a choice that HTTPS edges lack",
      of("HTTPSEdge", "{tls_termination: {terminate_at: edge}}", "{name: a, id: e}"),
      ["read-only-member spec/tls_termination/terminate_at"],
    ],
  ])("%s", (_what, yaml, expected) => {
    expect(errors(yaml)).toEqual(expected);
  });

  it("counts descriptions in bytes", () => {
    expect(errors(tlsEdge(`{hostports: [], description: ${"é".repeat(127)}}`))).toEqual([]);
    expect(errors(tlsEdge(`{hostports: [], description: ${"é".repeat(128)}}`))).toEqual(["too-long spec/description"]);
    expect(errors(of("ReservedAddress", `{description: ${"x".repeat(1000)}}`))).toEqual([]);
    expect(errors(of("HTTPResponseBackend", `{status_code: 200, description: ${"x".repeat(1000)}}`))).toEqual([]);
  });
});

describe("what it says", () => {
  it("suggests the member that was meant", () => {
    const found = manifestErrors(parse(tlsEdge("{hostport: []}")));
    expect(found).toContainEqual(
      expect.objectContaining({
        code: "unknown-member",
        at: "key",
        path: ["spec", "hostport"],
        message: "spec.hostport is not known: did you mean hostports?",
        remedy: "Rename it to hostports.",
      }),
    );
  });

  it("never shows what could be a secret", () => {
    const [error] = manifestErrors(
      parse(of("TLSCertificate", '{certificate_pem: x, private_key_pem: {env: "hunter 2"}}')),
    );
    expect(error).toMatchObject({ code: "bad-format", sensitive: true });
    expect(JSON.stringify(error)).not.toContain("hunter");
  });

  it("takes the id of modules from the configuration, too", () => {
    const edge = parse(of("HTTPSEdge", "{}"));
    expect(manifestErrors(edge, { "HTTPSEdge/a": "edghts_1" })).toEqual([]);
    expect(manifestErrors(edge, { "HTTPSEdge/b": "edghts_1" })).toMatchObject([{ message: "metadata.id is missing" }]);
  });

  it("stops at fifty errors", () => {
    const found = manifestErrors(parse(tlsEdge(`{hostports: [${"1,".repeat(5000)}]}`)));
    expect(found).toHaveLength(51);
    expect(found.at(-1)?.code).toBe("too-many-errors");
  });
});
