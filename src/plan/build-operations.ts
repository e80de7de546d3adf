import type { Json, Spec, Value } from "../core/json.js";
import { listOf } from "../kinds/codecs.js";
import type { Kind, NamedField, WireBinding } from "../kinds/kind.js";
import { type Marker, plainMetadata, writeMarker } from "../kinds/marker.js";
import { type Address, addressOf } from "../kinds/names.js";
import { removable } from "./diff.js";
import { type LiveResource, referencesOf, withoutDisabled } from "./live-index.js";
import type { OperationContext } from "./plan-context.js";
import type { Binding, OperationKind, OperationRequest } from "./plan-format.js";
import { secretReference } from "./plan-secrets.js";
import type { PlannedOperation, Split } from "./order.js";

export function createOperations(
  context: OperationContext,
  spec: Spec,
  marker: Marker,
  notes: readonly string[],
): readonly PlannedOperation[] {
  const { kind, address } = context;
  const isGiven = (value: Value | undefined) => value !== undefined && value !== null;
  const first = kind.fieldList.filter(({ field: { marker: marks, write }, name }) => {
    return write !== "update" && write !== "never" && (marks === true || (isGiven(spec[name]) && spec[name] !== ""));
  });
  const post = requestBody(context, spec, namesOf(first), marker);
  const request = { kind: "create", path: kind.collection?.path ?? "", ...post } as const;
  const create = { ...operationOf(context, request, null, null, spec), makes: address, notes };
  const later = namesOf(kind.fieldList.filter(({ field, name }) => field.write === "update" && isGiven(spec[name])));
  if (later.length === 0) return [create];
  const place = { path: kind.path("{id}", spec), pathBind: { address, part: "id" } } as const;
  const body = requestBody(context, spec, later, marker);
  const patch = operationOf(context, { kind: "patch", ...place, ...body }, null, spec, spec);
  const note = `sets ${later.join(", ")}, which a create does not take`;
  return [create, { ...patch, uses: [address, ...patch.uses], notes: [note] }];
}

type Update = Readonly<{
  live: LiveResource;
  spec: Spec;
  marker: Marker | null;
}>;

