import type { Redactor } from "../../redact.js";
import { manifestPowers } from "../fleet/claim-wishes.js";
import { underFleet } from "../fleet/fleet-line.js";
import type { Fleet } from "../fleet/fleet.js";
import { stackPowers } from "../fleet/stack-powers.js";
import { secretFilesOf, secretsStamp, stackSecrets } from "../fleet/stack-secrets.js";
import type { PassParts } from "./pass-parts.js";

/**
 * Passes whose powers come from a fleet file: nothing that a repository says can widen them.
 * @param redactor learns the secrets of all stacks
 */
export function fleetPowers(fleet: () => Fleet, redactor: Redactor): PassParts {
  return {
    powers: {
      settingsOf: stackPowers,
      refusedOf: manifestPowers,
      worded: underFleet,
      secretsOf: async (target) => ({
        options: { env: {}, redactor, secrets: stackSecrets(target, secretFilesOf(fleet())) },
        stamp: secretsStamp(target.secrets),
      }),
    },
  };
}
