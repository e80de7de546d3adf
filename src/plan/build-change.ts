import type { Spec } from "../core/json.js";
import type { Replaced } from "../kinds/kind.js";
import type { Marker } from "../kinds/marker.js";
import { createOperations, updateOperations } from "./build-operations.js";
import { type Retirement, retire } from "./build-removal.js";
import { specPath } from "./diff.js";
import { changesOfCreate, changesOfReplace, changesOfUpdate, markerChange } from "./field-changes.js";
import { FindingsCollector } from "./findings-collector.js";
import { guardIgnoredTexts, guardMetadata } from "./guards/metadata.js";
import { warnAboutSecrets, warnAboutUncompared } from "./guards/secrets.js";
import type { LiveResource } from "./live-index.js";
import { type Match, lifecycleOf } from "./match.js";
import type { PlanOptions } from "./options.js";
import { type OperationContext, type PlanContext, forResource } from "./plan-context.js";
import { type Action, type Change, type FieldChange, worstImpact } from "./plan-format.js";
import { unavailableSecrets } from "./plan-secrets.js";
import type { ComparedWithLive, ProposedState } from "./proposed-state.js";
import type { ResourceChange } from "./resource-change.js";

/** Turns one matched manifest into its change and operations: nothing, or a create, a replacement, or an update. */
export function buildChange(state: ProposedState, context: PlanContext): ResourceChange {
  const { compared, match, replacedFor } = state;
  if (compared === null) return buildCreate(state, forResource(context, match.kind, match.address));
  if (replacedFor.length > 0) return buildReplace(state, compared, forResource(context, match.kind, match.address));
  reportUncompared(state, compared, context);
  warnAboutIneffective(state, context);
  if (isUnchanged(state, compared, context))
    return resourceChange(match, { result: { spec: state.spec, resource: compared.current } });
  return buildUpdate(state, compared, forResource(context, match.kind, match.address));
}

function buildCreate(state: ProposedState, context: OperationContext): ResourceChange {
  const { match, spec } = state;
  const fields = changesOfCreate(context, spec);
  reportSecretsOfNew(state, context);
  reportHazards(context, null, spec);
  const marker = desiredMarker(match, context, null, undefined);
  guardMetadata(context, spec, marker);
  return resourceChange(match, {
    change: changeOf(match, { action: "create", id: null, fields, notes: [] }),
    sequence: createOperations(context, spec, marker, []),
    result: { spec, resource: null },
  });
}

function buildReplace(
  state: ProposedState,
  { current, differences }: ComparedWithLive,
  context: OperationContext,
): ResourceChange {
  const { match, spec, replacedFor } = state;
  const fields = changesOfReplace(context, { before: current.spec, after: spec, changed: differences.changed });
  reportSecretsOfNew(state, context);
  const paths = replacedFor.map((field) => `spec.${field}`).join(", ");
  if (adopts(match)) {
    context.findings.refuse(
      "adopt-needs-replace",
      match.address,
      `${current.id} can't be adopted as it is: ${paths} differs and can't be changed in place`,
      `set ${paths} to the live value, adopt the resource, and change it afterwards; or remove metadata.id to create a new one`,
    );
  }
  reportHazards(context, null, spec);
  // What can't be adopted is not deleted either: the guards of its deletion would only confuse.
  const retiring = adopts(match) ? { ...context, findings: new FindingsCollector([]) } : context;
  const { deletion, replaced } = lifecycleOf(match);
  const retirement = retire(retiring, [...match.retired, current], {
    policy: replaced,
    desiredDeletion: deletion,
    interrupted: false,
  });
  const duplicates = retireInterrupted(match, context, match.duplicates, "delete");
  const notes = [
    `${paths} can't be changed in place: a new one is created first, references are moved to it, then the old one ${replaced === "orphan" ? "is kept, no longer managed" : "is deleted"}`,
    ...retirement.notes,
    ...duplicates.notes,
  ];
  const marker = desiredMarker(match, context, null, current.id);
  guardMetadata(context, spec, marker);
  guardIgnoredTexts(context, spec);
  return resourceChange(match, {
    change: changeOf(match, { action: "replace", id: current.id, fields, notes }),
    sequence: [
      ...createOperations(context, spec, marker, [`replaces ${current.id}: ${paths} can't be changed in place`]),
      ...retirement.operations,
    ],
    unorderedDeletes: duplicates.operations,
    touched: [current, ...match.retired, ...match.duplicates],
    result: { spec, resource: null },
    deleted: [...retirement.deleted, ...duplicates.deleted],
  });
}