/** The fewest writes, through valid states alone. An adoption writes the marker first. */
export function updateOperations(
  context: OperationContext,
  update: Update,
  changed: readonly string[],
  how: Readonly<{ marks: boolean; adopts: boolean }>,
): readonly PlannedOperation[] {
  const { kind, options } = context;
  const { live, spec } = update;
  const canRemove = (name: string) => removable(kind, name, options.moduleEndpoints);
  const removed = changed.filter(
    (name) => (spec[name] ?? null) === null && (live.spec[name] ?? null) !== null && canRemove(name),
  );
  const written = namesOf(
    kind.fieldList.filter(
      ({ field, name }) => (field.marker === true && how.marks) || (changed.includes(name) && !removed.includes(name)),
    ),
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
  const bare = { ...live.spec, ...pick(spec, first), ...Object.fromEntries(removed.map((name) => [name, null])) };
  return [
    ...(first.length === 0 ? [] : [patchOperation(context, { ...update, before: live.spec, written: first })]),
    ...deleteModules(context, live, live.spec, removed),
    ...(rest.length === 0 ? [] : [patchOperation(context, { ...update, before: bare, written: rest })]),
  ];
}

export function deleteOperation(context: OperationContext, live: LiveResource): PlannedOperation {
  const path = pathOf(context.kind, live, live.spec);
  const operation = operationOf(context, { kind: "delete", path }, live, live.spec, null);
  return { ...operation, destroys: live.key, layer: 1 };
}

export function orphanOperation(context: OperationContext, live: LiveResource): PlannedOperation {
  const { spec } = live;
  const patch = { live, spec, marker: null, before: spec, written: markerFields(context.kind) };
  return { ...patchOperation(context, patch), destroys: live.key, layer: 1 };
}

function markerFields({ fieldList }: Kind) {
  return namesOf(fieldList.filter(({ field }) => field.marker === true));
}

function namesOf(fields: readonly NamedField[]) {
  return fields.map(({ name }) => name);
}

function pathOf(kind: Kind, { id }: LiveResource, spec: Spec) {
  return kind.path(encodeURIComponent(id), spec);
}

function putOperation(context: OperationContext, { live, spec }: Update, before: Spec, name: string): PlannedOperation {
  const { kind, address } = context;
  const path = `${pathOf(kind, live, spec)}/${name}`;
  const { json, bind = {} } = kind.fields[name]?.codec.toWire(spec[name] ?? null) ?? {};
  const request = { kind: "module-put", path, ...bodyOf(json ?? {}, bindingsOf(address, name, "", bind)) } as const;
  return operationOf(context, request, live, before, { ...before, [name]: spec[name] });
}

function deleteModules(
  context: OperationContext,
  live: LiveResource,
  from: Spec,
  removed: readonly string[],
): readonly PlannedOperation[] {
  const path = pathOf(context.kind, live, context.kind.collection === null ? from : live.spec);
  let after = from;
  return removed.map((name) => {
    const before = after;
    after = { ...before, [name]: null };
    return operationOf(context, { kind: "module-delete", path: `${path}/${name}` }, live, before, after);
  });
}

type Patch = Update &
  Readonly<{
    before: Spec;
    written: readonly string[];
  }>;

function patchOperation(context: OperationContext, patch: Patch): PlannedOperation {
  const { kind } = context;
  const { live, spec, before, written, marker } = patch;
  const body = requestBody(context, spec, written, marker);
  const request = { kind: "patch", path: pathOf(kind, live, spec), ...body } as const;
  const operation = operationOf(context, request, live, before, { ...before, ...pick(spec, written) });
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

function takeBack(context: OperationContext, { spec, before, marker }: Patch, claims: ReadonlySet<string>): Json {
  const { released, touched } = release(context, before, claims);
  const lists = touched.map((name) => {
    const left = new Set(listOf(released[name]));
    // Last, so that bindings into the list keep their places.
    return [name, [...listOf(spec[name]), ...listOf(before[name]).filter((item) => !left.has(item))]] as const;
  });
  return requestBody(context, { ...spec, ...Object.fromEntries(lists) }, touched, marker).body;
}

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
  const marks = markerFields(kind).filter((name) => written.includes(name));
  const { path } = operation;
  const body = requestBody(context, { ...released, ...pick(spec, marks) }, [...marks, ...touched], marker);
  const later = written.filter((name) => !marks.includes(name));
  return {
    keeps,
    release: {
      ...operationOf(context, { kind: "patch", path, ...body }, live, before, released),
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

const methods = {
  create: "POST",
  patch: "PATCH",
  "module-put": "PUT",
  "module-delete": "DELETE",
  delete: "DELETE",
} as const satisfies { readonly [K in OperationKind]: string };

function operationOf(
  { kind, address, index }: OperationContext,
  request: Pick<OperationRequest, "kind" | "path" | "pathBind"> & Partial<RequestBody>,
  live: LiveResource | null,
  before: Spec | null,
  after: Spec | null,
): PlannedOperation {
  const held = before === null ? [] : kind.claims(before);
  const holds = after === null ? [] : kind.claims(after);
  return {
    body: null,
    bind: {},
    uses: [],
    ...request,
    method: methods[request.kind],
    address,
    resourceId: live?.id ?? null,
    makes: null,
    destroys: null,
    detaches: before === null ? [] : detachedBy(kind, index, before, after ?? {}),
    takes: holds.filter((claim) => !held.includes(claim)),
    frees: held.filter((claim) => !holds.includes(claim)),
    layer: after !== null && kind.comesLast(after) ? 2 : 0,
    notes: [],
  };
}

/** Also in a module that it turns off: a deleted id is refused there. */
function detachedBy(kind: Kind, index: OperationContext["index"], before: Spec, after: Spec) {
  const still = new Set(referencesOf(kind, after, index));
  const on = new Set(referencesOf(kind, withoutDisabled(kind, after), index));
  const wasOn = new Set(referencesOf(kind, withoutDisabled(kind, before), index));
  return referencesOf(kind, before, index).filter((key) => !still.has(key) || (wasOn.has(key) && !on.has(key)));
}

function staysValid({ valid }: Kind, patched: Spec, removed: readonly string[]) {
  const without = (count: number) => Object.fromEntries(removed.slice(0, count).map((name) => [name, null]));
  return [...removed.keys(), removed.length].every((count) => valid({ ...patched, ...without(count) }));
}

function pick(spec: Spec, fields: readonly string[]): Spec {
  return Object.fromEntries(fields.map((name) => [name, spec[name]]));
}

type RequestBody = Pick<PlannedOperation, "body" | "bind" | "uses">;

function requestBody(
  { kind, address }: OperationContext,
  spec: Spec,
  fields: readonly string[],
  marker: Marker | null,
): RequestBody {
  const body: Record<string, Json> = {};
  const bind: Record<string, Binding> = {};
  for (const name of fields) {
    const field = kind.fields[name];
    if (field === undefined) continue;
    const value = spec[name] ?? null;
    if (field.marker === true) {
      body[name] = marker === null ? plainMetadata(value) : writeMarker(marker, value);
      continue;
    }
    const member = field.writeAs ?? name;
    const wire = field.codec.toWire(value);
    body[member] = wire.json;
    Object.assign(bind, bindingsOf(address, name, `/${member}`, wire.bind));
  }
  return bodyOf(body, bind);
}

function bindingsOf(
  address: Address,
  name: string,
  below: string,
  bindings: { readonly [pointer: string]: WireBinding },
): RequestBody["bind"] {
  const bound = Object.entries(bindings).map(([pointer, binding]): [string, Binding] => {
    if (!("secret" in binding))
      return [below + pointer, { address: addressOf(binding.kind, binding.name), part: binding.part }];
    const path = name + pointer.replaceAll("/", ".");
    return [below + pointer, { secret: secretReference(address, path, binding.live === true) }];
  });
  return Object.fromEntries(bound);
}

function bodyOf(body: Json, bind: RequestBody["bind"]): RequestBody {
  const uses = Object.values(bind).flatMap((binding) => ("address" in binding ? [binding.address] : []));
  return { body, bind, uses: [...new Set(uses)] };
}
