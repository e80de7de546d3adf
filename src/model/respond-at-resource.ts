import type { ModelContext } from "./context.js";
import type { Endpoint } from "./locate.js";
import { Rejection } from "./rejection.js";
import type { ModelRequest } from "./request.js";
import { changes, refuseExtras, wrongMethod } from "./request-rules.js";
import { resourceModels } from "./resources/registry.js";
import type { ResourceModel } from "./resource-model.js";
import type { ModelAnswer } from "./respond.js";

/** Get, update and delete of one resource. */
export function respondAtResource(
  place: Extract<Endpoint, { of: "resource" }>,
  request: ModelRequest,
  context: ModelContext,
): ModelAnswer {
  const { kind, id } = place;
  const { method } = request;
  const model: ResourceModel = resourceModels[kind];
  if (!["GET", "PATCH", "DELETE"].includes(method)) throw wrongMethod(request, ["GET", "PATCH", "DELETE"]);
  const before = context.world.collections[kind].get(id);
  if (before === null) throw new Rejection(404, "not-found", `there is no ${model.title} ${id}.`);
  if (method === "PATCH") {
    const body = changes(request, id, context.world.options.lenient);
    const after = { ...before, ...model.update(body, before, context) };
    return { response: { status: 200, body: after }, effects: [{ of: "resource", kind, id, before, after }] };
  }
  refuseExtras(request);
  if (method === "GET") return { response: { status: 200, body: before }, effects: [] };
  model.mayRemove?.(before, context);
  return { response: { status: 204, body: null }, effects: [{ of: "resource", kind, id, before, after: null }] };
}