function buildUpdate(state: ProposedState, compared: ComparedWithLive, context: OperationContext): ResourceChange {
  const { match, spec, remarks } = state;
  const { disabled } = remarks;
  const { kind } = match;
  const { current, differences } = compared;
  const { changed } = differences;
  const remark = needsMarker(match, current, context.options);
  const replaces = context.index.replacedBy(current)?.id;
  const marker = kind.collection === null ? null : desiredMarker(match, context, current.id, replaces);
  const retirement = retireInterrupted(match, context, match.retired, lifecycleOf(match).replaced);
  const duplicates = retireInterrupted(match, context, match.duplicates, "delete");
  const fields = [
    ...(remark ? [markerChange(current.marker, marker)] : []),
    ...changesOfUpdate(context, { before: current.spec, after: spec, changed }).map((field) => {
      const note = remarks.overruled.get(field.path);
      return note === undefined ? field : { ...field, note };
    }),
  ];
  if (changed.length > 0) {
    reportHazards(context, current.spec, spec);
    refuseContradiction(state, compared, context);
  }
  for (const name of disabled) {
    context.findings.warn(
      "module-disabled",
      `${name} has no DELETE in the API: it is disabled instead of removed, and counts as absent from then on`,
      match.address,
    );
  }
  const notes = [
    ...notesOfUpdate(match, current, marker, context),
    ...fields.flatMap(({ note }) => note ?? []),
    ...(disabled.length === 0 ? [] : [`${disabled.join(", ")}: disabled, as it can't be removed`]),
    ...retirement.notes,
    ...duplicates.notes,
  ];
  const names = [...new Set(changed.map(({ field }) => field))];
  warnAboutSecrets(context, state, names);
  const writesMetadata = remark || names.some((name) => kind.fields[name]?.marker === true);
  if (writesMetadata && marker !== null) guardMetadata(context, spec, marker);
  const update = {
    live: current,
    spec,
    changed: names,
    marker: writesMetadata ? marker : null,
    adopts: adopts(match),
  };
  const own = names.length === 0 && !remark ? [] : updateOperations(context, update);
  const retires = retirement.operations.length + duplicates.operations.length > 0;
  const action: Action = retires ? "replace" : adopts(match) ? "adopt" : "update";
  const id = retirement.old ?? duplicates.old ?? current.id;
  return resourceChange(match, {
    change: changeOf(match, { action, id, fields, notes }),
    sequence: retirement.operations.length === 0 ? own : [...own, ...retirement.operations],
    unorderedDeletes: duplicates.operations,
    touched: [current, ...match.retired, ...match.duplicates],
    result: { spec, resource: current },
    deleted: [...retirement.deleted, ...duplicates.deleted],
  });
}

function isUnchanged(
  { match }: ProposedState,
  { current, differences }: ComparedWithLive,
  context: PlanContext,
): boolean {
  return (
    differences.changed.length === 0 &&
    match.retired.length === 0 &&
    match.duplicates.length === 0 &&
    !needsMarker(match, current, context.options)
  );
}

/** A resource change; without anything to do unless it is given. */
function resourceChange(
  { address, kind, manifest }: Match,
  more: Pick<ResourceChange, "result"> & Partial<ResourceChange>,
): ResourceChange {
  const { ignore } = manifest.lifecycle;
  return { address, kind, ignore, change: null, sequence: [], touched: [], deleted: [], ...more };
}

function adopts({ matchedBy }: Match): boolean {
  return matchedBy === "adopt" || matchedBy === "take-over";
}

/** Retires what an interrupted run left: older resources of a replacement, or duplicates, which are always deleted. */
function retireInterrupted(
  match: Match,
  context: OperationContext,
  resources: readonly LiveResource[],
  policy: Replaced,
): Retirement {
  return retire(context, resources, { policy, desiredDeletion: lifecycleOf(match).deletion, interrupted: true });
}

function reportUncompared(
  { match, spec }: ProposedState,
  { differences: { changed, uncertain } }: ComparedWithLive,
  context: PlanContext,
): void {
  if (changed.length === 0 && uncertain.length === 0) return;
  warnAboutUncompared(context, { match, spec }, uncertain);
  const fields = new Set([
    ...changed.map(({ field }) => field),
    ...uncertain.map((path) => specPath(path)?.field ?? path),
  ]);
  context.findings.unavailable.push(...unavailableSecrets(match.address, spec, fields));
}

