import type { Spec } from "../core/json.js";
import { listOf } from "../kinds/codecs/reference-codecs.js";
import { type Kind, claimWordsOf } from "../kinds/kind.js";
import type { Marker } from "../kinds/marker.js";
import { removable } from "./apply-defaults.js";
import { type LiveResource, referencesOf, withoutDisabled } from "./live-index.js";
import type { OperationContext } from "./plan-context.js";
import type { OperationRequest } from "./plan-format.js";
import { type RequestBody, fieldsOfCreate, moduleBody, requestBody } from "./request-body.js";
import { type PlannedOperation, type Split } from "./resource-change.js";

/** The POST that makes a resource, and the PATCH for what a create doesn't take. */
export function createOperations(
  context: OperationContext,
  spec: Spec,
  marker: Marker,
  notes: readonly string[],
): readonly PlannedOperation[] {
  const { kind, address } = context;
  const create: PlannedOperation = {
    ...plannedOperation(
      context,
      { kind: "create", method: "POST", path: kind.collection?.path ?? "" },
      requestBody(context, spec, fieldsOfCreate(kind, spec), marker),
      { live: null, before: null, after: spec },
    ),
    makes: address,
    notes,
  };
  const later = kind.fieldList.flatMap(({ field, name }) =>
    field.write === "update" && (spec[name] ?? null) !== null ? [name] : [],
  );
  if (later.length === 0) return [create];
  const patch = plannedOperation(
    context,
    { kind: "patch", method: "PATCH", path: kind.path("{id}", spec), pathBind: { address, part: "id" } },
    requestBody(context, spec, later, marker),
    { live: null, before: spec, after: spec },
  );
  const note = `sets ${later.join(", ")}, which a create does not take`;
  return [create, { ...patch, uses: [address, ...patch.uses], notes: [note] }];
}

/** How a live resource is to be updated. */
export interface Update {
  readonly live: LiveResource;
  readonly spec: Spec;
  /** Top-level fields that differ. */
  readonly changed: readonly string[];
  /** The marker to write; null = the metadata needs no write. */
  readonly marker: Marker | null;
  /** The marker must be written before anything else. */
  readonly adopts: boolean;
}

/**
 * The fewest writes that bring a live resource to a spec: one module PUT, or one PATCH that names only what changed,
 * and a DELETE for each module that is removed. Of PATCH→DELETEs and DELETEs→PATCH the first whose states are all valid.
 */
export function updateOperations(context: OperationContext, update: Update): readonly PlannedOperation[] {
  const { kind, options } = context;
  const { live, spec, changed, marker } = update;
  const canRemove = (name: string): boolean => removable(kind, name, options.moduleEndpoints);
  const removed = changed.filter(
    (name) => (spec[name] ?? null) === null && (live.spec[name] ?? null) !== null && canRemove(name),
  );
  const written = kind.fieldList.flatMap(({ field, name }) =>
    (field.marker === true && marker !== null) || (changed.includes(name) && !removed.includes(name)) ? [name] : [],
  );
  if (kind.collection === null) {
    const puts = written.map((name) => putOperation(context, update, spec, name));
    return [...puts, ...deleteModules(context, live, spec, removed)];
  }
  const [only] = written;
  if (only === undefined) return deleteModules(context, live, live.spec, removed);
  if (written.length === 1 && removed.length === 0 && canRemove(only)) {
    return [putOperation(context, update, live.spec, only)];
  }
  const patched: Spec = { ...live.spec, ...pick(spec, written) };
  if (removed.length === 0 || staysValid(kind, patched, removed)) {
    const patch = patchOperation(context, { ...update, before: live.spec, written });
    return [patch, ...deleteModules(context, live, patched, removed)];
  }
  const first = update.adopts ? written.filter((name) => kind.fields[name]?.marker === true) : [];
  const rest = written.filter((name) => !first.includes(name));
  const bare: Spec = { ...live.spec, ...pick(spec, first), ...Object.fromEntries(removed.map((name) => [name, null])) };
  return [
    ...(first.length === 0 ? [] : [patchOperation(context, { ...update, before: live.spec, written: first })]),
    ...deleteModules(context, live, live.spec, removed),
    ...(rest.length === 0 ? [] : [patchOperation(context, { ...update, before: bare, written: rest })]),
  ];
}

