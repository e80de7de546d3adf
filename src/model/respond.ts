import { resourceModels } from "../generated/resource-models.js";
import { type JsonObject, isObject } from "../core/json.js";
import { type ListedKind, listedKinds } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import { type Effect, applyEffects, inWords } from "./effects.js";
import { type Endpoint, locateEndpoint } from "./locate-endpoint.js";
import type { ModelEnv, ModelOptions } from "./model-options.js";
import {
  changes,
  listPage,
  moduleParameters,
  neededBody,
  refuseBody,
  refuseExtras,
  wrongMethod,
} from "./request-rules.js";
import { type ModelRequest, type ModelResponse, Rejection, errorBody, rejectionNumbers } from "./request.js";
import { type ModelContext, type ModuleReader, setModule, shownResource, writtenResource } from "./resource-model.js";
import { type World, emptyWorld } from "./world.js";

export interface ModelAnswer {
  readonly response: ModelResponse;
  readonly effects: readonly Effect[];
}

/**
 * The service: what it answers to a request and what that changes. The world is only read; `applyEffects` changes it.
 * Costs O(request), lists O(page). Never throws for a bad request: the answer is then 4xx with an error body
 * and no effects. Authentication, the version header and content types belong to HTTP and are not looked at.
 */
export function respond(world: World, request: ModelRequest, env: ModelEnv): ModelAnswer {
  const context = { world, env, baseUrl: request.baseUrl ?? world.options.baseUrl };
  try {
    return route(request, context);
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    // A 404 carries no error_code, as live services may leave it out there.
    const number = error.status === 404 ? null : rejectionNumbers[error.code];
    const body = errorBody(error.status, number, error.message, env.newId("op_"));
    const allow = error.allow === undefined ? {} : { allow: error.allow };
    return { response: { status: error.status, body, ...allow }, effects: [] };
  }
}

function route(request: ModelRequest, context: ModelContext): ModelAnswer {
  const place = locateEndpoint(request.path, context.world.options);
  if (place === null) throw new Rejection("not-found", `there is nothing at ${request.path.slice(0, 200)}.`);
  switch (place.of) {
    case "collection":
      return respondAtCollection(place, request, context);
    case "resource":
      return respondAtResource(place, request, context);
    default:
      return respondAtModule(place, request, context);
  }
}

function respondAtCollection(
  place: Extract<Endpoint, { of: "collection" }>,
  request: ModelRequest,
  context: ModelContext,
): ModelAnswer {
  const { kind } = place;
  const model = resourceModels[kind];
  if (request.method === "GET") {
    refuseBody(request);
    const body = listPage(context.world, kind, request.query, context.baseUrl);
    return { response: { status: 200, body }, effects: [] };
  }
  if (request.method !== "POST") throw wrongMethod(request, ["GET", "POST"]);
  const members = writtenResource(model, neededBody(request), context);
  const id = context.env.newId(kinds[kind].idPrefix ?? "");
  const uri = `${context.baseUrl}${kinds[kind].collection?.path}/${encodeURIComponent(id)}`;
  const after = { id, uri, created_at: context.env.now(), ...members };
  return {
    response: { status: 201, body: shown(kind, after, context) },
    effects: [{ of: "resource", kind, id, before: null, after }],
  };
}

function respondAtResource(
  place: Extract<Endpoint, { of: "resource" }>,
  request: ModelRequest,
  context: ModelContext,
): ModelAnswer {
  const { kind, id } = place;
  const { method } = request;
  if (!["GET", "PATCH", "DELETE"].includes(method)) throw wrongMethod(request, ["GET", "PATCH", "DELETE"]);
  const before = context.world.collections[kind].get(id);
  if (before === null) throw notFound(kind, id);
  if (method === "PATCH") {
    const body = changes(request, id, context.world.options.lenient);
    const after = writtenResource(resourceModels[kind], body, { ...context, before });
    return {
      response: { status: 200, body: shown(kind, after, context) },
      effects: [{ of: "resource", kind, id, before, after }],
    };
  }
  refuseExtras(request);
  if (method === "GET") return { response: { status: 200, body: shown(kind, before, context) }, effects: [] };
  refuseWhileReferred(kind, id, context.world);
  return { response: { status: 204, body: null }, effects: [{ of: "resource", kind, id, before, after: null }] };
}

