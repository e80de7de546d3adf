import type { ModelContext } from "./context.js";
import { listPage } from "./list-page.js";
import type { Endpoint } from "./locate.js";
import type { ModelRequest } from "./request.js";
import { neededBody, refuseBody, wrongMethod } from "./request-rules.js";
import { resourceModels } from "./resources/registry.js";
import type { ResourceModel } from "./resource-model.js";
import type { ModelAnswer } from "./respond.js";

/** List and create. */
export function respondAtCollection(
  place: Extract<Endpoint, { of: "collection" }>,
  request: ModelRequest,
  context: ModelContext,
): ModelAnswer {
  const { kind } = place;
  const model: ResourceModel = resourceModels[kind];
  if (request.method === "GET") {
    refuseBody(request);
    const body = listPage(context.world, kind, request.query, context.baseUrl);
    return { response: { status: 200, body }, effects: [] };
  }
  if (request.method !== "POST") throw wrongMethod(request, ["GET", "POST"]);
  const members = model.create(neededBody(request), context);
  const id = context.env.newId(model.prefix);
  const uri = `${context.baseUrl}${model.path}/${encodeURIComponent(id)}`;
  const after = { id, uri, created_at: context.env.now(), ...members };
  return {
    response: { status: 201, body: after },
    effects: [{ of: "resource", kind, id, before: null, after }],
  };
}
