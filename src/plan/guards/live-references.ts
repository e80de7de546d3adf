import type { Value } from "../../json.js";
import { withoutIgnored } from "../apply-defaults.js";
import { deadReferences, referencesTo } from "../dead-references.js";
import type { PlanContext } from "../plan-context.js";
import type { ProposedState } from "../proposed-state.js";
import type { PlannedState } from "./planned-state.js";

/**
 * Refuses to refer to something that is not live, or that this plan deletes because that was allowed: the service would
 * refuse it too, or the next plan would (`reference-not-live`). Runs after the guard of deletes, which asks first.
 */
export function checkLiveReferences({ changes, proposed }: PlannedState, context: PlanContext): void {
  const deleted = deletedThoughReferred(changes, context);
  for (const state of proposed) {
    const { address, current, desired, kind, manifest } = state.match;
    const declared = current === null ? desired : withoutIgnored(desired, manifest.lifecycle.ignore);
    const dead = deadReferences(kind, declared, context);
    const disabled = deadReferences(kind, disabledModules(state), context);
    const dying = deleted.size === 0 ? [] : referencesTo(deleted, { kind, spec: declared }, context);
    if (dead.length + disabled.length + dying.length === 0) continue;
    const named = [
      ...dead.map(({ path, target }) => `${path} refers to ${target}, which is not live`),
      ...dying.map(({ path, target }) => `${path} refers to ${target}, which this plan deletes`),
    ];
    const sent = disabled.map(
      ({ path, target }) => `disabling ${path}, which has no DELETE, refers to ${target} again, which is not live`,
    );
    context.findings.refuse(
      "reference-not-live",
      address,
      [...named, ...sent].join("; "),
      named.length > 0
        ? "correct it or remove it; to have it made, describe it in a manifest and refer to that by its name; to send it all the same, {allow}"
        : "name something live in the module, with enabled: false; if the service has DELETE for the module, list it in api.moduleEndpoints; to send it all the same, {allow}",
    );
  }
}

/** The instance keys of what is deleted although something refers to it, as allowed. */
function deletedThoughReferred(changes: PlannedState["changes"], { findings }: PlanContext): ReadonlySet<string> {
  const allowed = findings.liftedFor("still-referenced");
  return new Set(
    changes.flatMap(({ address, deleted }) => (allowed.has(address) ? deleted.map(({ key }) => key) : [])),
  );
}

/** Modules that are written with the live reference, because they can't be removed. */
function disabledModules({ remarks, spec }: ProposedState): { readonly [field: string]: Value } {
  return Object.fromEntries(remarks.disabled.map((name) => [name, spec[name] ?? null]));
}