function refuseWhileReferred(kind: ListedKind, id: string, world: World): void {
  const [referrer] = world.options.deleteReferenced === "dangle" ? [] : world.indexes.reference.get(id);
  if (referrer === undefined) return;
  const message = `the ${kinds[kind].title} ${id} is still used by ${inWords(world, referrer)}.`;
  throw new Rejection("still-referenced", message);
}

function shown(kind: ListedKind, resource: JsonObject, { world }: ModelContext): JsonObject {
  return shownResource(resource, resourceModels[kind], { options: world.options });
}

type ModuleEndpoint = Extract<Endpoint, { of: "resource-module" | "unlisted-module" }>;

/** A module wherever it lives: what it holds and what putting or removing it does. */
interface ModuleSlot {
  readonly title: string;
  readonly value: JsonObject | null;
  /** Whether a DELETE changes something: what is there need not be a module. */
  readonly holds: boolean;
  readonly read: ModuleReader;
  readonly change: (value: JsonObject | null) => Effect;
}

function respondAtModule(place: ModuleEndpoint, request: ModelRequest, context: ModelContext): ModelAnswer {
  const { method } = request;
  if (!["GET", "PUT", "DELETE"].includes(method)) throw wrongMethod(request, ["GET", "PUT", "DELETE"]);
  const { options } = context.world;
  const slot = place.of === "resource-module" ? resourceSlot(place, context) : unlistedSlot(place, context);
  if (method === "PUT") {
    const value = slot.read(moduleParameters(request, options.lenient), "", context);
    return { response: { status: 200, body: value }, effects: [slot.change(value)] };
  }
  refuseExtras(request);
  if (method === "GET") {
    const response = slot.value === null ? unsetResponse(slot, options) : { status: 200, body: slot.value };
    return { response, effects: [] };
  }
  if (!slot.holds && options.deleteUnsetModule === "404") throw notSet(slot);
  return { response: { status: 204, body: null }, effects: slot.holds ? [slot.change(null)] : [] };
}

function resourceSlot(
  { kind, id, module, read }: Extract<Endpoint, { of: "resource-module" }>,
  { world }: ModelContext,
): ModuleSlot {
  const before = world.collections[kind].get(id);
  if (before === null) throw notFound(kind, id);
  const found = before[module] ?? null;
  const value = setModule(found);
  return {
    title: module,
    value,
    holds: value !== null || (found !== null && !isObject(found)),
    read,
    change: (next) => {
      const after = { ...before, [module]: next };
      if (next !== null) resourceModels[kind].check?.(after, [module]);
      return { of: "resource", kind, id, before, after };
    },
  };
}

function unlistedSlot(
  { path, title, read }: Extract<Endpoint, { of: "unlisted-module" }>,
  { world }: ModelContext,
): ModuleSlot {
  const before = world.modules.get(path) ?? null;
  return {
    title,
    value: before,
    holds: before !== null,
    read,
    change: (after) => ({ of: "module", path, before, after }),
  };
}

function notFound(kind: ListedKind, id: string): Rejection {
  return new Rejection("not-found", `there is no ${kinds[kind].title} ${id}.`);
}

function unsetResponse(slot: ModuleSlot, { unsetModule }: ModelOptions): ModelResponse {
  if (unsetModule === "404") throw notSet(slot);
  if (unsetModule === "204") return { status: 204, body: null };
  return { status: 200, body: unsetModule === "empty" ? {} : null };
}

function notSet(slot: ModuleSlot): Rejection {
  return new Rejection("not-found", `the module ${slot.title} is not set.`);
}

/** A world with the same resources that changes on its own. Pages can't begin after resources that are gone. */
export function copyWorld(world: World): World {
  const copy = emptyWorld(world.options);
  for (const kind of listedKinds) {
    const oldestFirst = [...world.collections[kind]].toReversed();
    applyEffects(
      copy,
      oldestFirst.map(([id, after]) => ({ of: "resource", kind, id, before: null, after })),
    );
  }
  for (const [path, module] of world.modules) copy.modules.set(path, module);
  return copy;
}