/** The DELETE of a resource. */
export function deleteOperation(
  context: OperationContext,
  live: LiveResource,
  notes: readonly string[] = [],
): PlannedOperation {
  const request = { kind: "delete", method: "DELETE", path: pathOf(context.kind, live.id, live.spec) } as const;
  const operation = plannedOperation(context, request, null, { live, before: live.spec, after: null });
  return { ...operation, destroys: live.key, layer: 1, notes };
}

/** The PATCH that removes the marker and restores the user's metadata. */
export function orphanOperation(
  context: OperationContext,
  live: LiveResource,
  notes: readonly string[] = [],
): PlannedOperation {
  const { kind } = context;
  const fields = kind.fieldList.flatMap(({ field, name }) => (field.marker === true ? [name] : []));
  const operation = plannedOperation(
    context,
    { kind: "patch", method: "PATCH", path: pathOf(kind, live.id, live.spec) },
    requestBody(context, live.spec, fields, null),
    { live, before: live.spec, after: live.spec },
  );
  // It runs only after others have stopped using the resource, as if it were deleted.
  return { ...operation, destroys: live.key, layer: 1, notes };
}

/** The path of a live resource. */
export function pathOf(kind: Kind, id: string, spec: Spec): string {
  return kind.path(encodeURIComponent(id), spec);
}

function putOperation(context: OperationContext, { live, spec }: Update, before: Spec, name: string): PlannedOperation {
  return plannedOperation(
    context,
    { kind: "module-put", method: "PUT", path: `${pathOf(context.kind, live.id, spec)}/${name}` },
    moduleBody(context, name, spec[name] ?? null),
    { live, before, after: { ...before, [name]: spec[name] } },
  );
}

function deleteModules(
  context: OperationContext,
  live: LiveResource,
  from: Spec,
  removed: readonly string[],
): readonly PlannedOperation[] {
  const { kind } = context;
  const path = pathOf(kind, live.id, kind.collection === null ? from : live.spec);
  let before = from;
  return removed.map((name) => {
    const step: Step = { live, before, after: { ...before, [name]: null } };
    before = { ...before, [name]: null };
    return plannedOperation(context, { kind: "module-delete", method: "DELETE", path: `${path}/${name}` }, null, step);
  });
}

/** A PATCH of some fields. */
interface Patch extends Pick<Update, "live" | "spec" | "marker"> {
  /** The spec before it. */
  readonly before: Spec;
  readonly written: readonly string[];
}

function patchOperation(context: OperationContext, patch: Patch): PlannedOperation {
  const { kind } = context;
  const { live, spec, before, written, marker } = patch;
  const operation = plannedOperation(
    context,
    { kind: "patch", method: "PATCH", path: pathOf(kind, live.id, spec) },
    requestBody(context, spec, written, marker),
    { live, before, after: { ...before, ...pick(spec, written) } },
  );
  if (operation.frees.length === 0 || kind.without === undefined) return operation;
  return {
    ...operation,
    split: (claims) => splitPatch(context, patch, operation, claims),
    takeBack: (claims) => takeBack(context, patch, claims),
  };
}

/** The body with which a resource holds again, beside what a PATCH leaves it, claims that the PATCH lets go. */
function takeBack(
  context: OperationContext,
  { spec, before, marker }: Patch,
  claims: ReadonlySet<string>,
): RequestBody["body"] {
  const released = context.kind.without?.(before, claims).spec ?? before;
  const touched = Object.keys(context.kind.fields).filter((name) => before[name] !== released[name]);
  const lists = touched.map((name) => {
    const left = new Set(listOf(released[name]));
    // What is taken back comes last, so that bindings into the list keep their places.
    return [name, [...listOf(spec[name]), ...listOf(before[name]).filter((item) => !left.has(item))]] as const;
  });
  return requestBody(context, { ...spec, ...Object.fromEntries(lists) }, touched, marker).body;
}

