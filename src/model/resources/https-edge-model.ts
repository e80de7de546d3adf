import { minVersion, refuseUnknown } from "../edge-modules.js";
import { flag, readObject } from "../read-body.js";
import type { ModuleModel, ModuleReader } from "../resource-model.js";

/** Responses have `terminate_at`, requests don't. */
const readTermination: ModuleReader = (value, at, { world }) => {
  const body = readObject(value, at, { enabled: flag, min_version: minVersion });
  refuseUnknown(body, at, world);
  return {
    enabled: body.enabled ?? true,
    terminate_at: "edge",
    min_version: body.min_version ?? world.options.defaultMinVersion,
  };
};

export const httpsEdgeModel: ModuleModel = {
  path: "/edges/https/{edge}",
  modules: { tls_termination: { title: "TLS termination", read: readTermination } },
};
