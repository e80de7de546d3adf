import { addressOf } from "../kinds/names.js";
import { changesOfDelete, markerChange, worst } from "./field-changes.js";
import type { LiveIndex, LiveResource } from "./live-resource.js";
import type { PlanOptions } from "./options.js";
import type { Impact } from "./plan.js";
import { guardDelete } from "./retire.js";
import { deleteOperation, orphanOperation, type OperationContext } from "./steps.js";
import type { FindingsCollector } from "./verdicts.js";
import type { ResourceChange } from "./work.js";

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
