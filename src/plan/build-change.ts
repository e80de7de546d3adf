import type { Spec, Value } from "../core/json.js";
import { Secret } from "../core/secret.js";
import type { Deletion, Kind } from "../kinds/kind.js";
import type { Marker } from "../kinds/marker.js";
import type { Address } from "../kinds/names.js";
import { isValueObject } from "../kinds/policy.js";
import { createOperations, deleteOperation, orphanOperation, updateOperations } from "./build-operations.js";
import { changesOfReplace, changesOfUpdate, changesOfWhole, impactOfDelete, markerChange } from "./field-changes.js";
import { type LiveResource, addressOfLive, deletionOf, isSheltered, replacedBy } from "./live-index.js";
import { type Differences, specPath, valueAt } from "./diff.js";
import { type ComparedWithLive, lifecycleOf, type Match, type ProposedState } from "./match.js";
import { type OperationContext, type PlanContext, Findings } from "./plan-context.js";
import { type Change, worstImpact } from "./plan-format.js";
import { unavailableSources } from "./plan-secrets.js";
import type { PlannedOperation } from "./order.js";

export type ResourceChange = Readonly<{
  address: Address;
  kind: Kind;
  change: Change | null;
  sequence: readonly PlannedOperation[];
  /** Duplicates: either may need what the other holds. */
  unorderedDeletes?: readonly PlannedOperation[];
  touched: readonly LiveResource[];
  /** `resource` null = to be made; null when nothing stays. */
  result: Readonly<{ spec: Spec; resource: LiveResource | null }> | null;
  deleted: readonly LiveResource[];
  ignore: readonly string[];
}>;

export function buildChange(state: ProposedState, planContext: PlanContext): ResourceChange {
  const { compared, match, replacedFor, spec } = state;
  const { address, kind } = match;
  const context = { ...planContext, kind, address };
  if (compared === null) return buildCreate(state, context);
  if (replacedFor.length > 0) return buildReplace(state, compared, context);
  reportUncompared(context, spec, compared.differences);
  const isUnchanged =
    compared.differences.changed.length + match.retired.length + match.duplicates.length === 0 &&
    !needsMarker(match, compared.current, context);
  return isUnchanged
    ? resourceChange(match, { result: { spec, resource: compared.current } })
    : buildUpdate(state, compared, context);
}

function buildCreate({ match, spec }: ProposedState, context: OperationContext): ResourceChange {
  reportUnavailable(context, spec, Object.keys(context.kind.fields));
  refuseHazards(context, null, spec);
  const marker = desiredMarker(match, context, null);
  return resourceChange(match, {
    change: changeOf(match, { action: "create", id: null, fields: changesOfWhole(context, null, spec), notes: [] }),
    sequence: createOperations(context, spec, marker, []),
    result: { spec, resource: null },
  });
}

function buildReplace(
  { match, replacedFor, spec }: ProposedState,
  { current, differences }: ComparedWithLive,
  context: OperationContext,
): ResourceChange {
  const fields = changesOfReplace(context, { before: current.spec, after: spec, changed: differences.changed });
  reportUnavailable(context, spec, Object.keys(context.kind.fields));
  const paths = replacedFor.map((field) => `spec.${field}`).join(", ");
  if (adopts(match)) {
    context.findings.refuse(
      "adopt-needs-replace",
      match.address,
      `${current.id} can't be adopted: ${paths} differs and can't be changed in place`,
      `set ${paths} to the live value, and change it once it is adopted; or remove metadata.id to create a new one`,
    );
  }
  refuseHazards(context, null, spec);
  const { end, operations, notes, ...others } = retire(match, [...match.retired, current], context);
  const marker = { ...desiredMarker(match, context, null), replaces: current.id };
  const why = `replaces ${current.id}: ${paths} can't be changed in place`;
  const note = `${paths} can't be changed in place: a new one is created, references are moved to it, then the old one ${end}`;
  return resourceChange(match, {
    ...others,
    change: changeOf(match, { action: "replace", id: current.id, fields, notes: [note, ...notes(match.duplicates)] }),
    sequence: [...createOperations(context, spec, marker, [why]), ...operations],
    touched: [current, ...match.retired, ...match.duplicates],
    result: { spec, resource: null },
  });
}