function warnAboutIneffective({ match, remarks }: ProposedState, { findings }: PlanContext): void {
  for (const path of remarks.ineffective) {
    findings.warn(
      "no-effect",
      `${path} has no effect: a live value that lifecycle.ignore leaves as it is rules it out`,
      match.address,
    );
  }
}

function reportSecretsOfNew(state: ProposedState, context: OperationContext): void {
  const written = Object.keys(context.kind.fields);
  warnAboutSecrets(context, state, written);
  context.findings.unavailable.push(...unavailableSecrets(context.address, state.spec, written));
}

function reportHazards({ kind, address, findings }: OperationContext, before: Spec | null, after: Spec): void {
  for (const { code, message, remedy } of kind.hazards?.(before, after) ?? []) {
    findings.refuse(code, address, message, remedy);
  }
}

/** Refuses a spec that the service would not take because of a live value that the manifest leaves as it is. */
function refuseContradiction(
  { match, spec }: ProposedState,
  { current, differences }: ComparedWithLive,
  { findings }: OperationContext,
): void {
  const { kind, manifest, address } = match;
  const { ignore } = manifest.lifecycle;
  const valid = kind.valid ?? ((): boolean => true);
  if (ignore.length === 0 || valid(spec)) return;
  // What contradicts itself live stays as it is, as long as nothing is written that has a part in it.
  if (!valid(current.spec) && !differences.changed.some(({ field }) => hasPart(field, spec, valid))) return;
  findings.refuse(
    "contradicts-live",
    address,
    `the manifest and the live values that it ignores (${ignore.join(", ")}) contradict each other: the service takes no such ${kind.title}`,
    "remove the path from lifecycle.ignore and say in spec what it is to be, or change the live value",
  );
}

function notesOfUpdate(
  match: Match,
  current: LiveResource,
  marker: Marker | null,
  { options }: PlanContext,
): readonly string[] {
  const notes: string[] = [];
  if (match.matchedBy === "adopt") notes.push(`adopts ${current.id}, which no stack owns`);
  if (match.matchedBy === "take-over")
    notes.push(`takes ${current.id} over from stack ${JSON.stringify(current.marker?.stack ?? "")}`);
  if (marker === null || current.marker === null || match.matchedBy === "take-over") return notes;
  if (current.marker.name !== marker.name) notes.push(`renamed from ${current.marker.name}; the resource stays`);
  if (current.marker.stack !== options.stack) notes.push(`comes from stack ${JSON.stringify(current.marker.stack)}`);
  return notes;
}

function changeOf(
  { address, manifest }: Match,
  {
    action,
    id,
    fields,
    notes,
  }: {
    readonly action: Action;
    readonly id: string | null;
    readonly fields: readonly FieldChange[];
    readonly notes: readonly string[];
  },
): Change {
  const { file, line } = manifest.source;
  return { address, action, id, source: { file, line }, fields, ...worstImpact(fields), origin: null, notes };
}

/**
 * The marker that a manifest asks for; it holds the policies that are not the kind's defaults.
 * @param id of the resource that it is written on; null = a new one
 */
function desiredMarker(
  match: Match,
  { options }: PlanContext,
  id: string | null,
  replaces: string | undefined,
): Marker {
  const { deletion, replaced } = lifecycleOf(match);
  const { kind, manifest } = match;
  const { defaults } = kind;
  return {
    stack: options.stack,
    name: manifest.name,
    ...(deletion === defaults.deletion ? {} : { deletion }),
    ...(replaced === defaults.replaced ? {} : { replaced }),
    ...(replaces === undefined ? {} : { replaces }),
    ...(manifest.id === null || manifest.id === id ? {} : { adopted: manifest.id }),
  };
}

/** Whether the live marker is not the one that the manifest asks for; `replaces` is not the manifest's to say. */
function needsMarker(match: Match, { marker }: LiveResource, { stack }: Pick<PlanOptions, "stack">): boolean {
  if (match.kind.collection === null) return false;
  if (marker === null || marker.stack !== stack || marker.name !== match.manifest.name) return true;
  const { deletion, replaced } = lifecycleOf(match);
  const { defaults } = match.kind;
  return (marker.deletion ?? defaults.deletion) !== deletion || (marker.replaced ?? defaults.replaced) !== replaced;
}

/** Whether a field has a part in making a spec invalid: without it, what else is needed for that would be valid. */
function hasPart(name: string, spec: Spec, valid: (spec: Spec) => boolean): boolean {
  let needed = spec;
  for (const other of Object.keys(spec)) {
    const less = { ...needed, [other]: null };
    if (other !== name && !valid(less)) needed = less;
  }
  return valid({ ...needed, [name]: null });
}
