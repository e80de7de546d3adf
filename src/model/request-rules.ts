import type { Json } from "../json.js";
import { isObject } from "../json.js";
import { refuseQuery } from "./list-page.js";
import { Rejection } from "./rejection.js";
import type { ModelRequest } from "./request.js";

/** Rejects a body and query parameters, for the endpoints that take neither. */
export function refuseExtras(request: ModelRequest): void {
  refuseQuery(request.query);
  refuseBody(request);
}

/** Rejects a body where the specification has none. */
export function refuseBody(request: ModelRequest): void {
  if (request.body !== undefined) {
    throw new Rejection(400, "body-unexpected", `${request.method} takes no body here.`);
  }
}

/** The body of an endpoint that needs one. */
export function neededBody(request: ModelRequest): Json {
  refuseQuery(request.query);
  if (request.body === undefined) throw new Rejection(400, "body-missing", `${request.method} needs a JSON body.`);
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
    throw new Rejection(400, "body-empty", "the body names nothing to change.");
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

/** The rejection of a method that a path does not have. */
export function wrongMethod(request: ModelRequest, allowed: readonly string[]): Rejection {
  const method = request.method.slice(0, 20);
  return new Rejection(405, "method-not-allowed", `${method} is not allowed here, only ${allowed.join(", ")}.`);
}
