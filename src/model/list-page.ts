import type { JsonObject } from "../json.js";
import type { ListedKind } from "../kinds/names.js";
import { Rejection } from "./rejection.js";
import { resourceModels } from "./resources/registry.js";
import type { ResourceModel } from "./resource-model.js";
import type { ModelRequest } from "./request.js";
import type { World } from "./world.js";

/**
 * One page of a collection, newest first (specification, "What the service does", list responses).
 * `limit` (1–100) and `before_id` choose it; any other or repeated parameter is rejected.
 */
export function listPage(world: World, kind: ListedKind, query: ModelRequest["query"], baseUrl: string): JsonObject {
  const model: ResourceModel = resourceModels[kind];
  const { limit, before } = readQuery(query ?? [], world);
  const size = Math.min(limit ?? 100, world.options.pageSize);
  const page = world.collections[kind].page(size, before);
  if (page === null) throw new Rejection(400, "query-invalid", `before_id names no ${model.title} of this account.`);
  const listed = model.listed;
  const uri = `${baseUrl}${model.path}`;
  return {
    [model.member]: listed === undefined ? page.resources : page.resources.map(listed),
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
    if (seen.has(name)) throw new Rejection(400, "query-invalid", `the query names "${name}" more than once.`);
    seen.add(name);
    if (name === "limit") {
      limit = /^\d{1,3}$/.test(value) ? Number(value) : 0;
      if (limit < 1 || limit > 100) {
        throw new Rejection(400, "query-invalid", "limit must be a whole number from 1 to 100.");
      }
    } else if (name === "before_id") before = value;
    else throw unknownParameter(name);
  }
  return { limit, before };
}

/** Rejects every query parameter, for the endpoints that take none. */
export function refuseQuery(query: ModelRequest["query"]): void {
  const [first] = query ?? [];
  if (first !== undefined) throw unknownParameter(first[0]);
}

function unknownParameter(name: string): Rejection {
  return new Rejection(400, "query-invalid", `the query has an unknown parameter "${name.slice(0, 60)}".`);
}