/** Cuts a PATCH in two: a release of claims that the live spec holds, and the rest, which runs afterwards. */
function splitPatch(
  context: OperationContext,
  patch: Patch,
  operation: PlannedOperation,
  claims: ReadonlySet<string>,
): Split {
  const { kind } = context;
  const { live, spec, before, written, marker } = patch;
  const { spec: released, keeps } = kind.without?.(before, claims) ?? { spec: before, keeps: true };
  const claimed = new Set(kind.claims?.(released) ?? []);
  const touched = Object.keys(kind.fields).filter((name) => before[name] !== released[name]);
  // The very first write of an adopted resource carries its marker.
  const marks = written.filter((name) => kind.fields[name]?.marker === true);
  const later = written.filter((name) => !marks.includes(name));
  const release = plannedOperation(
    context,
    { kind: "patch", method: "PATCH", path: operation.path },
    requestBody(context, { ...released, ...pick(spec, marks) }, [...marks, ...touched], marker),
    { live, before, after: released },
  );
  return {
    keeps,
    release: {
      ...release,
      notes: [`temporary: releases early what another ${claimWordsOf(kind).holder} waits for, to break a cycle`],
      restore: requestBody(context, before, touched, marker).body,
    },
    rest: {
      ...operation,
      ...requestBody(context, spec, later, marker),
      frees: operation.frees.filter((claim) => claimed.has(claim)),
      takeBack: (lost) => takeBack(context, patch, lost),
    },
  };
}

/** What an operation does to a resource: its spec before and after (null = it is not there). */
interface Step {
  /** Null when the plan makes the resource. */
  readonly live: LiveResource | null;
  readonly before: Spec | null;
  readonly after: Spec | null;
}

/** @param body null for a request without one */
function plannedOperation(
  context: OperationContext,
  request: Pick<OperationRequest, "kind" | "method" | "path" | "pathBind">,
  body: RequestBody | null,
  { live, before, after }: Step,
): PlannedOperation {
  const { kind, address } = context;
  const held = before === null ? [] : (kind.claims?.(before) ?? []);
  const holds = after === null ? [] : (kind.claims?.(after) ?? []);
  const [had, has] = [new Set(held), new Set(holds)];
  const { kind: operationKind, method, path, pathBind } = request;
  const operation: PlannedOperation = {
    kind: operationKind,
    method,
    path,
    address,
    resourceId: live?.id ?? null,
    body: body?.body ?? null,
    bind: body?.bind ?? {},
    makes: null,
    destroys: null,
    uses: body?.uses ?? [],
    detaches: before === null ? [] : detachedBy(context, before, after),
    takes: holds.filter((claim) => !had.has(claim)),
    frees: held.filter((claim) => !has.has(claim)),
    contested: contestedIn(context, { live, held, holds }),
    layer: after !== null && kind.comesLast?.(after) === true ? 2 : 0,
    notes: [],
  };
  return pathBind === undefined ? operation : { ...operation, pathBind };
}

/** What a write of claims keeps although another live resource holds it, too: the other must release it first. */
function contestedIn(
  { index }: OperationContext,
  { live, held, holds }: Pick<Step, "live"> & { readonly held: readonly string[]; readonly holds: readonly string[] },
): readonly string[] {
  const had = new Set(held);
  if (live === null || (held.length === holds.length && holds.every((claim) => had.has(claim)))) return [];
  return holds.filter(
    (claim) => had.has(claim) && index.holders.get(claim)?.some(({ key }) => key !== live.key) === true,
  );
}

/**
 * What an operation stops referring to, and what a module that it turns off still names: that may be about to be
 * deleted, too, and the service refuses its id once it is gone.
 */
function detachedBy({ kind, index }: OperationContext, before: Spec, after: Spec | null): readonly string[] {
  const still = new Set(after === null ? [] : referencesOf(kind, after, index));
  const on = new Set(after === null ? [] : referencesOf(kind, withoutDisabled(kind, after), index));
  const wasOn = new Set(referencesOf(kind, withoutDisabled(kind, before), index));
  return referencesOf(kind, before, index).filter((key) => !still.has(key) || (wasOn.has(key) && !on.has(key)));
}

function staysValid(kind: Kind, patched: Spec, removed: readonly string[]): boolean {
  if (kind.valid === undefined) return true;
  let state = patched;
  if (!kind.valid(state)) return false;
  for (const name of removed) {
    state = { ...state, [name]: null };
    if (!kind.valid(state)) return false;
  }
  return true;
}

function pick(spec: Spec, fields: readonly string[]): Spec {
  return Object.fromEntries(fields.map((name) => [name, spec[name]]));
}
