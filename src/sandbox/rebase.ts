import { type Json, type JsonObject, isObject } from "../json.js";
import { listedKinds } from "../kinds/names.js";
import type { Live } from "../live/live.js";
import type { WorldSeed } from "../model/world-seed.js";

/** A seed whose addresses (`uri`, of resources and of Refs) begin with another base URL. */
export function rebaseUris(seed: WorldSeed, from: string | null, to: string): WorldSeed {
  if (from === null || from === "" || from === to) return seed;
  const lists: { -readonly [K in keyof Live["lists"]]?: Live["lists"][K] } = {};
  for (const kind of listedKinds) lists[kind] = (seed.lists?.[kind] ?? []).map((each) => moved(each, from, to));
  return { ...seed, lists };
}

function moved(object: JsonObject, from: string, to: string): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([member, value]) => {
      if (member === "uri" && typeof value === "string" && value.startsWith(`${from}/`)) {
        return [member, to + value.slice(from.length)];
      }
      // Headers are the user's own text, whatever they are called.
      return [member, member === "headers" ? value : movedValue(value ?? null, from, to)];
    }),
  );
}

function movedValue(value: Json, from: string, to: string): Json {
  if (Array.isArray(value)) return value.map((each: Json) => movedValue(each, from, to));
  return isObject(value) ? moved(value, from, to) : value;
}
