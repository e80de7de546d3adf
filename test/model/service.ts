import type { Json, JsonObject } from "../../src/core/json.ts";
import { type Effect, applyEffects } from "../../src/model/effects.ts";
import { type ModelEnv, type ModelOptions, countingEnv } from "../../src/model/model-options.ts";
import type { ModelResponse } from "../../src/model/request.ts";
import { respond } from "../../src/model/respond.ts";
import { type World } from "../../src/model/world.ts";
import { type WorldSeed, worldFrom } from "../../src/model/world-seed.ts";

export interface Service {
  readonly world: World;
  readonly effects: () => readonly Effect[];
  readonly call: (method: string, path: string, body?: Json) => ModelResponse;
  readonly done: (method: string, path: string, body?: Json) => JsonObject;
}

export function service(
  options: Partial<ModelOptions> = {},
  seed: WorldSeed = {},
  env: ModelEnv = countingEnv(),
): Service {
  const world = worldFrom(seed, options);
  let last: readonly Effect[] = [];
  function call(method: string, target: string, body?: Json): ModelResponse {
    const { pathname, searchParams } = new URL(target, "http://model.example");
    const request = { method, path: pathname, query: [...searchParams], ...(body === undefined ? {} : { body }) };
    const { response, effects } = respond(world, request, env);
    applyEffects(world, effects);
    last = effects;
    return response;
  }
  return {
    world,
    effects: () => last,
    call,
    done(method, path, body) {
      const response = call(method, path, body);
      if (response.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(response)}`);
      return (response.body ?? {}) as JsonObject;
    },
  };
}

export function messageOf(response: ModelResponse): string {
  return textAt(response.body as JsonObject, "msg");
}

export function idOf(made: JsonObject): string {
  return textAt(made, "id");
}

export function textAt(object: JsonObject, member: string): string {
  const value = object[member];
  if (typeof value !== "string") throw new TypeError(`${member} is no string in ${JSON.stringify(object)}`);
  return value;
}