function buildUpdate(state: ProposedState, compared: ComparedWithLive, context: OperationContext): ResourceChange {
  const { disabled, match, overruled, spec } = state;
  const { kind } = match;
  const { current, differences } = compared;
  const { changed } = differences;
  const marks = needsMarker(match, current, context);
  const replaces = replacedBy(current, context.index)?.id;
  const marker = { ...desiredMarker(match, context, current.id), ...(replaces !== undefined && { replaces }) };
  const left = [...match.retired, ...match.duplicates];
  const { operations, notes, ...others } = retire(match, match.retired, context);
  const updated = changesOfUpdate(context, { before: current.spec, after: spec, changed }).map((field) => {
    const note = overruled.get(field.path);
    return note === undefined ? field : { ...field, note };
  });
  const fields = [...(marks ? [markerChange(current.marker, marker)] : []), ...updated];
  if (changed.length > 0) refuseHazards(context, current.spec, spec);
  for (const name of disabled) {
    const message = `${name} has no DELETE in the API: it is disabled instead, and counts as absent from then on`;
    context.findings.warn("module-disabled", message, match.address);
  }
  const names = [...new Set(changed.map(({ field }) => field))];
  const writesMetadata = marks || names.some((name) => kind.fields[name]?.marker === true);
  const how = { marks: writesMetadata, adopts: adopts(match) };
  const own = updateOperations(context, { live: current, spec, marker }, names, how);
  const [leftOver] = left;
  const action = leftOver !== undefined ? "replace" : adopts(match) ? "adopt" : "update";
  const why = [
    ...notesOfUpdate(match, current, context),
    ...fields.flatMap(({ note }) => note ?? []),
    ...(disabled.length === 0 ? [] : [`${disabled.join(", ")}: disabled, as it can't be removed`]),
    ...notes(left),
  ];
  return resourceChange(match, {
    ...others,
    change: changeOf(match, { action, id: leftOver?.id ?? current.id, fields, notes: why }),
    sequence: [...own, ...operations],
    touched: [current, ...left],
    result: { spec, resource: current },
  });
}

export function buildRemoval(
  resource: LiveResource,
  replacement: LiveResource | undefined,
  planContext: PlanContext,
): ResourceChange {
  const { id, kind, marker, spec } = resource;
  const address = addressOfLive(resource);
  const context = { ...planContext, kind, address };
  const shared = { address, kind, touched: [resource], ignore: [] };
  const subject = { address, id, source: null, origin: null };
  const replaced = replacement && (replacement.marker?.replaced ?? kind.defaults.replaced);
  if (deletionOf(resource) === "orphan" || replaced === "orphan") {
    const fields = [markerChange(marker, null)];
    const notes = ["the marker is removed; the resource stays and is unmanaged"];
    return {
      ...shared,
      change: { ...subject, action: "orphan", fields, impact: "none", reason: null, notes },
      sequence: [orphanOperation(context, resource)],
      result: { spec, resource },
      deleted: [],
    };
  }
  guardDelete(context, resource);
  const fields = changesOfWhole(context, spec, null);
  return {
    ...shared,
    change: { ...subject, action: "delete", fields, ...impactOfDelete(context, spec, fields), notes: [] },
    sequence: [deleteOperation(context, resource)],
    result: null,
    deleted: [resource],
  };
}

function retire(match: Match, old: readonly LiveResource[], planned: OperationContext) {
  // What can't be adopted is not deleted either.
  const context = adopts(match) ? { ...planned, findings: new Findings([]) } : planned;
  const { deletion, replaced } = lifecycleOf(match);
  const isKept = replaced === "orphan";
  const end = isKept ? "is kept, no longer managed" : "is deleted";
  const remove = (resource: LiveResource): PlannedOperation => {
    guardDelete(context, resource, deletion);
    return { ...deleteOperation(context, resource), notes: ["deletes what was replaced, which nothing uses any more"] };
  };
  const orphan = (resource: LiveResource): PlannedOperation => {
    return { ...orphanOperation(context, resource), notes: ["removes the marker of what was replaced"] };
  };
  return {
    end,
    operations: old.map(isKept ? orphan : remove),
    unorderedDeletes: match.duplicates.map(remove),
    deleted: [...(isKept ? [] : old), ...match.duplicates],
    notes: (left: readonly LiveResource[]) =>
      left.map((one) => {
        const what = match.duplicates.includes(one) ? "is deleted" : end;
        return `${one.id} is left from an interrupted replacement and ${what}`;
      }),
  };
}

function resourceChange(
  { address, kind, manifest }: Match,
  more: Pick<ResourceChange, "result"> & Partial<ResourceChange>,
): ResourceChange {
  const { ignore } = manifest.lifecycle;
  return { address, kind, ignore, change: null, sequence: [], touched: [], deleted: [], ...more };
}

