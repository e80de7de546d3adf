import { type ModuleModel, type ModuleReader, moduleOf } from "../resource-model.js";
import { minVersion } from "./tls-edge-model.js";

const readVersion = moduleOf({ min_version: minVersion });

/** Only responses have `terminate_at`. */
const readTermination: ModuleReader = (value, at, context) => {
  const { enabled, min_version } = readVersion(value, at, context);
  return { enabled, terminate_at: "edge", min_version: min_version ?? context.world.options.defaultMinVersion };
};

export const httpsEdgeModel: ModuleModel = {
  path: "/edges/https/{edge}",
  modules: { tls_termination: { title: "TLS termination", read: readTermination } },
};
