import type { Impact } from "../kinds/impact.js";
import type { Deletion, Replaced } from "../kinds/kind.js";
import { addressOf } from "../kinds/names.js";
import { type OperationContext, deleteOperation, orphanOperation } from "./build-operations.js";
import { changesOfDelete, markerChange, worst } from "./field-changes.js";
import type { FindingsCollector } from "./findings-collector.js";
import type { LiveIndex, LiveResource } from "./live-index.js";
import type { PlanOptions } from "./options.js";
import type { PlannedOperation, ResourceChange } from "./resource-change.js";

/** Turns an owned resource that no manifest describes into its delete, or lets it go when its marker says so. */
export function buildRemoval(
  resource: LiveResource,
  index: LiveIndex,
  options: PlanOptions,
  verdicts: FindingsCollector,
): ResourceChange {
  const { kind } = resource;
  const address = addressOf(kind.kind, resource.marker?.name ?? resource.id);
  const context: OperationContext = { kind, address, index, moduleEndpoints: options.moduleEndpoints };
  const shared = { address, kind, touched: [resource], ignore: [] };
  const empty = { address, id: resource.id, source: null, origin: null };
  if ((resource.marker?.deletion ?? kind.defaults.deletion) === "orphan") {
    const notes = ["the marker is taken off; the resource stays as it is and is nobody's"];
    const fields = [markerChange(resource.marker, null)];
    return {
      ...shared,
      change: { ...empty, action: "orphan", fields, impact: "none", reason: null, notes },
      sequence: [orphanOperation(context, resource)],
      result: { spec: resource.spec, resource },
      deleted: [],
    };
  }
  guardDelete(context, resource, undefined, verdicts);
  const fields = changesOfDelete(kind, resource.spec, options.judged ?? "change");
  // Deleting may lose something for good; that somebody made it loses nothing.
  const lost =
    options.judged === "drift"
      ? undefined
      : (kind.hazards?.(resource.spec, null) ?? []).find((hazard) => hazard.code === "irreversible");
  const { impact, reason }: { impact: Impact; reason: string | null } =
    lost === undefined ? worst(fields) : { impact: "irreversible", reason: lost.message };
  return {
    ...shared,
    change: { ...empty, action: "delete", fields, impact, reason, notes: [] },
    sequence: [deleteOperation(context, resource)],
    result: null,
    deleted: [resource],
  };
}

/** What ends a replacement: the old one goes. */
export interface Retirement {
  readonly operations: readonly PlannedOperation[];
  readonly deleted: readonly LiveResource[];
  readonly notes: readonly string[];
  /** The id of the first one that goes. */
  readonly old: string | null;
}

/** Deletes or lets go what was replaced, under the guards of every delete. */
export function retire(
  context: OperationContext,
  resources: readonly LiveResource[],
  policy: Replaced,
  desiredDeletion: Deletion | undefined,
  verdicts: FindingsCollector,
  unfinished: boolean,
): Retirement {
  const steps: PlannedOperation[] = [];
  const deleted: LiveResource[] = [];
  const notes: string[] = [];
  for (const resource of resources) {
    if (unfinished) notes.push(`${resource.id} is left over and goes now: this finishes what was cut short before`);
    if (policy === "orphan") {
      steps.push(
        orphanOperation(context, resource, ["lets the replaced one go: the marker is taken off, the resource stays"]),
      );
      continue;
    }
    guardDelete(context, resource, desiredDeletion, verdicts);
    steps.push(deleteOperation(context, resource, ["deletes the replaced one, which nothing uses any more"]));
    deleted.push(resource);
  }
  return { operations: steps, deleted, notes, old: resources[0]?.id ?? null };
}

/** Refuses the delete of what is protected or can't be had back. */
function guardDelete(
  { kind, address }: OperationContext,
  resource: LiveResource,
  desired: Deletion | undefined,
  verdicts: FindingsCollector,
): void {
  const marked = resource.marker?.deletion ?? kind.defaults.deletion;
  if (marked === "protect" || desired === "protect") {
    verdicts.refuse(
      "deletion-protected",
      address,
      `${resource.id} is protected from deletion${marked === "protect" && desired !== "protect" ? " by its marker" : ""}`,
      "keep its manifest; or set lifecycle.deletion: delete (or orphan) in it and apply that first; to delete it all the same, allow this address",
    );
  }
  for (const hazard of kind.hazards?.(resource.spec, null) ?? []) {
    verdicts.refuse(hazard.code, address, hazard.message, hazard.remedy);
  }
}
