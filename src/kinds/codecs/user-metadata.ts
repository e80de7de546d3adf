import { type Value, isObject } from "../../json.js";
import type { Codec } from "../kind.js";
import { plainMetadata, readMarker } from "../marker.js";
import { sameJson } from "./same-json.js";

/**
 * The user's own metadata: text, a map, or "" for nothing. The marker is taken off before and put on after
 * (`body-of.ts`), so that nothing else sees it.
 */
export const userMetadata: Codec = {
  fromManifest: emptyAsNothing,
  fromWire: (value) => emptyAsNothing(readMarker(value).user),
  toWire: (value) => ({ json: plainMetadata(value), bind: {} }),
  same: (a, b) => a === b || sameJson(emptyAsNothing(asDocument(a)), emptyAsNothing(asDocument(b))),
};

function emptyAsNothing(value: Value): Value {
  return value === null || (isObject(value) && Object.keys(value).length === 0) ? "" : value;
}

/** A text that is a JSON object means the same as that object. */
function asDocument(value: Value): Value {
  return typeof value === "string" ? readMarker(value).user : value;
}
