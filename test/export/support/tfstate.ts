import type { Json, JsonObject } from "../../../src/core/json.ts";
import { attributesOf, canary } from "./tfstate-schemas.ts";

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
