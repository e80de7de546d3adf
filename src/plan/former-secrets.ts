import type { Spec, Value, ValueObject } from "../json.js";
import type { Kind, NamedField } from "../kinds/kind.js";
import type { NormalForms } from "../kinds/normal-form.js";
import { liveSecretsOf } from "../kinds/policy/find-secrets.js";
import { SecretPolicy } from "../kinds/policy/secret-policy.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";
import type { Manifest } from "../manifest/manifest.js";
import { Secret } from "../secret.js";
import { indexLive, instanceKey } from "./live-index.js";
import type { PlanOptions } from "./options.js";

/**
 * The live texts in the places of secrets: in fields that a kind declares as secret, where they came in clear, and where
 * manifests name the source of a secret in a policy. Called with the manifests of the merge base, too: a branch that no
 * longer names the source must not make a plan show what the source hid.
 */
export function formerSecrets(
  former: readonly Manifest[],
  live: Live,
  options: Pick<PlanOptions, "stack" | "previousStacks">,
  normalForms: NormalForms,
): readonly string[] {
  const holding = former.flatMap(({ address, id, kind, spec }) => {
    const desired = normalForms.specOf(kinds[kind], spec);
    return mayReplaceSecrets(kinds[kind], desired) ? [{ address, id, kind, desired }] : [];
  });
  if (holding.length === 0) return [];
  const index = indexLive(live, options, normalForms);
  return holding.flatMap(({ address, desired, id, kind }) => {
    const adopted = id === null ? undefined : index.byInstance.get(instanceKey(kind, id));
    const resources = [...(index.owned.get(address) ?? []), ...(adopted === undefined ? [] : [adopted])];
    return resources.flatMap(({ kind: declared, spec }) => [
      ...liveTextsBeside(desired, spec),
      ...clearFields(declared.fieldList, spec),
    ]);
  });
}

/** Whether a manifest has places for secrets, in which live texts may stand now. */
export function mayReplaceSecrets(kind: Kind, desired: Spec): boolean {
  return withSecretFields.has(kind) || holdsPolicy(policyFields.get(kind) ?? none, desired);
}

const none: readonly NamedField[] = [];

/** The fields of each kind that are policies, or modules with policies. */
const policyFields: ReadonlyMap<Kind, readonly NamedField[]> = new Map(
  Object.values(kinds).map((kind) => [kind, kind.fieldList.filter(mayHoldPolicy)]),
);

function mayHoldPolicy({ field: { content, module } }: NamedField): boolean {
  return content === "policy" || module?.memberList.some(mayHoldPolicy) === true;
}

const withSecretFields: ReadonlySet<Kind> = new Set(Object.values(kinds).filter(hasSecretField));

function hasSecretField({ fieldList }: Pick<Kind, "fieldList">): boolean {
  return fieldList.some(({ field: { module, secret, writeOnly } }) => {
    if (module !== undefined && hasSecretField({ fieldList: module.memberList })) return true;
    return secret === true && writeOnly !== true;
  });
}

/** What stands in clear in secret fields. What is wrapped was made known when it was read. */
function clearFields(fields: readonly NamedField[], values: ValueObject): readonly string[] {
  return fields.flatMap(({ name, field }) => {
    const value = values[name];
    if (field.secret === true) return typeof value === "string" && value !== "" ? [value] : [];
    return field.module !== undefined && isValueMap(value) ? clearFields(field.module.memberList, value) : [];
  });
}

/** Whether a policy with secrets stands in one of the fields: this is asked of every manifest. */
function holdsPolicy(fields: readonly NamedField[], values: ValueObject): boolean {
  return fields.some(({ name, field }) => {
    const value = values[name];
    if (field.module === undefined) return value instanceof SecretPolicy;
    return isValueMap(value) && holdsPolicy(field.module.memberList, value);
  });
}

function liveTextsBeside(desired: Value | undefined, live: Value | undefined): readonly string[] {
  if (desired instanceof SecretPolicy) return live === undefined ? [] : liveSecretsOf(live, desired);
  if (!isValueMap(desired) || !isValueMap(live)) return [];
  return Object.keys(desired).flatMap((member) => liveTextsBeside(desired[member], live[member]));
}

function isValueMap(value: Value | undefined): value is ValueObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Secret);
}
