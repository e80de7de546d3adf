import { resourceModels } from "../generated/resource-models.js";
import { type Json, type JsonObject, isObject } from "../core/json.js";
import type { ListedKind } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import { type ModelRequest, Rejection } from "./request.js";
import { shownResource } from "./resource-model.js";
import type { World } from "./world.js";

/** Rejects a body and query parameters, for the endpoints that take neither. */
export function refuseExtras(request: ModelRequest): void {
  refuseQuery(request.query);
  refuseBody(request);
}

export function refuseBody(request: ModelRequest): void {
  if (request.body !== undefined) {
    throw new Rejection("body-unexpected", `${request.method} takes no body here.`);
  }
}

export function neededBody(request: ModelRequest): Json {
  refuseQuery(request.query);
  if (request.body === undefined) throw new Rejection("body-missing", `${request.method} needs a JSON body.`);
  return request.body;
}

/** The body of a PATCH: names at least one member. A lenient service lets it repeat the id. */
export function changes(request: ModelRequest, id: string, lenient: boolean): Json {
  const given = neededBody(request);
  let body: Json = given;
  if (lenient && isObject(given) && given["id"] === id) {
    const { id: _, ...rest } = given;
    body = rest;
  }
  if (isObject(body) && Object.keys(body).length === 0) {
    throw new Rejection("body-empty", "the body names nothing to change.");
  }
  return body;
}

/** The body of a module PUT. A lenient service takes it wrapped as `{id, module}` too. */
export function moduleParameters(request: ModelRequest, lenient: boolean): Json {
  const body = neededBody(request);
  if (!lenient || !isObject(body) || !isObject(body["module"])) return body;
  const ids = Object.keys(body).every((member) => ["module", "id", "edge_id"].includes(member));
  return ids ? (body["module"] ?? null) : body;
}

export function wrongMethod(request: ModelRequest, allowed: readonly string[]): Rejection {
  const method = request.method.slice(0, 20);
  return new Rejection("method-not-allowed", `${method} is not allowed here, only ${allowed.join(", ")}.`, allowed);
}

/**
 * One page of a collection, newest first.
 * `limit` (1–100) and `before_id` choose it; any other or repeated parameter is rejected.
 */
export function listPage(world: World, kind: ListedKind, query: ModelRequest["query"], baseUrl: string): JsonObject {
  const { title, collection } = kinds[kind];
  if (collection === null) throw new TypeError(`${kind} has no collection`);
  const { limit, before } = readQuery(query ?? [], world);
  const size = Math.min(limit ?? 100, world.options.pageSize);
  const page = world.collections[kind].page(size, before);
  if (page === null) throw new Rejection("query-invalid", `before_id names no ${title} of this account.`);
  const how = { options: world.options, inList: true };
  const uri = `${baseUrl}${collection.path}`;
  return {
    [collection.member]: page.resources.map((each) => shownResource(each, resourceModels[kind], how)),
    uri,
    next_page_uri:
      page.next === null ? null : `${uri}?before_id=${encodeURIComponent(page.next)}&limit=${limit ?? size}`,
  };
}

function readQuery(
  query: readonly (readonly [string, string])[],
  world: World,
): { readonly limit: number | null; readonly before: string | null } {
  let limit: number | null = null;
  let before: string | null = null;
  const seen = new Set<string>();
  for (const [given, value] of query) {
    const name = world.options.lenient && given === "beforeId" ? "before_id" : given;
    if (seen.has(name)) throw new Rejection("query-invalid", `the query names "${name}" more than once.`);
    seen.add(name);
    if (name === "limit") {
      limit = /^\d{1,3}$/.test(value) ? Number(value) : 0;
      if (limit < 1 || limit > 100) {
        throw new Rejection("query-invalid", "limit must be a whole number from 1 to 100.");
      }
    } else if (name === "before_id") before = value;
    else throw unknownParameter(name);
  }
  return { limit, before };
}

function refuseQuery(query: ModelRequest["query"]): void {
  const [first] = query ?? [];
  if (first !== undefined) throw unknownParameter(first[0]);
}

function unknownParameter(name: string): Rejection {
  return new Rejection("query-invalid", `the query has an unknown parameter "${name.slice(0, 60)}".`);
}
