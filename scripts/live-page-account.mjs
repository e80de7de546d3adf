// The account that docs/live-services.md is followed with, and the Terraform state that made it. The types and attributes
// of the state are those that the `ngrok` provider publishes; test/export/support/tfstate-schemas.ts says which version.
import { makeCertificate } from "./certificate.mjs";

const at = (minute) => `2026-01-05T10:${String(minute).padStart(2, "0")}:00Z`;

/** @returns {Promise<{account: object, state: object}>} what the sandbox loads, and what Terraform pulls */
export async function liveAccount() {
  // Fixed dates, because the output shows them and must be the same every day.
  const www = await makeCertificate(["www.example.com"], new Date("2024-01-01T00:00:00Z"), 100);
  const app = await makeCertificate(["app.example.com"], new Date("2024-01-01T00:00:00Z"), 100);
  const certificate = (id, minute, { certificate: pem }, host, more = {}) => ({
    id,
    created_at: at(minute),
    certificate_pem: pem,
    subject_common_name: host,
    subject_alternative_names: { dns_names: [host], ips: [] },
    not_before: "2024-01-01T00:00:00Z",
    not_after: "2124-01-01T00:00:00Z",
    private_key_type: "ecdsa",
    issued_at: null,
    ...more,
  });
  const address = (id, minute, region, port, description) => {
    const addr = `1.tcp.${region}.edge.example:${port}`;
    return { id, created_at: at(minute), description, metadata: "", region, addr };
  };
  const account = {
    format: "edgewise.sandbox/v1",
    lists: {
      IPRestriction: [
        {
          id: "ipx_2mQ8office",
          created_at: at(1),
          description: "Dashboard from the office only",
          metadata: "",
          type: "dashboard",
          enforced: true,
          ip_policies: [{ id: "ipp_2mQ8office" }],
        },
      ],
      TLSEdge: [
        {
          id: "edgtls_2mQ8api",
          created_at: at(6),
          description: "Public API",
          metadata: '{"team":"platform"}',
          hostports: ["api.example.com:443"],
          backend: { enabled: true, backend: { id: "bkdhr_2mQ8soon" } },
          tls_termination: { enabled: true, terminate_at: "edge", min_version: "1.2" },
        },
      ],
      ReservedAddress: [
        address("ra_2mQ8byhand", 9, "us", 20003, "Made by hand"),
        address("ra_2mQ8us", 3, "us", 20002, ""),
        address("ra_2mQ8eu", 2, "eu", 20001, ""),
      ],
      HTTPResponseBackend: [
        {
          id: "bkdhr_2mQ8soon",
          created_at: at(4),
          description: "Maintenance page",
          metadata: "",
          status_code: 503,
          body: "Back in a minute.",
          headers: { "content-type": "text/plain" },
        },
      ],
      TLSCertificate: [
        certificate("cert_2mQ8auto", 8, app, "app.example.com", { issued_at: at(8) }),
        certificate("cert_2mQ8www", 5, www, "www.example.com"),
      ],
    },
  };
  const provider = 'provider["registry.terraform.io/ngrok/ngrok"]';
  const resource = (type, name, instances, module) => ({
    ...(module === undefined ? {} : { module }),
    mode: "managed",
    type,
    name,
    provider,
    instances: instances.map(({ key, ...attributes }) => ({
      ...(key === undefined ? {} : { index_key: key }),
      schema_version: 0,
      attributes,
      sensitive_attributes: [],
    })),
  });
  const state = {
    version: 4,
    terraform_version: "1.9.8",
    serial: 41,
    lineage: "3f1d4e0a-7d1e-4a52-8d8b-0d3f0f4f3c11",
    outputs: {},
    resources: [
      resource(
        "ngrok_tcp_address",
        "broker",
        [
          {
            key: "eu",
            id: "ra_2mQ8eu",
            addr: "1.tcp.eu.edge.example:20001",
            description: "",
            metadata: "",
            region: "eu",
          },
          {
            key: "us",
            id: "ra_2mQ8us",
            addr: "1.tcp.us.edge.example:20002",
            description: "",
            metadata: "",
            region: "us",
          },
        ],
        'module.tcp["prod"]',
      ),
      resource("ngrok_ip_restriction", "office", [
        { key: 0, id: "ipx_2mQ8office", type: "dashboard", enforced: true, ip_policy_ids: ["ipp_2mQ8office"] },
      ]),
      resource("ngrok_ip_policy", "office", [{ id: "ipp_2mQ8office", description: "" }]),
      resource("ngrok_tls_certificate", "www", [
        { id: "cert_2mQ8www", certificate_pem: www.certificate, private_key_pem: www.key },
      ]),
      resource("ngrok_tls_certificate", "old", [
        { id: "cert_2mQ8old", certificate_pem: app.certificate, private_key_pem: app.key },
      ]),
      resource("ngrok_http_response_backend", "soon", [{ id: "bkdhr_2mQ8soon", status_code: 503 }]),
      resource("ngrok_edge_tls", "api", [{ id: "edgtls_2mQ8api" }]),
      resource("ngrok_domain", "app", [{ id: "rd_2mQ8app", domain: "app.example.com" }]),
      resource("ngrok_domain", "www", [{ id: "rd_2mQ8www", domain: "www.example.com" }]),
    ],
    check_results: null,
  };
  return { account, state };
}
