import { isObject } from "../../json.js";
import { flag, readObject, text } from "../read-body.js";
import { Rejection } from "../rejection.js";
import { memberPath } from "./edge-module.js";
import type { ModuleReader } from "./edge-module.js";

/** A traffic policy: kept byte for byte. Phases and actions are not checked: the list grows. */
export const readTrafficPolicy: ModuleReader = (value, at, { world }) => {
  const body = readObject(value, at, { enabled: flag, value: text() }, ["value"]);
  if (world.options.knownValuesOnly && !holdsObject(body.value)) {
    throw new Rejection(400, "value-invalid", `${memberPath(at, "value")} must be a string that holds a JSON object.`);
  }
  return { enabled: body.enabled ?? true, value: body.value };
};

function holdsObject(json: string): boolean {
  try {
    return isObject(JSON.parse(json));
  } catch {
    return false;
  }
}
