import type { Deletion, Replaced } from "../manifest/manifest.js";
import type { PlannedOperation } from "./draft.js";
import type { LiveResource } from "./live-resource.js";
import { deleteOperation, orphanOperation, type OperationContext } from "./steps.js";
import type { FindingsCollector } from "./verdicts.js";

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
export function guardDelete(
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
