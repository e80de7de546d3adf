import type { Json, Spec } from "../core/json.js";
import { listOf } from "../kinds/codecs/reference-codecs.js";
import type { Kind } from "../kinds/kind.js";
import type { Marker } from "../kinds/marker.js";
import { removable } from "./defaults.js";
import { type LiveResource, referencesOf, withoutDisabled } from "./live-index.js";
import type { OperationContext } from "./plan-context.js";
import type { OperationRequest } from "./plan-format.js";
import { type RequestBody, fieldsOfCreate, moduleBody, requestBody } from "./request-body.js";
import type { PlannedOperation, Split } from "./resource-change.js";

/** The POST, and the PATCH for what a create doesn't take. */
export function createOperations(
  context: OperationContext,
  spec: Spec,
  marker: Marker,
  notes: readonly string[],
): readonly PlannedOperation[] {
  const { kind, address } = context;
  const post = { kind: "create", method: "POST", path: kind.collection?.path ?? "" } as const;
  const body = requestBody(context, spec, fieldsOfCreate(kind, spec), marker);
  const step = { live: null, before: null, after: spec };
  const create = { ...plannedOperation(context, post, body, step), makes: address, notes };
  const later = kind.fieldList.flatMap(({ field, name }) =>
    field.write === "update" && (spec[name] ?? null) !== null ? [name] : [],
  );
  if (later.length === 0) return [create];
  const pathBind = { address, part: "id" } as const;
  const patch = plannedOperation(
    context,
    { kind: "patch", method: "PATCH", path: kind.path("{id}", spec), pathBind },
    requestBody(context, spec, later, marker),
    { live: null, before: spec, after: spec },
  );
  const note = `sets ${later.join(", ")}, which a create does not take`;
  return [create, { ...patch, uses: [address, ...patch.uses], notes: [note] }];
}

interface Update {
  readonly live: LiveResource;
  readonly spec: Spec;
  /** Null = the metadata, where it is written, loses the marker. */
  readonly marker: Marker | null;
}

/** The fewest writes that lead through valid states alone. `adopts`: the marker is written before anything else. */
export function updateOperations(
  context: OperationContext,
  update: Update,
  changed: readonly string[],
  how: { readonly marks: boolean; readonly adopts: boolean },
): readonly PlannedOperation[] {
  const { kind, options } = context;
  const { live, spec } = update;
  const canRemove = (name: string): boolean => removable(kind, name, options.moduleEndpoints);
  const removed = changed.filter(
    (name) => (spec[name] ?? null) === null && (live.spec[name] ?? null) !== null && canRemove(name),
  );
  const written = kind.fieldList.flatMap(({ field, name }) =>
    (field.marker === true && how.marks) || (changed.includes(name) && !removed.includes(name)) ? [name] : [],
  );
  if (kind.collection === null) {
    const puts = written.map((name) => putOperation(context, update, spec, name));
    return [...puts, ...deleteModules(context, live, spec, removed)];
  }
  const [only] = written;
  if (only === undefined) return deleteModules(context, live, live.spec, removed);
  if (written.length === 1 && removed.length === 0 && canRemove(only))
    return [putOperation(context, update, live.spec, only)];
  const patched: Spec = { ...live.spec, ...pick(spec, written) };
  if (removed.length === 0 || staysValid(kind, patched, removed)) {
    const patch = patchOperation(context, { ...update, before: live.spec, written });
    return [patch, ...deleteModules(context, live, patched, removed)];
  }
  const first = how.adopts ? markerFields(kind).filter((name) => written.includes(name)) : [];
  const rest = written.filter((name) => !first.includes(name));
  const bare: Spec = { ...live.spec, ...pick(spec, first), ...Object.fromEntries(removed.map((name) => [name, null])) };
  return [
    ...(first.length === 0 ? [] : [patchOperation(context, { ...update, before: live.spec, written: first })]),
    ...deleteModules(context, live, live.spec, removed),
    ...(rest.length === 0 ? [] : [patchOperation(context, { ...update, before: bare, written: rest })]),
  ];
}

export function deleteOperation(context: OperationContext, live: LiveResource): PlannedOperation {
  const request = { kind: "delete", method: "DELETE", path: pathOf(context.kind, live.id, live.spec) } as const;
  const operation = plannedOperation(context, request, null, { live, before: live.spec, after: null });
  return { ...operation, destroys: live.key, layer: 1 };
}

/** Removes the marker and restores the user's metadata, where the delete would run. */
export function orphanOperation(context: OperationContext, live: LiveResource): PlannedOperation {
  const { spec } = live;
  const patch = { live, spec, marker: null, before: spec, written: markerFields(context.kind) };
  return { ...patchOperation(context, patch), destroys: live.key, layer: 1 };
}

function markerFields({ fieldList }: Kind): readonly string[] {
  return fieldList.flatMap(({ field, name }) => (field.marker === true ? [name] : []));
}

function pathOf(kind: Kind, id: string, spec: Spec): string {
  return kind.path(encodeURIComponent(id), spec);
}

function putOperation(context: OperationContext, { live, spec }: Update, before: Spec, name: string): PlannedOperation {
  const path = `${pathOf(context.kind, live.id, spec)}/${name}`;
  const step = { live, before, after: { ...before, [name]: spec[name] } };
  return plannedOperation(context, { kind: "module-put", method: "PUT", path }, moduleBody(context, name, spec), step);
}

