import { type Spec, isObject } from "../../json.js";
import { Secret } from "../../secret.js";
import type { FindingsCollector } from "../findings-collector.js";
import type { Match } from "../match.js";

/** Warns of the secrets of written fields that are not available here, though the run will need them. */
export function warnAboutSecrets(
  match: Match,
  spec: Spec,
  written: readonly string[],
  verdicts: FindingsCollector,
): void {
  const check = (path: string, value: unknown): void => {
    if (!(value instanceof Secret) || value.missing === null) return;
    verdicts.warn(
      "secret-unavailable",
      `spec.${path} is not available here; apply will need it (${value.missing})`,
      match.address,
    );
  };
  for (const name of written) {
    const value = spec[name];
    check(name, value);
    if (!isObject(value) || value instanceof Secret) continue;
    for (const member of Object.keys(value)) check(`${name}.${member}`, value[member]);
  }
}

/** Warns of secrets that could not be compared: `paths` are those of the fields that hold them. */
export function warnAboutUncompared(
  match: Match,
  spec: Spec,
  paths: readonly string[],
  verdicts: FindingsCollector,
): void {
  for (const path of paths) {
    const [, field = "", member = ""] = path.split(".");
    const module = spec[field];
    const value = isObject(module) ? module[member] : null;
    const reason = value instanceof Secret && value.missing !== null ? ` (${value.missing})` : "";
    verdicts.warn(
      "secret-unknown",
      `${path} can't be compared with what is live, as the secret is not available here; it counts as unchanged${reason}`,
      match.address,
    );
  }
}
