import { type Json, type JsonObject, isObject } from "../../core/json.js";
import { hostportClaim, hostportKey } from "../../kinds/codecs/reference-codecs.js";
import { modulesThatReadTraffic } from "../../kinds/tls-edge.js";
import { tlsEdgeModules } from "../edge-modules.js";
import { type Reader, readObject, wrongType } from "../read-body.js";
import { Rejection } from "../request.js";
import {
  type ModelContext,
  type ResourceModel,
  descriptionText,
  metadataText,
  namedTexts,
  setModule,
  storedText,
} from "../resource-model.js";
import type { IndexKey } from "../world.js";

const asItIs = (value: Json): Json => value;
const noModules: JsonObject = Object.fromEntries(Object.keys(tlsEdgeModules).map((module) => [module, null]));
/** The modules that `upstream` concerns: a request that names none of them is not refused for what it found. */
const boundByUpstream: ReadonlySet<string> = new Set(["tls_termination", ...modulesThatReadTraffic]);
/** A list of hostports, none twice; keeps its order. */
const hostports: Reader<readonly string[]> = (value, at) => {
  if (!Array.isArray(value)) throw wrongType(at, "a list of host:port", value);
  const list = value as readonly Json[];
  const seen = new Set<string>();
  return list.map((each, index) => {
    if (typeof each !== "string") throw wrongType(`${at}[${index}]`, "a string", each);
    const key = hostportKey(each);
    if (seen.has(key)) throw new Rejection(400, "value-invalid", `${at}[${index}] repeats ${each}.`);
    seen.add(key);
    return each;
  });
};

const members = {
  description: descriptionText,
  metadata: metadataText,
  hostports,
  backend: asItIs,
  ip_restriction: asItIs,
  mutual_tls: asItIs,
  tls_termination: asItIs,
  traffic_policy: asItIs,
};

export const tlsEdgeModel: ResourceModel = {
  create(json, context) {
    const body = readObject(json, "", members, ["hostports"]);
    checkHostports(body.hostports, null, context);
    return {
      description: storedText(body.description, context),
      metadata: storedText(body.metadata, context),
      hostports: body.hostports,
      ...readModules(body, noModules, context),
      policy: null,
    };
  },
  modules: tlsEdgeModules,
  withModule(edge, module, value) {
    const after = { ...edge, [module]: value };
    if (value !== null && boundByUpstream.has(module)) refuseBesideUpstream(after);
    return after;
  },
  update(json, before, context) {
    const body = readObject(json, "", members);
    if (body.hostports !== undefined) checkHostports(body.hostports, before, context);
    return {
      ...namedTexts(body, context),
      ...(body.hostports === undefined ? {} : { hostports: body.hostports }),
      ...readModules(body, {}, context, before),
    };
  },
  keys(edge) {
    const keys: IndexKey[] = [];
    for (const each of Array.isArray(edge["hostports"]) ? edge["hostports"] : []) {
      const claim = hostportClaim(each);
      if (claim !== null) keys.push(["claim", claim]);
    }
    return keys;
  },
};

/** Reads the modules that a body names; one that is named replaces what was there completely. */
function readModules(body: JsonObject, unset: JsonObject, context: ModelContext, before: JsonObject = {}): JsonObject {
  const read: Record<string, Json | undefined> = { ...unset };
  let touched = false;
  for (const [module, readModule] of Object.entries(tlsEdgeModules)) {
    const value = body[module];
    if (value === undefined) continue;
    if (value === null) {
      const remedy = "leave it out to keep what is there, DELETE the module to remove it";
      throw new Rejection(400, "value-type", `${module} must be an object, not null: ${remedy}.`);
    }
    read[module] = readModule(value, module, context);
    touched ||= boundByUpstream.has(module);
  }
  if (touched) refuseBesideUpstream({ ...before, ...read });
  return read;
}

function refuseBesideUpstream(edge: JsonObject): void {
  const termination = edge["tls_termination"];
  if (!isObject(termination) || termination["terminate_at"] !== "upstream") return;
  const blocked = modulesThatReadTraffic.filter((module) => setModule(edge[module]) !== null);
  if (blocked.length === 0) return;
  const what = blocked.join(" and ");
  throw new Rejection(400, "module-conflict", `${what} can't be used when tls_termination.terminate_at is upstream.`);
}

function checkHostports(wanted: readonly string[], before: JsonObject | null, { world }: ModelContext): void {
  if (world.options.knownValuesOnly) refuseOddHostports(wanted);
  for (const hostport of wanted) {
    const holders = [...world.indexes.claim.get(hostportClaim(hostport) ?? "")];
    // A service that shows a hostport on two edges lets each of them keep it.
    if (holders.some((edge) => edge === before?.["id"])) continue;
    for (const edge of holders) {
      throw new Rejection(409, "claim-taken", `the hostport ${hostport} is already served by the TLS edge ${edge}.`);
    }
  }
}

/** Rejects what is not `host:port` with a port from 1 to 65535. */
function refuseOddHostports(list: readonly string[]): void {
  for (const [index, each] of list.entries()) {
    const parts = /^([^\s/:]+|\[[0-9a-f:]+\]):(\d{1,5})$/i.exec(each);
    const port = Number(parts?.[2]);
    if (parts === null || port < 1 || port > 65535) {
      throw new Rejection(400, "value-invalid", `hostports[${index}] must be host:port with a port from 1 to 65535.`);
    }
  }
}
