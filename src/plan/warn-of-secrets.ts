import { isObject } from "../json.js";
import type { Spec } from "../kinds/value.js";
import { Secret } from "../secret.js";
import type { Match } from "./match.js";
import type { Verdicts } from "./verdicts.js";

/** Tells which secrets of the written fields can't be had here, though the run will need them. */
export function warnOfSecrets(match: Match, spec: Spec, written: readonly string[], verdicts: Verdicts): void {
  for (const name of written) {
    const value = spec[name] ?? null;
    const members = isObject(value) && !(value instanceof Secret) ? Object.entries(value) : [];
    const secrets: (readonly [string, unknown])[] = [
      [name, value],
      ...members.map(([m, v]) => [`${name}.${m}`, v] as const),
    ];
    for (const [path, secret] of secrets) {
      if (!(secret instanceof Secret) || secret.missing === null) continue;
      verdicts.warn("secret-unavailable", `spec.${path} is not available here; apply will need it`, match.address);
    }
  }
}
