import { type Spec, isObject } from "../json.js";
import type { Kind } from "../kinds/kind.js";
import type { Marker } from "../kinds/marker.js";
import type { Address } from "../kinds/names.js";
import { removable } from "./apply-defaults.js";
import { type LiveIndex, type LiveResource, referencesOf } from "./live-index.js";
import { type RequestBody, fieldsOfCreate, moduleBody, requestBody } from "./request-body.js";
import type { PlannedOperation } from "./resource-change.js";

/** What every step of one resource needs to know. */
export interface OperationContext {
  readonly kind: Kind;
  readonly address: Address;
  readonly index: LiveIndex;
  readonly moduleEndpoints: readonly string[];
}

/** The POST that makes a resource, and the PATCH for what a create doesn't take. */
export function createOperations(
  context: OperationContext,
  spec: Spec,
  marker: Marker,
  notes: readonly string[],
): readonly PlannedOperation[] {
  const { kind, address } = context;
  const made = requestBody(kind, address, spec, fieldsOfCreate(kind, spec), marker);
  const create: PlannedOperation = {
    ...baseOperation(context, null, made, null, spec),
    kind: "create",
    method: "POST",
    path: kind.collection?.path ?? "",
    makes: address,
    notes,
  };
  const later = Object.entries(kind.fields).flatMap(([name, field]) =>
    field.write === "update" && (spec[name] ?? null) !== null ? [name] : [],
  );
  if (later.length === 0) return [create];
  const body = requestBody(kind, address, spec, later, marker);
  const patch: PlannedOperation = {
    ...baseOperation(context, null, body, spec, spec),
    kind: "patch",
    method: "PATCH",
    path: kind.path("{id}", spec),
    pathBind: { address, part: "id" },
    uses: [address, ...body.uses],
    notes: [`sets ${later.join(", ")}, which a create does not take`],
  };
  return [create, patch];
}

/**
 * The fewest writes that bring a live resource to a spec: one module PUT, or one PATCH that names just what changed,
 * and a DELETE for each module that goes. Of PATCH→DELETEs and DELETEs→PATCH the first whose states are all valid.
 * @param changed top-level fields that differ
 * @param marker the marker to write; null = the metadata needs no write
 * @param adopt the marker's PATCH must come before anything else
 */
export function updateOperations(
  context: OperationContext,
  live: LiveResource,
  spec: Spec,
  changed: readonly string[],
  marker: Marker | null,
  adopt: boolean,
): readonly PlannedOperation[] {
  const { kind, moduleEndpoints } = context;
  const goes = (name: string): boolean =>
    (spec[name] ?? null) === null && isObject(live.spec[name]) && removable(kind, name, moduleEndpoints);
  const removed = changed.filter(goes);
  const fields = Object.keys(kind.fields).filter((name) => {
    const isMarker = kind.fields[name]?.marker === true;
    return (isMarker && marker !== null) || (changed.includes(name) && !removed.includes(name));
  });
  if (kind.collection === null) return moduleOperations(context, live, spec, fields, removed);
  const [only] = fields;
  if (fields.length === 1 && removed.length === 0 && only !== undefined && removable(kind, only, moduleEndpoints)) {
    return [putOperation(context, live, spec, live.spec, only)];
  }
  const patched: Spec = { ...live.spec, ...pick(spec, fields) };
  if (fields.length === 0) return deleteModules(context, live, live.spec, removed);
  if (removed.length === 0 || staysValid(kind, patched, removed)) {
    return [
      patchOperation(context, live, live.spec, spec, fields, marker),
      ...deleteModules(context, live, patched, removed),
    ];
  }
  const first = adopt ? fields.filter((name) => kind.fields[name]?.marker === true) : [];
  const rest = fields.filter((name) => !first.includes(name));
  const bare: Spec = { ...live.spec, ...pick(spec, first), ...Object.fromEntries(removed.map((name) => [name, null])) };
  return [
    ...(first.length === 0 ? [] : [patchOperation(context, live, live.spec, spec, first, marker)]),
    ...deleteModules(context, live, live.spec, removed),
    ...(rest.length === 0 ? [] : [patchOperation(context, live, bare, spec, rest, marker)]),
  ];
}

/** The DELETE of a resource. */
export function deleteOperation(
  context: OperationContext,
  live: LiveResource,
  notes: readonly string[] = [],
): PlannedOperation {
  return {
    ...baseOperation(context, live, { body: {}, bind: {}, uses: [] }, live.spec, null),
    kind: "delete",
    method: "DELETE",
    path: pathOf(context.kind, live.id, live.spec),
    body: null,
    destroys: live.key,
    layer: 1,
    notes,
  };
}

/** The PATCH that takes the marker off and restores the user's metadata. */
export function orphanOperation(
  context: OperationContext,
  live: LiveResource,
  notes: readonly string[] = [],
): PlannedOperation {
  const { kind, address } = context;
  const fields = Object.entries(kind.fields).flatMap(([name, field]) => (field.marker === true ? [name] : []));
  return {
    ...baseOperation(context, live, requestBody(kind, address, live.spec, fields, null), live.spec, live.spec),
    kind: "patch",
    method: "PATCH",
    path: pathOf(kind, live.id, live.spec),
    // What the others stop using may be let go only afterwards, as if it were deleted.
    destroys: live.key,
    layer: 1,
    notes,
  };
}

