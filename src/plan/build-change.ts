import type { Spec } from "../json.js";
import type { Marker } from "../kinds/marker.js";
import { type OperationContext, createOperations, updateOperations } from "./build-operations.js";
import { type Retirement, retire } from "./build-removal.js";
import { changesOfCreate, changesOfReplace, changesOfUpdate, markerChange, worst } from "./field-changes.js";
import { FindingsCollector } from "./findings-collector.js";
import { warnAboutSecrets, warnAboutUncompared } from "./guards/secrets.js";
import { type LiveIndex, type LiveResource, instanceKey } from "./live-index.js";
import type { Match } from "./match.js";
import type { PlanOptions } from "./options.js";
import type { Action, Change, FieldChange } from "./plan-format.js";
import { unavailableSecrets } from "./plan-secrets.js";
import type { ComparedWithLive, ProposedState } from "./proposed-state.js";
import type { ResourceChange } from "./resource-change.js";

const none: readonly never[] = [];

/** Turns one matched manifest into its change and operations. */
export function buildChange(
  target: ProposedState,
  index: LiveIndex,
  options: PlanOptions,
  verdicts: FindingsCollector,
): ResourceChange {
  const { match, spec, immutable, compared } = target;
  const context: OperationContext = {
    kind: match.kind,
    address: match.address,
    index,
    moduleEndpoints: options.moduleEndpoints,
  };
  if (compared === null) return buildCreate(match, spec, context, options, verdicts);
  if (immutable.length > 0) return buildReplace(target, compared, context, options, verdicts);
  return buildUpdate(target, compared, context, options, verdicts);
}

function buildCreate(
  match: Match,
  spec: Spec,
  context: OperationContext,
  options: PlanOptions,
  verdicts: FindingsCollector,
): ResourceChange {
  const fields = changesOfCreate(match.kind, spec, options.judged ?? "change");
  const written = Object.keys(match.kind.fields);
  warnAboutSecrets(match, spec, written, verdicts);
  verdicts.unavailable.push(...unavailableSecrets(match.address, spec, written));
  hazards(match, null, spec, verdicts);
  return {
    ...commonParts(match),
    change: changeOf(match, "create", null, fields, []),
    sequence: createOperations(context, spec, desiredMarker(match, options.stack, undefined), []),
    touched: [],
    result: { spec, resource: null },
    deleted: [],
  };
}

function buildReplace(
  target: ProposedState,
  { current, differences }: ComparedWithLive,
  context: OperationContext,
  options: PlanOptions,
  verdicts: FindingsCollector,
): ResourceChange {
  const { match, spec, immutable } = target;
  const fields = changesOfReplace(match.kind, current.spec, spec, differences.changed, options.judged ?? "change");
  const written = Object.keys(match.kind.fields);
  warnAboutSecrets(match, spec, written, verdicts);
  verdicts.unavailable.push(...unavailableSecrets(match.address, spec, written));
  const words = immutable.map((field) => `spec.${field}`).join(", ");
  const notes = [
    `${words} can't be changed in place: a new one is made first, what refers to it is re-pointed, then the old one goes`,
  ];
  const unadoptable = match.matchedBy === "adopt" || match.matchedBy === "take-over";
  if (unadoptable) {
    verdicts.refuse(
      "adopt-needs-replace",
      match.address,
      `${current.id} can't be adopted as it is: ${words} differs and can't be changed in place`,
      `write ${words} as it is live, adopt it, and change it afterwards; or remove metadata.id to have a new one made`,
    );
  }
  hazards(match, null, spec, verdicts);
  // What can't be adopted is not retired either: guards of its deletion would only ask for the wrong thing.
  const heard = unadoptable ? new FindingsCollector([]) : verdicts;
  const retirement = retireAll(match, [...match.retired, current], context, heard, notes);
  const surplus = retireDuplicates(match, context, verdicts);
  const marker = desiredMarker(match, options.stack, current.id);
  return {
    ...commonParts(match),
    change: changeOf(match, "replace", current.id, fields, [...notes, ...retirement.notes, ...surplus.notes]),
    sequence: [
      ...createOperations(context, spec, marker, [`replaces ${current.id}: ${words} can't be changed in place`]),
      ...retirement.operations,
    ],
    unorderedDeletes: surplus.operations,
    touched: [current, ...match.retired, ...match.duplicates],
    result: { spec, resource: null },
    deleted: [...retirement.deleted, ...surplus.deleted],
  };
}

