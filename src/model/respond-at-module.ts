import type { JsonObject } from "../json.js";
import { isObject } from "../json.js";
import type { ModelContext } from "./context.js";
import type { Effect } from "./effects.js";
import type { Endpoint } from "./locate.js";
import type { ModuleReader } from "./modules/edge-module.js";
import { tlsEdgeModules } from "./modules/tls-edge-modules.js";
import type { ModelOptions } from "./options.js";
import { Rejection } from "./rejection.js";
import type { ModelRequest, ModelResponse } from "./request.js";
import { moduleParameters, refuseExtras, wrongMethod } from "./request-rules.js";
import { withModule } from "./resources/tls-edge.js";
import type { ModelAnswer } from "./respond.js";

type ModuleEndpoint = Extract<Endpoint, { of: "tls-module" | "https-module" }>;

/** A module wherever it lives: what it holds and what putting or removing it does. */
interface ModuleSlot {
  readonly title: string;
  readonly value: JsonObject | null;
  readonly read: ModuleReader;
  readonly change: (value: JsonObject | null) => Effect;
}

/** PUT, GET and DELETE of one module (specification, "TLS edge module endpoints", "HTTPS edge module endpoints"). */
export function respondAtModule(place: ModuleEndpoint, request: ModelRequest, context: ModelContext): ModelAnswer {
  const { method } = request;
  if (!["GET", "PUT", "DELETE"].includes(method)) throw wrongMethod(request, ["GET", "PUT", "DELETE"]);
  const { options } = context.world;
  const slot = place.of === "tls-module" ? tlsSlot(place, context) : httpsSlot(place, context);
  if (method === "PUT") {
    const value = slot.read(moduleParameters(request, options.lenient), "", context);
    return { response: { status: 200, body: value }, effects: [slot.change(value)] };
  }
  refuseExtras(request);
  if (method === "GET") {
    const response = slot.value === null ? unsetResponse(slot, options) : { status: 200, body: slot.value };
    return { response, effects: [] };
  }
  if (slot.value === null && options.deleteUnsetModule === "404") throw notSet(slot);
  return { response: { status: 204, body: null }, effects: slot.value === null ? [] : [slot.change(null)] };
}

function tlsSlot({ id, module }: Extract<Endpoint, { of: "tls-module" }>, { world }: ModelContext): ModuleSlot {
  const before = world.collections.TLSEdge.get(id);
  if (before === null) throw new Rejection(404, "not-found", `there is no TLS edge ${id}.`);
  const value = before[module];
  return {
    title: module,
    value: isObject(value) ? value : null,
    read: tlsEdgeModules[module],
    change: (next) => ({ of: "resource", kind: "TLSEdge", id, before, after: withModule(before, module, next) }),
  };
}

function httpsSlot(
  { path, title, read }: Extract<Endpoint, { of: "https-module" }>,
  { world }: ModelContext,
): ModuleSlot {
  const before = world.modules.get(path) ?? null;
  return { title, value: before, read, change: (after) => ({ of: "module", path, before, after }) };
}

function unsetResponse(slot: ModuleSlot, { unsetModule }: ModelOptions): ModelResponse {
  if (unsetModule === "404") throw notSet(slot);
  return { status: unsetModule === "null" ? 200 : 204, body: null };
}

function notSet(slot: ModuleSlot): Rejection {
  return new Rejection(404, "not-found", `the module ${slot.title} is not set.`);
}
