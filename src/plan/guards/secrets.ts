import { type Spec, isObject } from "../../core/json.js";
import { EdgewiseError } from "../../core/errors.js";
import { claimText } from "../../kinds/kind.js";
import { nameOf } from "../../kinds/names.js";
import { secretsIn } from "../../kinds/policy/secret-places.js";
import { kinds } from "../../kinds/registry.js";
import { Secret } from "../../core/secret.js";
import { specPath } from "../diff.js";
import type { PlanContext } from "../plan-context.js";
import type { PlannedState } from "./planned-state.js";
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

/**
 * No secret is an address, a name or a hostport of the plan. Loading has compared them with those of the manifests.
 * @throws EdgewiseError `manifests`
 */
export function refuseNamesAsSecrets({ changed, manifests }: PlannedState): void {
  if (changed.length === 0) return;
  const shown = new Set<string>(
    changed.flatMap(({ address, sequence }) => [
      address,
      nameOf(address),
      ...sequence.flatMap(({ frees, takes }): readonly string[] => [...frees, ...takes].map(claimText)),
    ]),
  );
  for (const { address, kind, source, spec } of manifests) {
    const isShown = kinds[kind].fieldList.some(
      ({ field, name }) => field.writeOnly !== true && secretsIn(spec[name]).some((secret) => isOneOf(secret, shown)),
    );
    if (!isShown) continue;
    const where = `${source.file}:${source.line}`;
    throw new EdgewiseError(
      "manifests",
      `${where}: a secret of ${address} is an address, a name or a hostport of the plan`,
      {
        remedy: "Choose another secret.",
      },
    );
  }
}

function isOneOf(secret: Secret, texts: ReadonlySet<string>): boolean {
  return secret.missing === null && texts.has(secret.reveal());
}
