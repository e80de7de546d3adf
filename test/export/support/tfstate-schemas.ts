import type { Json, JsonObject } from "../../../src/core/json.ts";

/** What no output may hold: every value of a state but ids. */
export function canary(what: string): string {
  return `CANARY-${what}-of-the-state`;
}

const text = (...names: readonly string[]): JsonObject => Object.fromEntries(names.map((name) => [name, canary(name)]));
const common = text("description", "metadata", "created_at", "uri");

/** Attributes of types of the `ngrok` provider beside `id`; the values are canaries. */
const attributes: { readonly [type: string]: JsonObject } = {
  ngrok_reserved_addr: text("addr", "endpoint_configuration_id", "region"),
  ngrok_http_response_backend: { ...text("body"), headers: text("x-header"), status_code: 503 },
  ngrok_tls_certificate: {
    certificate_pem: `-----BEGIN CERTIFICATE-----\n${canary("chain")}\n-----END CERTIFICATE-----`,
    private_key_pem: `-----BEGIN PRIVATE KEY-----\n${canary("key")}\n-----END PRIVATE KEY-----`,
    subject_alternative_names: [{ dns_names: [canary("dns")] }],
  },
  ngrok_credential: { acl: [canary("acl")], ...text("token") },
  ngrok_edge_tls: { hostports: [canary("hostport")], traffic_policy: text("value") },
  ngrok_edge_https: { route: [{ ...text("match", "match_type"), backend: [text("backend_id")] }] },
};

export function attributesOf(type: string, id: Json): JsonObject {
  return { id, ...common, ...(attributes[type] ?? text("secret")) };
}
