import type { JsonObject } from "../../json.js";
import { filledText, flag, oneOf, readObject } from "../read-body.js";
import type { Reader } from "../read-body.js";
import { Rejection } from "../rejection.js";
import { memberPath } from "./edge-module.js";
import type { World } from "../world.js";
import type { ModuleReader } from "./edge-module.js";

/** A TLS version, or null for the service's own choice. */
const minVersion: Reader<string | null> = (value, at) => (value === null ? null : filledText(value, at));
const knownValues: { readonly [member: string]: Reader } = {
  terminate_at: oneOf(["edge", "upstream"]),
  min_version: oneOf(["1.0", "1.1", "1.2", "1.3"]),
};

/** TLS termination of a TLS edge. What is not named gets the service's choice: at the edge, with its version. */
export const readEdgeTermination: ModuleReader = (value, at, { world }) => {
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

/** TLS termination of an HTTPS edge: `terminate_at` is in its answers alone. */
export const readHttpsTermination: ModuleReader = (value, at, { world }) => {
  const body = readObject(value, at, { enabled: flag, min_version: minVersion });
  refuseUnknown(body, at, world);
  return {
    enabled: body.enabled ?? true,
    terminate_at: "edge",
    min_version: body.min_version ?? world.options.defaultMinVersion,
  };
};

/** Some services take more values than the specification names. */
function refuseUnknown(body: JsonObject, at: string, { options }: World): void {
  if (!options.knownValuesOnly) return;
  for (const [member, read] of Object.entries(knownValues)) {
    const value = body[member];
    if (value !== undefined && value !== null) read(value, memberPath(at, member));
  }
}
