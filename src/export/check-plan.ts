import { isObject } from "../core/json.js";
import { kindOf } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import { specFromManifest } from "../kinds/normal-form.js";
import type { Live } from "../live/live.js";
import type { Manifest } from "../manifest/manifest.js";
import { deadReferences } from "../plan/dead-references.js";
import { plan } from "../plan/make-plan.js";
import type { PlanOptions } from "../plan/options.js";
import { type PlanContext, planContext } from "../plan/plan-context.js";
import type { Change, Operation } from "../plan/plan-format.js";
import type { Objection } from "./leave-out.js";

/**
 * Plans what an export is about to write, and objects to all that is refused or changes more than the owner: the plan of
 * an export adopts, and nothing else. Values that are unknown without their secrets count as unchanged.
 * @param stacks this one, then the previous ones
 */
export function checkPlan(manifests: readonly Manifest[], live: Live, stacks: readonly string[]): readonly Objection[] {
  const [stack = "", ...previousStacks] = stacks;
  const options: PlanOptions = { ...planOptions, stack, previousStacks };
  const dead = deadFields(manifests, planContext(live, options));
  if (dead.length > 0) return dead;
  const { changes, operations, refusals } = plan(manifests, live, options);
  return [
    ...operations.flatMap(tooLarge),
    ...refusals.flatMap(({ address, message }) =>
      address === undefined ? [] : [{ address, field: null, why: message }],
    ),
    ...changes.flatMap(unexpected),
  ];
}

/** Fields that refer to something that is not live, which is left to somebody who knows what it should be. */
function deadFields(manifests: readonly Manifest[], context: PlanContext): readonly Objection[] {
  return manifests.flatMap(({ address, kind, spec }) =>
    deadReferences(kinds[kind], specFromManifest(kinds[kind], spec), context).map(({ path, target }) => ({
      address,
      field: path.split(".")[1] ?? null,
      why: `it refers to ${target}, which is not live`,
    })),
  );
}

/** The marker may not fit beside metadata that the manifest ignores. */
function tooLarge({ address, body }: Operation): readonly Objection[] {
  if (!isObject(body)) return [];
  return kinds[kindOf(address)].fieldList.flatMap(({ field: { maxBytes = Infinity }, name: field }) => {
    const sent = body[field];
    const size = typeof sent === "string" ? Buffer.byteLength(sent) : 0;
    const why = `with the ownership marker, its ${field} would take ${size} bytes; the service accepts ${maxBytes}`;
    return size > maxBytes ? [{ address, field, why }] : [];
  });
}

function unexpected({ action, address, fields }: Change): readonly Objection[] {
  if (action !== "adopt" && action !== "update")
    return [{ address, field: null, why: `the next plan would ${action} it` }];
  return fields.flatMap(({ path, unavailable, unknown }) => {
    if (path === "metadata.marker" || unknown === true || (unavailable ?? []).length > 0) return [];
    return [{ address, field: path.split(".")[1] ?? null, why: "the next plan would change it" }];
  });
}

/** What is pruned or counted is no matter of what is exported. */
const planOptions: Omit<PlanOptions, "stack" | "previousStacks"> = {
  baseUrl: "",
  toolVersion: "",
  moduleEndpoints: [],
  prune: false,
  allow: [],
  maxDeletes: null,
  allowEmpty: true,
  takeOver: true,
  only: null,
  destroy: false,
  lookUp: false,
  // A rehearsal speaks of the plan as a whole, and adds nothing about a manifest.
  rehearse: false,
};
