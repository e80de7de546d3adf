import { moduleModels, resourceModels } from "../generated/resource-models.js";
import { type Json, type JsonObject, isObject } from "../core/json.js";
import { type ListedKind, collectionOf, listedKinds } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import { type Effect, inWords } from "./effects.js";
import type { ModelEnv } from "./model-options.js";
import { type ModelRequest, type ModelResponse, Rejection, errorBody, rejectionNumbers } from "./request.js";
import { type ModelContext, type ModuleModel, setModule, shownResource, writtenResource } from "./resource-model.js";
import type { World } from "./world.js";

type ModelAnswer = Readonly<{
  response: ModelResponse;
  effects: readonly Effect[];
}>;

/** What the service answers and what that changes. Authentication and headers belong to HTTP. */
export function respond(world: World, request: ModelRequest, env: ModelEnv): ModelAnswer {
  const context = { world, env, baseUrl: request.baseUrl ?? world.options.baseUrl };
  try {
    return route(request, context);
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    const number = error.status === 404 ? null : rejectionNumbers[error.code];
    const body = errorBody(error.status, number, error.message, env.newId("op_"));
    const allow = error.allow === undefined ? {} : { allow: error.allow };
    return { response: { status: error.status, body, ...allow }, effects: [] };
  }
}

function answer(status: number, body: Json, ...effects: readonly Effect[]): ModelAnswer {
  return { response: { status, body }, effects };
}

const methods = { collection: ["GET", "POST"], resource: ["GET", "PATCH", "DELETE"], module: ["GET", "PUT", "DELETE"] };

function route(request: ModelRequest, context: ModelContext): ModelAnswer {
  const { body, method, path, query: [parameter] = [] } = request;
  const place = locateEndpoint(path, context.world.options.moduleEndpoints);
  if (place === null) throw new Rejection("not-found", `there is nothing at ${path.slice(0, 200)}.`);
  const at = place.module !== null ? "module" : place.id === null ? "collection" : "resource";
  const allowed = methods[at];
  if (!allowed.includes(method)) {
    const message = `${method.slice(0, 20)} is not allowed here, only ${allowed.join(", ")}.`;
    throw new Rejection("method-not-allowed", message, allowed);
  }
  const isList = at === "collection" && method === "GET";
  if (parameter !== undefined && !isList) throw unknownParameter(parameter[0]);
  const isRead = method === "GET" || method === "DELETE";
  if (isRead && body !== undefined) throw new Rejection("body-unexpected", `${method} takes no body here.`);
  if (!isRead && body === undefined) throw new Rejection("body-missing", `${method} needs a JSON body.`);
  if (place.module !== null) return respondAtModule(place, request, context);
  if (place.id !== null) return respondAtResource(place.kind, place.id, request, context);
  return isList
    ? answer(200, listPage(place.kind, request.query ?? [], context))
    : create(place.kind, body ?? null, context);
}

function create(kind: ListedKind, body: Json, context: ModelContext): ModelAnswer {
  const { env, world } = context;
  const members = writtenResource(resourceModels[kind], body, context);
  const id = env.newId(kinds[kind].idPrefix ?? "");
  const uri = `${context.baseUrl}${kinds[kind].collection?.path}/${encodeURIComponent(id)}`;
  const after = { id, uri, created_at: env.now(), ...members };
  return answer(201, shown(kind, after, world), { of: "resource", kind, id, before: null, after });
}

function listPage(
  kind: ListedKind,
  query: NonNullable<ModelRequest["query"]>,
  { baseUrl, world }: ModelContext,
): JsonObject {
  const { title, collection } = kinds[kind];
  if (collection === null) throw new TypeError(`${kind} has no collection`);
  const { limit, before } = readQuery(query, world.options.lenient);
  const size = Math.min(limit ?? 100, world.options.pageSize);
  const page = world.collections[kind].page(size, before);
  if (page === null) throw new Rejection("query-invalid", `before_id names no ${title} of this account.`);
  const uri = `${baseUrl}${collection.path}`;
  const next = page.next === null ? null : encodeURIComponent(page.next);
  return {
    [collection.member]: page.resources.map((each) => shownResource(each, resourceModels[kind], world.options, true)),
    uri,
    next_page_uri: next === null ? null : `${uri}?before_id=${next}&limit=${limit ?? size}`,
  };
}

function readQuery(query: NonNullable<ModelRequest["query"]>, lenient: boolean) {
  let limit: number | null = null;
  let before: string | null = null;
  const seen = new Set<string>();
  for (const [given, value] of query) {
    const name = lenient && given === "beforeId" ? "before_id" : given;
    if (seen.has(name)) throw new Rejection("query-invalid", `the query names "${name}" more than once.`);
    seen.add(name);
    if (name === "limit") {
      limit = /^\d{1,3}$/.test(value) ? Number(value) : 0;
      if (limit < 1 || limit > 100) throw new Rejection("query-invalid", "limit must be a whole number from 1 to 100.");
    } else if (name === "before_id") before = value;
    else throw unknownParameter(name);
  }
  return { limit, before };
}

