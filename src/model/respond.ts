import type { ModelContext } from "./context.js";
import type { Effect } from "./effects.js";
import type { ModelEnv } from "./env.js";
import { errorBody } from "./error-body.js";
import { locateEndpoint } from "./locate.js";
import { Rejection, rejectionNumbers } from "./rejection.js";
import type { ModelRequest, ModelResponse } from "./request.js";
import { respondAtCollection } from "./respond-at-collection.js";
import { respondAtModule } from "./respond-at-module.js";
import { respondAtResource } from "./respond-at-resource.js";
import type { World } from "./world.js";

/** An answer and what it does to the world. */
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
    return { response: { status: error.status, body }, effects: [] };
  }
}

function route(request: ModelRequest, context: ModelContext): ModelAnswer {
  const place = locateEndpoint(request.path, context.world.options);
  if (place === null) throw new Rejection(404, "not-found", `there is nothing at ${request.path.slice(0, 200)}.`);
  switch (place.of) {
    case "collection":
      return respondAtCollection(place, request, context);
    case "resource":
      return respondAtResource(place, request, context);
    default:
      return respondAtModule(place, request, context);
  }
}
