import type { Deletion, Replaced } from "../kinds/kind.js";
import { deleteOperation, orphanOperation } from "./build-operations.js";
import { changesOfDelete, markerChange } from "./field-changes.js";
import { guardDelete } from "./guards/deletes.js";
import { type LiveResource, addressOfLive, deletionOf, replacedOf } from "./live-index.js";
import { type OperationContext, type PlanContext, forResource } from "./plan-context.js";
import { type Change, worstImpact } from "./plan-format.js";
import type { PlannedOperation, ResourceChange } from "./resource-change.js";

/**
 * Turns an owned resource without a manifest into its delete, or orphans it when its marker says so.
 * @param replacement what was made to replace it; its marker says what becomes of the old one
 */
export function buildRemoval(
  resource: LiveResource,
  replacement: LiveResource | undefined,
  context: PlanContext,
): ResourceChange {
  const { kind } = resource;
  const address = addressOfLive(resource);
  const own = forResource(context, kind, address);
  const shared = { address, kind, touched: [resource], ignore: [] };
  const subject = { address, id: resource.id, source: null, origin: null };
  if (deletionOf(resource) === "orphan" || (replacement !== undefined && replacedOf(replacement) === "orphan")) {
    const notes = ["the marker is removed; the resource stays and is unmanaged"];
    const fields = [markerChange(resource.marker, null)];
    return {
      ...shared,
      change: { ...subject, action: "orphan", fields, impact: "none", reason: null, notes },
      sequence: [orphanOperation(own, resource)],
      result: { spec: resource.spec, resource },
      deleted: [],
    };
  }
  guardDelete(own, resource);
  const fields = changesOfDelete(own, resource.spec);
  return {
    ...shared,
    change: { ...subject, action: "delete", fields, ...impactOfDelete(own, resource, fields), notes: [] },
    sequence: [deleteOperation(own, resource)],
    result: null,
    deleted: [resource],
  };
}

/** What deleting a resource does, with the worst of its fields. */
export function impactOfDelete(
  { kind, judged }: Pick<OperationContext, "kind" | "judged">,
  { spec }: Pick<LiveResource, "spec">,
  fields: Change["fields"],
): Pick<Change, "impact" | "reason"> {
  // Deleting may lose something for good; the drift that it undoes, a resource that somebody made, lost nothing.
  if (judged === "drift") return worstImpact(fields);
  const loss = kind.hazards?.(spec, null).find(({ code }) => code === "irreversible");
  return loss === undefined ? worstImpact(fields) : { impact: "irreversible", reason: loss.message };
}

/** What ends a replacement: the old resource is deleted or orphaned. */
export interface Retirement {
  readonly operations: readonly PlannedOperation[];
  readonly deleted: readonly LiveResource[];
  readonly notes: readonly string[];
  /** The id of the first one. */
  readonly old: string | null;
}

/** Deletes or orphans replaced resources, under the guards of every delete. */
export function retire(
  context: OperationContext,
  resources: readonly LiveResource[],
  {
    policy,
    desiredDeletion,
    interrupted,
  }: {
    readonly policy: Replaced;
    readonly desiredDeletion: Deletion;
    /** An earlier run made the replacement and did not get to this. */
    readonly interrupted: boolean;
  },
): Retirement {
  const operations: PlannedOperation[] = [];
  const deleted: LiveResource[] = [];
  const notes: string[] = [];
  for (const resource of resources) {
    const end = policy === "orphan" ? "is kept, no longer managed" : "is deleted now";
    if (interrupted) notes.push(`${resource.id} is left from an interrupted replacement and ${end}`);
    if (policy === "orphan") {
      operations.push(
        orphanOperation(context, resource, [
          "orphans the replaced resource: the marker is removed, the resource stays",
        ]),
      );
      continue;
    }
    guardDelete(context, resource, desiredDeletion);
    operations.push(deleteOperation(context, resource, ["deletes the replaced resource, which nothing uses any more"]));
    deleted.push(resource);
  }
  return { operations, deleted, notes, old: resources[0]?.id ?? null };
}
