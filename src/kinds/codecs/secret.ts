import { Secret } from "../../secret.js";
import type { Codec } from "../kind.js";

/** A secret: bound, never written into a plan. Null = none. */
export const secretText: Codec = {
  fromManifest: (value) => value ?? null,
  fromWire: (value) => (value === undefined || value === "" ? null : value),
  toWire: (value) => (value === null ? { json: "", bind: {} } : { json: null, bind: { "": { secret: true } } }),
  same: (a, b) => {
    if (a instanceof Secret && b instanceof Secret) return a.sameAs(b);
    return a === b;
  },
};
