import type { Json, JsonObject } from "../../json.js";
import type { ModelContext } from "../context.js";

/** Reads the parameters of a module into what GET returns; `at` names it in messages, empty for a whole body. */
export type ModuleReader = (value: Json | undefined, at: string, context: ModelContext) => JsonObject;

/** The name of a module's member in messages. */
export function memberPath(at: string, member: string): string {
  return at === "" ? member : `${at}.${member}`;
}
