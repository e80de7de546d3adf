import { type Json, type JsonObject, isObject } from "../../core/json.js";
import { hostportClaim, hostportKey } from "../../kinds/codecs.js";
import { modulesThatReadTraffic } from "../../kinds/tls-edge.js";
import { filledText, listOf, oneOf, text, wrongType } from "../read-body.js";
import { Rejection } from "../request.js";
import {
  type MemberRule,
  type ModelContext,
  type ModuleReader,
  type ResourceModel,
  moduleOf,
  refTo,
  refsTo,
  setModule,
  textMember,
} from "../resource-model.js";
import type { IndexKey } from "../world.js";

function known(values: readonly string[]): MemberRule["read"] {
  return (value, at, { world }) => (world.options.knownValuesOnly ? oneOf(values) : filledText)(value, at);
}

const knownVersion = known(["1.0", "1.1", "1.2", "1.3"]);
export const minVersion: MemberRule = {
  read: (value, at, context) => (value === null ? null : knownVersion(value, at, context)),
  unset: () => null,
};

const readTermination = moduleOf(
  { terminate_at: { read: known(["edge", "upstream"]), unset: () => "edge" }, min_version: minVersion },
  ({ min_version, terminate_at }, at) => {
    if (terminate_at === "upstream" && min_version !== null)
      throw new Rejection("module-conflict", `${at("min_version")} must be null when terminate_at is upstream.`);
  },
);

const readEdgeTermination: ModuleReader = (value, at, context) => {
  const read = readTermination(value, at, context);
  const isChosen = read["terminate_at"] === "upstream" || read["min_version"] !== null;
  return isChosen ? read : { ...read, min_version: context.world.options.defaultMinVersion };
};

export const readTrafficPolicy = moduleOf({ value: { read: text() } }, ({ value }, at, { world }) => {
  if (world.options.knownValuesOnly && !holdsObject(String(value)))
    throw new Rejection("value-invalid", `${at("value")} must be a string that holds a JSON object.`);
});

function holdsObject(json: string): boolean {
  try {
    return isObject(JSON.parse(json));
  } catch {
    return false;
  }
}

/** A request that names none of them is not refused for what it found. */
const boundByUpstream: ReadonlySet<string> = new Set(["tls_termination", ...modulesThatReadTraffic]);

export const tlsEdgeModel: ResourceModel = {
  members: {
    description: textMember(255),
    metadata: textMember(4096),
    hostports: { read: readHostports },
  },
  made: () => ({ policy: null }),
  modules: {
    backend: moduleOf({ backend_id: { as: "backend", read: refTo("backend") } }),
    ip_restriction: moduleOf({ ip_policy_ids: { as: "ip_policies", read: refsTo("policy") } }),
    mutual_tls: moduleOf({ certificate_authority_ids: { as: "certificate_authorities", read: refsTo("authority") } }),
    tls_termination: readEdgeTermination,
    traffic_policy: readTrafficPolicy,
  },
  check(after, named) {
    if (named.some((each) => boundByUpstream.has(each))) refuseBesideUpstream(after);
  },
  keys: ({ hostports: held }) =>
    (Array.isArray(held) ? held : []).flatMap((each: Json): readonly IndexKey[] => {
      const claim = hostportClaim(each);
      return claim === null ? [] : [["claim", claim]];
    }),
};

function refuseBesideUpstream(edge: JsonObject): void {
  const termination = edge["tls_termination"];
  if (!isObject(termination) || termination["terminate_at"] !== "upstream") return;
  const blocked = modulesThatReadTraffic.filter((module) => setModule(edge[module]) !== null);
  if (blocked.length === 0) return;
  const what = blocked.join(" and ");
  throw new Rejection("module-conflict", `${what} can't be used when tls_termination.terminate_at is upstream.`);
}

function readHostports(value: Json, at: string, { before, world }: ModelContext): readonly string[] {
  const seen = new Set<string>();
  return listOf(value, at, "host:port").map((each, index) => {
    if (typeof each !== "string") throw wrongType(`${at}[${index}]`, "a string", each);
    if (seen.has(hostportKey(each))) throw new Rejection("value-invalid", `${at}[${index}] repeats ${each}.`);
    seen.add(hostportKey(each));
    const [, port] = /^(?:[^\s/:]+|\[[0-9a-f:]+\]):(\d{1,5})$/i.exec(each) ?? [];
    if (world.options.knownValuesOnly && !(Number(port) >= 1 && Number(port) <= 65535))
      throw new Rejection("value-invalid", `${at}[${index}] must be host:port with a port from 1 to 65535.`);
    const holders = [...world.indexes.claim.get(hostportClaim(each) ?? "")];
    // A service that shows a hostport on two edges lets each keep it.
    if (holders[0] !== undefined && !holders.some((edge) => edge === before?.["id"]))
      throw new Rejection("claim-taken", `the hostport ${each} is already served by the TLS edge ${holders[0]}.`);
    return each;
  });
}