function respondAtResource(
  kind: ListedKind,
  id: string,
  { body = null, method }: ModelRequest,
  context: ModelContext,
): ModelAnswer {
  const { world } = context;
  const before = resourceAt(kind, id, world);
  if (method === "PATCH") {
    const changed = changes(body, id, world.options.lenient);
    const after = writtenResource(resourceModels[kind], changed, { ...context, before });
    return answer(200, shown(kind, after, world), { of: "resource", kind, id, before, after });
  }
  if (method === "GET") return answer(200, shown(kind, before, world));
  const [referrer] = world.options.deleteReferenced === "dangle" ? [] : world.indexes.reference.get(id);
  if (referrer !== undefined) {
    const message = `the ${kinds[kind].title} ${id} is still used by ${inWords(world, referrer)}.`;
    throw new Rejection("still-referenced", message);
  }
  return answer(204, null, { of: "resource", kind, id, before, after: null });
}

function resourceAt(kind: ListedKind, id: string, world: World): JsonObject {
  const found = world.collections[kind].get(id);
  if (found === null) throw new Rejection("not-found", `there is no ${kinds[kind].title} ${id}.`);
  return found;
}

function shown(kind: ListedKind, resource: JsonObject, { options }: World): JsonObject {
  return shownResource(resource, resourceModels[kind], options, false);
}

function respondAtModule(
  place: Extract<Endpoint, { module: object }>,
  { body = null, method, path }: ModelRequest,
  context: ModelContext,
): ModelAnswer {
  const { world } = context;
  const { deleteUnsetModule, lenient, unsetModule } = world.options;
  const { read, title } = place.module;
  const resource = place.kind === null ? null : resourceAt(place.kind, place.id, world);
  const value = resource === null ? (world.modules.get(path) ?? null) : setModule(resource[title]);
  const change = (module: JsonObject | null): Effect => {
    if (place.kind === null) return { of: "module", path, before: world.modules.get(path) ?? null, after: module };
    const { id, kind } = place;
    const after = { ...resource, [title]: module };
    if (module !== null) resourceModels[kind].check?.(after, [title]);
    return { of: "resource", kind, id, before: resource, after };
  };
  if (method === "PUT") {
    const put = read(moduleParameters(body, lenient), "", context);
    return answer(200, put, change(put));
  }
  if (value === null && (method === "GET" ? unsetModule : deleteUnsetModule) === "404")
    throw new Rejection("not-found", `the module ${title} is not set.`);
  if (method === "GET") return answer(200, value === null && unsetModule === "empty" ? {} : value);
  return value === null ? answer(204, null) : answer(204, null, change(null));
}

function unknownParameter(name: string): Rejection {
  return new Rejection("query-invalid", `the query has an unknown parameter "${name.slice(0, 60)}".`);
}

/** A lenient service lets a PATCH repeat the id. */
function changes(body: Json, id: string, lenient: boolean): Json {
  if (!isObject(body)) return body;
  const { id: named, ...rest } = body;
  const changed: JsonObject = lenient && named === id ? rest : body;
  if (Object.keys(changed).length === 0) throw new Rejection("body-empty", "the body names nothing to change.");
  return changed;
}

/** A lenient service takes `{id, module}`, too. */
function moduleParameters(body: Json, lenient: boolean): Json {
  if (!lenient || !isObject(body) || !isObject(body["module"])) return body;
  const isWrapped = Object.keys(body).every((member) => ["module", "id", "edge_id"].includes(member));
  return isWrapped ? body["module"] : body;
}

/** `id` null = the collection; `kind` null = a module that no list shows. */
type Endpoint =
  | Readonly<{ kind: ListedKind; id: string | null; module: null }>
  | Readonly<{ kind: ListedKind; id: string; module: ModuleEndpoint }>
  | Readonly<{ kind: null; module: ModuleEndpoint }>;

type ModuleEndpoint = ModuleModel["modules"][string];

export function locateEndpoint(path: string, moduleEndpoints: readonly string[] = []): Endpoint | null {
  for (const kind of listedKinds) {
    const { path: collection } = collectionOf(kind);
    if (path === collection) return { kind, id: null, module: null };
    if (!path.startsWith(`${collection}/`)) continue;
    const [segment = "", title, ...more] = path.slice(collection.length + 1).split("/");
    const id = decoded(segment);
    if (!id || more.length > 0) return null;
    if (title === undefined) return { kind, id, module: null };
    const read = resourceModels[kind].modules?.[title];
    const isServed = kinds[kind].fields[title]?.module?.endpoint === true || moduleEndpoints.includes(title);
    return read !== undefined && isServed ? { kind, id, module: { title, read } } : null;
  }
  const parts = path.split("/");
  const name = parts.pop() ?? "";
  for (const { modules, path: template } of Object.values(moduleModels)) {
    const wanted = template.split("/");
    const isThere =
      parts.length === wanted.length &&
      wanted.every((part, at) => (part.startsWith("{") ? parts[at] !== "" : parts[at] === part));
    const module = isThere && Object.hasOwn(modules, name) ? modules[name] : undefined;
    if (module !== undefined) return { kind: null, module };
  }
  return null;
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