function buildUpdate(
  target: ProposedState,
  { current, differences }: ComparedWithLive,
  context: OperationContext,
  options: PlanOptions,
  verdicts: FindingsCollector,
): ResourceChange {
  const { match, spec, disabled } = target;
  const { kind } = match;
  const { changed, uncertain } = differences;
  warnAboutUncompared(match, spec, uncertain, verdicts);
  if (changed.length > 0 || uncertain.length > 0) {
    const fields = new Set([...changed.map(({ field }) => field), ...uncertain.map(fieldOf)]);
    verdicts.unavailable.push(...unavailableSecrets(match.address, spec, fields));
  }
  const remark = kind.collection !== null && !isMarked(current.marker, match, options.stack);
  const result = { spec, resource: current };
  if (changed.length === 0 && !remark && match.retired.length === 0 && match.duplicates.length === 0) {
    const { address, manifest } = match;
    return {
      address,
      kind,
      ignore: manifest.lifecycle.ignore,
      change: null,
      sequence: none,
      touched: none,
      result,
      deleted: none,
    };
  }
  const marker =
    kind.collection === null ? null : desiredMarker(match, options.stack, replacesStill(match, context.index));
  const retirement = retireAll(match, match.retired, context, verdicts, []);
  const surplus = retireDuplicates(match, context, verdicts);
  const touched = [current, ...match.retired, ...match.duplicates];
  const fields = [
    ...(remark ? [markerChange(current.marker, marker)] : []),
    ...changesOfUpdate(kind, current.spec, spec, changed, options.judged ?? "change"),
  ];
  if (changed.length > 0) hazards(match, current.spec, spec, verdicts);
  for (const name of disabled) {
    verdicts.warn(
      "module-disabled",
      `${name} has no DELETE in the specification: it is disabled instead of removed, and counts as absent from then on`,
      match.address,
    );
  }
  const notes = [
    ...notesOfUpdate(match, current, marker, options),
    ...(disabled.length === 0 ? [] : [`${disabled.join(", ")}: disabled, as it can't be removed`]),
    ...retirement.notes,
    ...surplus.notes,
  ];
  const names = [...new Set(changed.map((difference) => difference.field))];
  warnAboutSecrets(match, spec, names, verdicts);
  const writesMetadata = remark || names.some((name) => kind.fields[name]?.marker === true);
  const adopt = match.matchedBy === "adopt" || match.matchedBy === "take-over";
  const own =
    names.length === 0 && !remark
      ? []
      : updateOperations(context, current, spec, names, writesMetadata ? marker : null, adopt);
  return {
    ...commonParts(match),
    change: changeOf(
      match,
      actionOf(match, retirement.operations.length + surplus.operations.length > 0),
      retirement.old ?? surplus.old ?? current.id,
      fields,
      notes,
    ),
    sequence: [...own, ...retirement.operations],
    unorderedDeletes: surplus.operations,
    touched,
    result,
    deleted: [...retirement.deleted, ...surplus.deleted],
  };
}

/** The field that a path like `spec.webhook_verification.secret` leads into. */
function fieldOf(path: string): string {
  return path.split(".")[1] ?? path;
}

const nothingRetired: Retirement = { operations: [], deleted: [], notes: [], old: null };

