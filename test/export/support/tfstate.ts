import type { Json, JsonObject } from "../../../src/core/json.ts";

function canary(what: string): string {
  return `CANARY-${what}-of-the-state`;
}

const text = (...names: readonly string[]): JsonObject => Object.fromEntries(names.map((name) => [name, canary(name)]));
const common = text("description", "metadata", "created_at", "uri");

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

function attributesOf(type: string, id: Json): JsonObject {
  return { id, ...common, ...(attributes[type] ?? text("secret")) };
}

export interface StateResource {
  readonly type: string;
  readonly name: string;
  readonly module?: string;
  readonly mode?: string;
  readonly provider?: string;
  readonly instances: readonly StateInstance[];
}

export interface StateInstance {
  readonly key?: string | number;
  readonly status?: "tainted";
  readonly deposed?: string;
  readonly attributes: JsonObject;
}

export function tfState(...resources: readonly StateResource[]): JsonObject {
  return {
    version: 4,
    terraform_version: "1.9.8",
    serial: 7,
    lineage: "3f1d4e0a-7d1e-4a52-8d8b-0d3f0f4f3c11",
    outputs: { api_token: { value: canary("output"), type: "string", sensitive: true } },
    resources: resources.map(({ instances, mode = "managed", module, name, provider, type }) => ({
      ...(module === undefined ? {} : { module }),
      mode,
      type,
      name,
      provider: provider ?? 'provider["registry.terraform.io/ngrok/ngrok"]',
      instances: instances.map(({ attributes, deposed, key, status }) => ({
        ...(key === undefined ? {} : { index_key: key }),
        ...(status === undefined ? {} : { status }),
        ...(deposed === undefined ? {} : { deposed }),
        schema_version: 0,
        attributes,
        sensitive_attributes: [],
        private: "bnVsbA==",
        dependencies: [],
      })),
    })),
    check_results: null,
  };
}

export function instance(type: string, id: Json, more: Omit<StateInstance, "attributes"> = {}): StateInstance {
  return { ...more, attributes: attributesOf(type, id) };
}

export function resource(
  address: string,
  id: Json,
  more: Partial<StateResource> & Omit<StateInstance, "attributes"> = {},
): StateResource {
  const [type = "", name = ""] = address.split(".");
  const { deposed, key, status, ...rest } = more;
  const of = {
    ...(deposed === undefined ? {} : { deposed }),
    ...(key === undefined ? {} : { key }),
    ...(status === undefined ? {} : { status }),
  };
  return { type, name, instances: [instance(type, id, of)], ...rest };
}
