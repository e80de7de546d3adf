import { manifestPowers } from "../fleet/claim-wishes.js";
import { underFleet } from "../fleet/fleet-line.js";
import type { Fleet } from "../fleet/fleet.js";
import { stackPowers } from "../fleet/stack-powers.js";
import { secretFilesOf, secretsStamp, stackSecrets } from "../fleet/stack-secrets.js";
import type { PassParts } from "./pass-parts.js";

/** Passes whose powers come from a fleet file: nothing that a repository says can widen them. */
export function fleetPowers(fleet: () => Fleet): PassParts {
  return {
    powers: {
      settingsOf: stackPowers,
      refusedOf: manifestPowers,
      worded: underFleet,
      secretsOf: async (target) => ({
        options: { env: {}, secrets: stackSecrets(target, secretFilesOf(fleet())) },
        stamp: secretsStamp(target.secrets),
      }),
    },
  };
}
