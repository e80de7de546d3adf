import { isObject } from "../../json.js";
import { filledText, flag, readObject } from "../read-body.js";
import { Rejection } from "../rejection.js";
import { memberOf } from "./edge-module.js";
import type { ModuleReader } from "./edge-module.js";

/** A traffic policy: kept byte for byte, once it is a JSON object. Phases and actions are not checked: the list grows. */
export const trafficPolicy: ModuleReader = (value, at) => {
  const body = readObject(value, at, { enabled: flag, value: filledText }, ["value"]);
  if (!holdsObject(body.value)) {
    throw new Rejection(400, "value-invalid", `${memberOf(at, "value")} must be a string that holds a JSON object.`);
  }
  return { enabled: body.enabled ?? true, value: body.value };
};

function holdsObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}
