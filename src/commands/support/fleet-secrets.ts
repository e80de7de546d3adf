import type { SecretReading } from "../../serve/fleet/read-secret-source.js";
import type { GuardedIo } from "./io.js";

/** How secrets of the fleet file are read: no output shows them from then on. */
export function fleetSecrets({ env, redactor }: Pick<GuardedIo, "env" | "redactor">): SecretReading {
  return { env, onSecret: (secret) => redactor.addKey(secret) };
}
