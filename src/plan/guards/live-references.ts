import type { Value } from "../../json.js";
import { withoutIgnored } from "../apply-defaults.js";
import { deadReferences } from "../dead-references.js";
import type { PlanContext } from "../plan-context.js";
import type { ProposedState } from "../proposed-state.js";
import type { PlannedState } from "./planned-state.js";

/** Refuses to refer to something that is not live: the service would refuse it too (`reference-not-live`). */
export function checkLiveReferences({ proposed }: PlannedState, context: PlanContext): void {
  for (const state of proposed) {
    const { address, current, desired, kind, manifest } = state.match;
    const declared = current === null ? desired : withoutIgnored(desired, manifest.lifecycle.ignore);
    const dead = deadReferences(kind, declared, context);
    const disabled = deadReferences(kind, disabledModules(state), context);
    if (dead.length + disabled.length === 0) continue;
    const named = dead.map(({ path, target }) => `${path} refers to ${target}, which is not live`);
    const sent = disabled.map(
      ({ path, target }) => `disabling ${path}, which has no DELETE, refers to ${target} again, which is not live`,
    );
    context.findings.refuse(
      "reference-not-live",
      address,
      [...named, ...sent].join("; "),
      dead.length > 0
        ? "correct it or remove it; to have it made, describe it in a manifest and refer to that by its name; to send it all the same, allow this address"
        : "name something live in the module, with enabled: false; if the service has DELETE for the module, list it in api.moduleEndpoints; to send it all the same, allow this address",
    );
  }
}

/** Modules that are written with the live reference, because they can't be removed. */
function disabledModules({ remarks, spec }: ProposedState): { readonly [field: string]: Value } {
  return Object.fromEntries(remarks.disabled.map((name) => [name, spec[name] ?? null]));
}