function actionOf(match: Match, retires: boolean): Action {
  if (retires) return "replace";
  return match.matchedBy === "adopt" || match.matchedBy === "take-over" ? "adopt" : "update";
}

function retireAll(
  match: Match,
  resources: readonly LiveResource[],
  context: OperationContext,
  verdicts: FindingsCollector,
  notes: readonly string[],
  policy = match.manifest.lifecycle.replaced ?? match.kind.defaults.replaced,
): Retirement {
  if (resources.length === 0) return nothingRetired;
  const deletion = match.manifest.lifecycle.deletion ?? match.kind.defaults.deletion;
  return retire(context, resources, policy, deletion, verdicts, notes.length === 0);
}

/** Twins that are not kept are deleted, whatever becomes of what is replaced. */
function retireDuplicates(match: Match, context: OperationContext, verdicts: FindingsCollector): Retirement {
  return retireAll(match, match.duplicates, context, verdicts, [], "delete");
}

function hazards(match: Match, before: Spec | null, after: Spec, verdicts: FindingsCollector): void {
  for (const { code, message, remedy } of match.kind.hazards?.(before, after) ?? []) {
    verdicts.refuse(code, match.address, message, remedy);
  }
}

function notesOfUpdate(match: Match, current: LiveResource, marker: Marker | null, options: PlanOptions): string[] {
  const notes: string[] = [];
  if (match.matchedBy === "adopt") notes.push(`adopts ${current.id}, which nobody owns`);
  if (match.matchedBy === "take-over")
    notes.push(`takes ${current.id} over from stack ${JSON.stringify(current.marker?.stack ?? "")}`);
  if (marker === null || current.marker === null || match.matchedBy === "take-over") return notes;
  if (current.marker.name !== marker.name) notes.push(`renamed from ${current.marker.name}; the resource stays`);
  if (current.marker.stack !== options.stack) notes.push(`comes from stack ${JSON.stringify(current.marker.stack)}`);
  return notes;
}

function changeOf(
  match: Match,
  action: Action,
  id: string | null,
  fields: readonly FieldChange[],
  notes: readonly string[],
): Change {
  const { file, line } = match.manifest.source;
  return { address: match.address, action, id, source: { file, line }, fields, ...worst(fields), origin: null, notes };
}

function commonParts(match: Match): Pick<ResourceChange, "address" | "kind" | "ignore"> {
  return { address: match.address, kind: match.kind, ignore: match.manifest.lifecycle.ignore };
}

/** The marker that a manifest asks for; policies stand in it when they are not the kind's default. */
function desiredMarker(match: Match, stack: string, replaces: string | undefined): Marker {
  const { lifecycle, name } = match.manifest;
  const { deletion, replaced } = match.kind.defaults;
  return {
    stack,
    name,
    ...(lifecycle.deletion === undefined || lifecycle.deletion === deletion ? {} : { deletion: lifecycle.deletion }),
    ...(lifecycle.replaced === undefined || lifecycle.replaced === replaced ? {} : { replaced: lifecycle.replaced }),
    ...(replaces === undefined ? {} : { replaces }),
  };
}

/** The id that a live marker still has to name: that of the one it replaces, while that is there. */
function replacesStill(match: Match, index: LiveIndex): string | undefined {
  const id = match.current?.marker?.replaces;
  return id !== undefined && index.byInstance.has(instanceKey(match.kind.kind, id)) ? id : undefined;
}

/** Whether a live marker says what a manifest asks for; `replaces` is no matter of the manifest. */
function isMarked(marker: Marker | null, match: Match, stack: string): boolean {
  if (marker === null || marker.stack !== stack || marker.name !== match.manifest.name) return false;
  const { lifecycle } = match.manifest;
  const { deletion, replaced } = match.kind.defaults;
  return (
    (marker.deletion ?? deletion) === (lifecycle.deletion ?? deletion) &&
    (marker.replaced ?? replaced) === (lifecycle.replaced ?? replaced)
  );
}
