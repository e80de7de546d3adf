import { isObject } from "../json.js";
import type { Spec } from "../kinds/value.js";
import { Secret } from "../secret.js";
import type { Match } from "./match.js";
import type { Verdicts } from "./verdicts.js";

/** Tells which secrets of the written fields can't be had here, though the run will need them. */
export function warnOfSecrets(match: Match, spec: Spec, written: readonly string[], verdicts: Verdicts): void {
  const check = (path: string, value: unknown): void => {
    if (!(value instanceof Secret) || value.missing === null) return;
    verdicts.warn("secret-unavailable", `spec.${path} is not available here; apply will need it`, match.address);
  };
  for (const name of written) {
    const value = spec[name];
    check(name, value);
    if (!isObject(value) || value instanceof Secret) continue;
    for (const member of Object.keys(value)) check(`${name}.${member}`, value[member]);
  }
}
