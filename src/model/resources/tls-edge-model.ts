import { type Json, type JsonObject, isObject } from "../../core/json.js";
import { hostportClaim, hostportKey } from "../../kinds/codecs/reference-codecs.js";
import { modulesThatReadTraffic } from "../../kinds/tls-edge.js";
import { tlsEdgeModules } from "../edge-modules.js";
import { type Reader, wrongType } from "../read-body.js";
import { Rejection } from "../request.js";
import { type ModelContext, type ResourceModel, setModule, textMember } from "../resource-model.js";
import type { IndexKey } from "../world.js";

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
    if (seen.has(key)) throw new Rejection("value-invalid", `${at}[${index}] repeats ${each}.`);
    seen.add(key);
    return each;
  });
};

export const tlsEdgeModel: ResourceModel = {
  members: {
    description: textMember(255),
    metadata: textMember(4096),
    hostports: {
      read: (value, at, context) => {
        const wanted = hostports(value, at);
        refuseTaken(wanted, context);
        return wanted;
      },
    },
  },
  made: () => ({ policy: null }),
  modules: tlsEdgeModules,
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

function refuseTaken(wanted: readonly string[], { before, world }: ModelContext): void {
  if (world.options.knownValuesOnly) refuseOddHostports(wanted);
  for (const hostport of wanted) {
    const holders = [...world.indexes.claim.get(hostportClaim(hostport) ?? "")];
    // A service that shows a hostport on two edges lets each of them keep it.
    if (holders.some((edge) => edge === before?.["id"])) continue;
    for (const edge of holders) {
      throw new Rejection("claim-taken", `the hostport ${hostport} is already served by the TLS edge ${edge}.`);
    }
  }
}

/** Rejects what is not `host:port` with a port from 1 to 65535. */
function refuseOddHostports(list: readonly string[]): void {
  for (const [index, each] of list.entries()) {
    const parts = /^([^\s/:]+|\[[0-9a-f:]+\]):(\d{1,5})$/i.exec(each);
    const port = Number(parts?.[2]);
    if (parts === null || port < 1 || port > 65535) {
      throw new Rejection("value-invalid", `hostports[${index}] must be host:port with a port from 1 to 65535.`);
    }
  }
}