function deleteModules(
  context: OperationContext,
  live: LiveResource,
  from: Spec,
  removed: readonly string[],
): readonly PlannedOperation[] {
  const path = pathOf(context.kind, live.id, context.kind.collection === null ? from : live.spec);
  let before = from;
  return removed.map((name) => {
    const step = { live, before, after: { ...before, [name]: null } };
    before = step.after;
    return plannedOperation(context, { kind: "module-delete", method: "DELETE", path: `${path}/${name}` }, null, step);
  });
}

interface Patch extends Update {
  readonly before: Spec;
  readonly written: readonly string[];
}

function patchOperation(context: OperationContext, patch: Patch): PlannedOperation {
  const { kind } = context;
  const { live, spec, before, written, marker } = patch;
  const request = { kind: "patch", method: "PATCH", path: pathOf(kind, live.id, spec) } as const;
  const body = requestBody(context, spec, written, marker);
  const step = { live, before, after: { ...before, ...pick(spec, written) } };
  const operation = plannedOperation(context, request, body, step);
  if (operation.frees.length === 0 || kind.without === undefined) return operation;
  return {
    ...operation,
    split: (claims) => splitPatch(context, patch, operation, claims),
    takeBack: (claims) => takeBack(context, patch, claims),
  };
}

function release({ kind }: OperationContext, before: Spec, claims: ReadonlySet<string>) {
  const { spec: released, keeps } = kind.without?.(before, claims) ?? { spec: before, keeps: true };
  const touched = Object.keys(kind.fields).filter((name) => before[name] !== released[name]);
  return { released, keeps, touched };
}

/** The body with which a resource holds again claims that the PATCH lets go. */
function takeBack(context: OperationContext, { spec, before, marker }: Patch, claims: ReadonlySet<string>): Json {
  const { released, touched } = release(context, before, claims);
  const lists = touched.map((name) => {
    const left = new Set(listOf(released[name]));
    // What is taken back comes last, so that bindings into the list keep their places.
    return [name, [...listOf(spec[name]), ...listOf(before[name]).filter((item) => !left.has(item))]] as const;
  });
  return requestBody(context, { ...spec, ...Object.fromEntries(lists) }, touched, marker).body;
}

/** Cuts a PATCH in two: a release of claims, and the rest, which runs afterwards. */
function splitPatch(
  context: OperationContext,
  patch: Patch,
  operation: PlannedOperation,
  claims: ReadonlySet<string>,
): Split {
  const { kind } = context;
  const { live, spec, before, written, marker } = patch;
  const { released, keeps, touched } = release(context, before, claims);
  const claimed = new Set(kind.claims(released));
  // The very first write of an adopted resource carries its marker.
  const marks = markerFields(kind).filter((name) => written.includes(name));
  const { method, path } = operation;
  const early = plannedOperation(
    context,
    { kind: operation.kind, method, path },
    requestBody(context, { ...released, ...pick(spec, marks) }, [...marks, ...touched], marker),
    { live, before, after: released },
  );
  const later = written.filter((name) => !marks.includes(name));
  return {
    keeps,
    release: {
      ...early,
      notes: [`temporary: releases early what another ${kind.claimWords.holder} waits for, to break a cycle`],
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

interface Step {
  readonly live: LiveResource | null;
  readonly before: Spec | null;
  readonly after: Spec | null;
}

function plannedOperation(
  context: OperationContext,
  request: Pick<OperationRequest, "kind" | "method" | "path" | "pathBind">,
  body: RequestBody | null,
  { live, before, after }: Step,
): PlannedOperation {
  const { kind, address } = context;
  const claimsOf = (spec: Spec | null): readonly string[] => (spec === null ? [] : kind.claims(spec));
  const [held, holds] = [claimsOf(before), claimsOf(after)];
  return {
    ...request,
    address,
    resourceId: live?.id ?? null,
    body: body?.body ?? null,
    bind: body?.bind ?? {},
    makes: null,
    destroys: null,
    uses: body?.uses ?? [],
    detaches: before === null ? [] : detachedBy(context, before, after ?? {}),
    takes: holds.filter((claim) => !held.includes(claim)),
    frees: held.filter((claim) => !holds.includes(claim)),
    layer: after !== null && kind.comesLast(after) ? 2 : 0,
    notes: [],
  };
}

/** What it stops referring to, also in a module that it turns off: a deleted id is refused there. */
function detachedBy({ kind, index }: OperationContext, before: Spec, after: Spec): readonly string[] {
  const still = new Set(referencesOf(kind, after, index));
  const on = new Set(referencesOf(kind, withoutDisabled(kind, after), index));
  const wasOn = new Set(referencesOf(kind, withoutDisabled(kind, before), index));
  return referencesOf(kind, before, index).filter((key) => !still.has(key) || (wasOn.has(key) && !on.has(key)));
}

function staysValid({ valid }: Kind, patched: Spec, removed: readonly string[]): boolean {
  const without = (count: number) => Object.fromEntries(removed.slice(0, count).map((name) => [name, null]));
  return [...removed.keys(), removed.length].every((count) => valid({ ...patched, ...without(count) }));
}

function pick(spec: Spec, fields: readonly string[]): Spec {
  return Object.fromEntries(fields.map((name) => [name, spec[name]]));
}