/** The path of a live resource. */
export function pathOf(kind: Kind, id: string, spec: Spec): string {
  return kind.path(encodeURIComponent(id), spec);
}

function moduleOperations(
  context: OperationContext,
  live: LiveResource,
  spec: Spec,
  fields: readonly string[],
  removed: readonly string[],
): readonly PlannedOperation[] {
  const puts = fields.map((name) => putOperation(context, live, spec, spec, name));
  return [...puts, ...deleteModules(context, live, spec, removed)];
}

function putOperation(
  context: OperationContext,
  live: LiveResource,
  spec: Spec,
  before: Spec,
  name: string,
): PlannedOperation {
  const body = moduleBody(context.kind, context.address, name, spec[name] ?? null);
  return {
    ...baseOperation(context, live, body, before, { ...before, [name]: spec[name] }),
    kind: "module-put",
    method: "PUT",
    path: `${pathOf(context.kind, live.id, spec)}/${name}`,
  };
}

function deleteModules(
  context: OperationContext,
  live: LiveResource,
  from: Spec,
  removed: readonly string[],
): readonly PlannedOperation[] {
  let before = from;
  return removed.map((name) => {
    const after: Spec = { ...before, [name]: null };
    const step: PlannedOperation = {
      ...baseOperation(context, live, { body: {}, bind: {}, uses: [] }, before, after),
      kind: "module-delete",
      method: "DELETE",
      path: `${pathOf(context.kind, live.id, context.kind.collection === null ? { ...from } : live.spec)}/${name}`,
      body: null,
    };
    before = after;
    return step;
  });
}

function patchOperation(
  context: OperationContext,
  live: LiveResource,
  before: Spec,
  spec: Spec,
  fields: readonly string[],
  marker: Marker | null,
): PlannedOperation {
  const { kind, address } = context;
  const after: Spec = { ...before, ...pick(spec, fields) };
  const draft: PlannedOperation = {
    ...baseOperation(context, live, requestBody(kind, address, spec, fields, marker), before, after),
    kind: "patch",
    method: "PATCH",
    path: pathOf(kind, live.id, spec),
  };
  if (draft.frees.length === 0 || kind.without === undefined) return draft;
  const without = kind.without;
  return {
    ...draft,
    split: (claims) => {
      // The claims that go are among what the live spec holds; the rest of the step is done afterwards.
      const { spec: released, keeps } = without(before, claims);
      const claimed = new Set(kind.claims?.(released) ?? []);
      const touched = Object.keys(kind.fields).filter((name) => before[name] !== released[name]);
      // An adopted resource is marked by the very first write.
      const marks = fields.filter((name) => kind.fields[name]?.marker === true);
      const body = requestBody(kind, address, { ...released, ...pick(spec, marks) }, [...marks, ...touched], marker);
      const later = fields.filter((name) => !marks.includes(name));
      return {
        keeps,
        release: {
          ...baseOperation(context, live, body, before, released),
          kind: "patch",
          method: "PATCH",
          path: draft.path,
          notes: ["temporary: lets go early what another edge waits for, to break a cycle"],
          restore: requestBody(kind, address, before, touched, marker).body,
        },
        rest: {
          ...draft,
          ...requestBody(kind, address, spec, later, marker),
          frees: draft.frees.filter((claim) => claimed.has(claim)),
        },
      };
    },
  };
}

function baseOperation(
  context: OperationContext,
  live: LiveResource | null,
  body: RequestBody,
  before: Spec | null,
  after: Spec | null,
): PlannedOperation {
  const { kind, address, index } = context;
  const held = before === null ? [] : (kind.claims?.(before) ?? []);
  const holds = after === null ? [] : (kind.claims?.(after) ?? []);
  const [had, has] = [new Set(held), new Set(holds)];
  const unuses = before === null ? [] : detachedBy(kind, before, after, index);
  return {
    kind: "patch",
    method: "PATCH",
    path: "",
    address,
    resourceId: live?.id ?? null,
    body: body.body,
    bind: body.bind,
    makes: null,
    destroys: null,
    uses: body.uses,
    detaches: unuses,
    takes: holds.filter((claim) => !had.has(claim)),
    frees: held.filter((claim) => !has.has(claim)),
    layer: after !== null && kind.comesLast?.(after) === true ? 2 : 0,
    notes: [],
  };
}

/**
 * What a step stops referring to, and what it goes on naming in a module that it turns off: that may be on the way
 * out, too, and its name is not taken once it is gone.
 */
function detachedBy(kind: Kind, before: Spec, after: Spec | null, index: LiveIndex): readonly string[] {
  const still = new Set(after === null ? [] : referencesOf(kind, after, index));
  const on = new Set(after === null ? [] : referencesOf(kind, withoutWhatIsOff(kind, after), index));
  const wasOn = new Set(referencesOf(kind, withoutWhatIsOff(kind, before), index));
  return referencesOf(kind, before, index).filter((key) => !still.has(key) || (wasOn.has(key) && !on.has(key)));
}

function withoutWhatIsOff(kind: Kind, spec: Spec): Spec {
  const off = Object.entries(spec).filter(
    ([name, value]) => kind.fields[name]?.module !== undefined && isObject(value) && value["enabled"] === false,
  );
  return { ...spec, ...Object.fromEntries(off.map(([name]) => [name, null])) };
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
