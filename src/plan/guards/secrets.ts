import { type Spec, isObject } from "../../core/json.js";
import { Secret } from "../../core/secret.js";
import { specPath } from "../diff.js";
import type { PlanContext } from "../plan-context.js";
import type { ProposedState } from "../proposed-state.js";

/** Warns of the secrets of written fields that are not available here, though the run will need them. */
export function warnAboutSecrets(
  { findings }: PlanContext,
  { match, spec }: Pick<ProposedState, "match" | "spec">,
  written: readonly string[],
): void {
  const check = (path: string, value: unknown): void => {
    if (!(value instanceof Secret) || value.missing === null) return;
    findings.warn(
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
  { findings }: PlanContext,
  { match, spec }: Pick<ProposedState, "match" | "spec">,
  paths: readonly string[],
): void {
  for (const path of paths) {
    const value = valueAt(spec, path);
    const reason = value instanceof Secret && value.missing !== null ? ` (${value.missing})` : "";
    findings.warn(
      "secret-unknown",
      `${path} can't be compared with what is live, as the secret is not available here; it counts as unchanged${reason}`,
      match.address,
    );
  }
}

function valueAt(spec: Spec, path: string): unknown {
  const { field = "", member = "" } = specPath(path) ?? {};
  const module = spec[field];
  return isObject(module) ? module[member] : null;
}
