import { isObject } from "../core/json.js";
import { filledText, oneOf, text } from "./read-body.js";
import { Rejection } from "./request.js";
import { type MemberRule, type ModuleReader, moduleOf, refTo, refsTo } from "./resource-model.js";

/** A text of which only these values are known; when the options ask for it, others are refused. */
function known(values: readonly string[]): MemberRule["read"] {
  return (value, at, { world }) => (world.options.knownValuesOnly ? oneOf(values) : filledText)(value, at);
}

/** A TLS version; null = the service's own choice. */
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

/** TLS termination of a TLS edge. What is not named gets the service's choice: at the edge, with its version. */
const readEdgeTermination: ModuleReader = (value, at, context) => {
  const read = readTermination(value, at, context);
  const isChosen = read["terminate_at"] === "upstream" || read["min_version"] !== null;
  return isChosen ? read : { ...read, min_version: context.world.options.defaultMinVersion };
};

/** A traffic policy: kept byte for byte. Phases and actions are not checked: the list grows. */
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

/** The modules of a TLS edge, in the order of its fields. */
export const tlsEdgeModules: { readonly [module: string]: ModuleReader } = {
  backend: moduleOf({ backend_id: { as: "backend", read: refTo("backend") } }),
  ip_restriction: moduleOf({ ip_policy_ids: { as: "ip_policies", read: refsTo("policy") } }),
  mutual_tls: moduleOf({ certificate_authority_ids: { as: "certificate_authorities", read: refsTo("authority") } }),
  tls_termination: readEdgeTermination,
  traffic_policy: readTrafficPolicy,
};
