import { type JsonObject, isObject } from "../core/json.js";
import { type Reader, filledText, flag, ids, oneOf, readObject, text } from "./read-body.js";
import { Rejection } from "./request.js";
import { type ModuleReader, policyRefs, refTo, referables, refsTo } from "./resource-model.js";
import type { World } from "./world.js";

/** The name of a module's member in messages. */
export function memberPath(at: string, member: string): string {
  return at === "" ? member : `${at}.${member}`;
}

/** A TLS version, or null for the service's own choice. */
export const minVersion: Reader<string | null> = (value, at) => (value === null ? null : filledText(value, at));
const knownValues: { readonly [member: string]: Reader } = {
  terminate_at: oneOf(["edge", "upstream"]),
  min_version: oneOf(["1.0", "1.1", "1.2", "1.3"]),
};

/** TLS termination of a TLS edge. What is not named gets the service's choice: at the edge, with its version. */
const readEdgeTermination: ModuleReader = (value, at, { world }) => {
  const shape = { enabled: flag, terminate_at: filledText, min_version: minVersion };
  const body = readObject(value, at, shape);
  refuseUnknown(body, at, world);
  const terminateAt = body.terminate_at ?? "edge";
  const named = body.min_version ?? null;
  if (terminateAt === "upstream" && named !== null) {
    const place = memberPath(at, "min_version");
    throw new Rejection(400, "module-conflict", `${place} must be null when terminate_at is upstream.`);
  }
  return {
    enabled: body.enabled ?? true,
    terminate_at: terminateAt,
    min_version: terminateAt === "upstream" ? null : (named ?? world.options.defaultMinVersion),
  };
};

/** Refuses values that no known service takes, when the options ask for it. */
export function refuseUnknown(body: JsonObject, at: string, { options }: World): void {
  if (!options.knownValuesOnly) return;
  for (const [member, read] of Object.entries(knownValues)) {
    const value = body[member];
    if (value !== undefined && value !== null) read(value, memberPath(at, member));
  }
}

/** A traffic policy: kept byte for byte. Phases and actions are not checked: the list grows. */
export const readTrafficPolicy: ModuleReader = (value, at, { world }) => {
  const body = readObject(value, at, { enabled: flag, value: text() }, ["value"]);
  if (world.options.knownValuesOnly && !holdsObject(body.value)) {
    throw new Rejection(400, "value-invalid", `${memberPath(at, "value")} must be a string that holds a JSON object.`);
  }
  return { enabled: body.enabled ?? true, value: body.value };
};

function holdsObject(json: string): boolean {
  try {
    return isObject(JSON.parse(json));
  } catch {
    return false;
  }
}

const readBackend: ModuleReader = (value, at, context) => {
  const body = readObject(value, at, { enabled: flag, backend_id: filledText }, ["backend_id"]);
  const place = memberPath(at, "backend_id");
  return { enabled: body.enabled ?? true, backend: refTo(body.backend_id, referables.backend, place, context) };
};

const readIpRestriction: ModuleReader = (value, at, context) => {
  const body = readObject(value, at, { enabled: flag, ip_policy_ids: ids }, ["ip_policy_ids"]);
  const place = memberPath(at, "ip_policy_ids");
  return {
    enabled: body.enabled ?? true,
    ip_policies: policyRefs(body.ip_policy_ids, place, context),
  };
};

const readMutualTls: ModuleReader = (value, at, context) => {
  const shape = { enabled: flag, certificate_authority_ids: ids };
  const body = readObject(value, at, shape, ["certificate_authority_ids"]);
  const place = memberPath(at, "certificate_authority_ids");
  return {
    enabled: body.enabled ?? true,
    certificate_authorities: refsTo(body.certificate_authority_ids, referables.authority, place, context),
  };
};

/** The modules of a TLS edge, in the order of its fields. */
export const tlsEdgeModules: { readonly [module: string]: ModuleReader } = {
  backend: readBackend,
  ip_restriction: readIpRestriction,
  mutual_tls: readMutualTls,
  tls_termination: readEdgeTermination,
  traffic_policy: readTrafficPolicy,
};