function changeOf(
  { address, manifest }: Match,
  { action, id, fields, notes }: Pick<Change, "action" | "id" | "fields" | "notes">,
): Change {
  const { file, line } = manifest.source;
  return { address, action, id, source: { file, line }, fields, ...worstImpact(fields), origin: null, notes };
}

function adopts({ matchedBy }: Match) {
  return matchedBy === "adopt" || matchedBy === "take-over";
}

function notesOfUpdate({ kind, manifest, matchedBy }: Match, { id, marker }: LiveResource, context: PlanContext) {
  if (matchedBy === "adopt") return [`adopts ${id}, which no stack owns`];
  if (kind.collection === null || marker === null) return [];
  const stack = JSON.stringify(marker.stack);
  if (matchedBy === "take-over") return [`takes ${id} over from stack ${stack}`];
  return [
    ...(marker.name === manifest.name ? [] : [`renamed from ${marker.name}; the resource stays`]),
    ...(marker.stack === context.options.stack ? [] : [`comes from stack ${stack}`]),
  ];
}

function desiredMarker(match: Match, { options }: PlanContext, id: string | null): Marker {
  const { deletion, replaced } = lifecycleOf(match);
  const { kind, manifest } = match;
  return {
    stack: options.stack,
    name: manifest.name,
    ...(deletion === kind.defaults.deletion ? {} : { deletion }),
    ...(replaced === kind.defaults.replaced ? {} : { replaced }),
    ...(manifest.id === null || manifest.id === id ? {} : { adopted: manifest.id }),
  };
}

function needsMarker(match: Match, { marker }: LiveResource, { options }: PlanContext) {
  const { kind, manifest } = match;
  if (kind.collection === null) return false;
  if (marker === null || marker.stack !== options.stack || marker.name !== manifest.name) return true;
  const { deletion, replaced } = { ...kind.defaults, ...marker };
  const wanted = lifecycleOf(match);
  return deletion !== wanted.deletion || replaced !== wanted.replaced;
}

function guardDelete(context: OperationContext, resource: LiveResource, desired?: Deletion) {
  const { kind, address, findings, live } = context;
  if (isSheltered(kind, live)) {
    findings.refuse(
      "still-referenced",
      null,
      `${address}: ${resource.id} would be deleted, but the resources that may refer to it can't be read`,
      "use a key that can read them; or keep what is replaced (lifecycle.replaced: orphan), and delete duplicates yourself",
    );
  }
  const isMarked = deletionOf(resource) === "protect";
  if (isMarked || desired === "protect") {
    findings.refuse(
      "deletion-protected",
      address,
      `${resource.id} is protected from deletion${isMarked && desired !== "protect" ? " by its marker" : ""}`,
      "keep its manifest, or apply it with lifecycle.deletion: delete (or orphan) first; to delete it anyway, {allow}",
    );
  }
  refuseHazards(context, resource.spec, null);
}

function refuseHazards({ kind, address, findings }: OperationContext, before: Spec | null, after: Spec | null) {
  for (const { code, message, remedy } of kind.hazards(before, after)) findings.refuse(code, address, message, remedy);
}

function reportUnavailable(context: OperationContext, spec: Spec, written: readonly string[]) {
  const check = (path: string, value: Value) => {
    if (!(value instanceof Secret) || value.missing === null) return;
    const message = `spec.${path} is not available here; apply will need it (${value.missing})`;
    context.findings.warn("secret-unavailable", message, context.address);
  };
  for (const name of written) {
    const value = spec[name] ?? null;
    check(name, value);
    for (const [member, part = null] of isValueObject(value) ? Object.entries(value) : [])
      check(`${name}.${member}`, part);
  }
  recordUnavailable(context, spec, written);
}

function reportUncompared(context: OperationContext, spec: Spec, { changed, uncertain }: Differences) {
  const { address, findings } = context;
  for (const path of uncertain) {
    const value = valueAt(spec, path);
    const reason = value instanceof Secret && value.missing !== null ? ` (${value.missing})` : "";
    findings.warn(
      "secret-unknown",
      `${path} is a secret that is not available here: it counts as unchanged${reason}`,
      address,
    );
  }
  const names = new Set(changed.map(({ field }) => field));
  reportUnavailable(context, spec, [...names]);
  const others = uncertain.flatMap((path) => specPath(path)?.field ?? []).filter((name) => !names.has(name));
  recordUnavailable(context, spec, [...new Set(others)]);
}

function recordUnavailable({ address, findings }: OperationContext, spec: Spec, fields: readonly string[]) {
  const sources = fields.flatMap((name) => unavailableSources(spec[name] ?? null));
  findings.unavailable.push(...sources.map((source) => ({ address, source })));
}
