import type { Value } from "../../core/json.js";
import { addrOf } from "../../kinds/codecs/reference-codecs.js";
import { type Address, addressOf } from "../../kinds/names.js";
import { withoutIgnored } from "../apply-defaults.js";
import { deadReferences, referencesTo } from "../dead-references.js";
import { eachReference } from "../live-index.js";
import type { PlanContext } from "../plan-context.js";
import type { ProposedState } from "../proposed-state.js";
import type { PlannedState } from "./planned-state.js";

/**
 * Refuses to refer to something that is not live, or that this plan deletes because that was allowed: the service would
 * refuse it too, or the next plan would (`reference-not-live`). Runs after the guard of deletes, which asks first.
 */
export function checkLiveReferences({ changed, proposed }: PlannedState, context: PlanContext): void {
  const deleted = deletedThoughReferred(changed, context);
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

/**
 * Refuses to refer by name to the `host:port` of something whose live one the service doesn't show: there is nothing to
 * write (`contradicts-live`).
 */
export function checkShownAddrs({ proposed }: PlannedState, { findings }: PlanContext): void {
  const hidden = new Set<Address>();
  for (const { match, replacedFor } of proposed) {
    const { address, current } = match;
    if (current === null || current.kind.hasAddr !== true || replacedFor.length > 0) continue;
    if (addrOf(current.kind, current.wire) === null) hidden.add(address);
  }
  if (hidden.size === 0) return;
  for (const { match, spec } of proposed) {
    eachReference(match.kind, spec, ({ kind, part, target }, field) => {
      if (part !== "addr" || kind === null || !("name" in target)) return;
      const named = addressOf(kind, target.name);
      if (!hidden.has(named)) return;
      findings.refuse(
        "contradicts-live",
        match.address,
        `${field} refers to ${named}, for which the service shows no host and port`,
        `look at the live resource with \`edgewise list\`; if it is broken, have the service repair it, or write the host and port instead of the name`,
      );
    });
  }
}

/** The instance keys of what is deleted although something refers to it, as allowed. */
function deletedThoughReferred(changed: PlannedState["changed"], { findings }: PlanContext): ReadonlySet<string> {
  const allowed = findings.liftedFor("still-referenced");
  return new Set(
    changed.flatMap(({ address, deleted }) => (allowed.has(address) ? deleted.map(({ key }) => key) : [])),
  );
}

/** Modules that are written with the live reference, because they can't be removed. */
function disabledModules({ remarks, spec }: ProposedState): { readonly [field: string]: Value } {
  return Object.fromEntries(remarks.disabled.map((name) => [name, spec[name] ?? null]));
}
