import type { Json, JsonObject } from "../../../src/json.ts";

/** What no output may hold: every value of a state but ids. */
export function canary(what: string): string {
  return `CANARY-${what}-of-the-state`;
}

const text = (...names: readonly string[]): JsonObject => Object.fromEntries(names.map((name) => [name, canary(name)]));
const list = (...names: readonly string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, [canary(name)]]));

const common = text("description", "metadata");
const dated = { ...common, ...text("created_at", "uri") };
const pem = {
  certificate_pem: `-----BEGIN CERTIFICATE-----\n${canary("chain")}\n-----END CERTIFICATE-----`,
  private_key_pem: `-----BEGIN PRIVATE KEY-----\n${canary("key")}\n-----END PRIVATE KEY-----`,
};
const subject = ["common_name", "country", "locality", "organization", "organizational_unit", "province"];

/**
 * The attributes of types of the `ngrok` provider beside `id`, as its repository ngrok/terraform-provider-ngrok publishes
 * their schemas. The values are canaries. 0.x: docs/resources and ngrok/resource_*.go at commit 0782aa8, the backend's at
 * 1916927. 1.x: docs/resources and internal/resource_*_gen.go at e25a83a and 755295f, the address's and domain's new names
 * at 44878f9 and 028ba17. Schemas of edges were not published: the upgrade guide of 1.0 (e25a83a) names the types alone,
 * and their attributes here are the API's.
 */
export const publishedSchemas: { readonly [version in "0.x" | "1.x"]: { readonly [type: string]: JsonObject } } = {
  "0.x": {
    ngrok_ip_restriction: { ...common, ...text("type"), enforced: true, ...list("ip_policy_ids") },
    ngrok_reserved_addr: { ...common, ...text("addr", "endpoint_configuration_id", "region") },
    ngrok_http_response_backend: { ...dated, ...text("body"), headers: text("x-header"), status_code: 503 },
    ngrok_tls_certificate: { ...common, ...pem, subject_alternative_names: [list("dns_names", "ips")] },
    ngrok_reserved_domain: {
      ...common,
      ...text("name", "domain", "region", "certificate_id", "cname_target"),
      ...text("http_endpoint_configuration_id", "https_endpoint_configuration_id"),
      certificate_management_policy: [text("authority", "private_key_type")],
    },
    ngrok_credential: { ...common, ...list("acl"), ...text("token") },
    ngrok_edge_tls: { ...dated, ...list("hostports"), traffic_policy: text("value") },
    ngrok_edge_https: {
      ...dated,
      ...list("hostports"),
      route: [{ ...text("match", "match_type"), backend: [text("backend_id")] }],
    },
  },
  "1.x": {
    ngrok_ip_restriction: { ...dated, ...text("type"), enforced: true, ...list("ip_policy_ids") },
    ngrok_tcp_address: { ...dated, ...text("addr", "region") },
    ngrok_tls_certificate: {
      ...dated,
      ...pem,
      ...list("extended_key_usages", "key_usages"),
      ...text("issued_at", "issuer_common_name", "not_after", "not_before", "private_key_type", "serial_number"),
      ...text(...subject.map((name) => `subject_${name}`)),
      subject_alternative_names: list("dns_names", "ips"),
    },
    ngrok_domain: {
      ...dated,
      ...text("domain", "region", "certificate_id", "cname_target", "acme_challenge_cname_target"),
      ...list("resolves_to"),
      certificate_management_policy: text("authority", "private_key_type"),
    },
    ngrok_credential: { ...dated, ...list("acl"), ...text("token") },
  },
};

/** The attributes of a resource with this id; of the newer schema when both have the type. */
export function attributesOf(type: string, id: Json): JsonObject {
  const schema = publishedSchemas["1.x"][type] ?? publishedSchemas["0.x"][type] ?? { ...common, ...text("secret") };
  return { id, ...schema };
}
