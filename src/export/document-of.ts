import { type Value, isObject } from "../json.js";
import type { Field } from "../kinds/kind.js";
import { type Address, addressOf } from "../kinds/names.js";
import { SecretPolicy } from "../kinds/policy/secret-policy.js";
import { kinds } from "../kinds/registry.js";
import { editableValue } from "./editable.js";
import type { ExportNames } from "./name-all.js";
import { referencesByName } from "./named-references.js";
import type { ExportedResource } from "./select.js";
import { replaceSecrets } from "./without-secrets.js";

/** One manifest as plain data, and what has to be told about it. */
export interface ExportDocument {
  readonly kind: ExportedResource["kind"];
  readonly name: string;
  readonly address: Address;
  readonly manifest: { readonly [member: string]: unknown };
  readonly secrets: readonly { readonly variable: string; readonly address: Address; readonly field: string }[];
  readonly warnings: readonly string[];
}

/**
 * The manifest of one live resource.
 * @param variables the process variables that secrets are given already; added to
 */
export function exportDocument(
  selection: ExportedResource,
  names: ExportNames,
  variables: Set<string>,
): ExportDocument {
  const { kind: kindName, id, wire, own, otherStack } = selection;
  const kind = kinds[kindName];
  const name = names.byId[kindName].get(id) ?? id;
  const address = addressOf(kindName, name);
  const spec: { [field: string]: unknown } = {};
  const secrets: { variable: string; address: Address; field: string }[] = [];
  const warnings: string[] =
    otherStack === null ? [] : [`${address} belongs to stack ${otherStack}: a plan refuses it without --take-over`];
  for (const [fieldName, field] of Object.entries(kind.fields)) {
    if (field.secret === true) {
      const variable = secretVariableName(name, fieldName, variables);
      spec[fieldName] = { env: variable };
      secrets.push({ variable, address, field: fieldName });
      continue;
    }
    const value = field.codec.fromWire(wire[fieldName]);
    const shown = manifestValue(field, value, names, (policy, member) => {
      const found = replaceSecrets(policy, (called) => secretVariableName(`edge_${name}`, called, variables));
      const path = `${fieldName}.${member}`;
      for (const { variable, path: inside } of found.variables)
        secrets.push({ variable, address, field: `${path} (${inside})` });
      warnings.push(...found.problems.map((problem) => `${path} of ${address} ${problem}`));
      return found.value;
    });
    if (shown !== undefined) spec[fieldName] = shown;
  }
  const deletion = own?.deletion;
  const replaced = own?.replaced;
  const lifecycle = {
    ...(deletion === undefined ? {} : { deletion }),
    ...(replaced === undefined ? {} : { replaced }),
  };
  return {
    kind: kindName,
    name,
    address,
    manifest: {
      apiVersion: "edgewise/v1",
      kind: kindName,
      metadata: { name, id },
      ...(Object.keys(lifecycle).length === 0 ? {} : { lifecycle }),
      spec,
    },
    secrets,
    warnings,
  };
}

/**
 * The value as the manifest has it; undefined when the manifest is better without it.
 * @param withoutSecrets what a member of a module becomes that is a policy with secrets
 */
function manifestValue(
  field: Field,
  value: Value,
  names: ExportNames,
  withoutSecrets: (policy: SecretPolicy, member: string) => unknown,
): unknown {
  if (value === null || value === "") return undefined;
  if (field.module === undefined || !isObject(value))
    return editableValue(field.codec, referencesByName(field.codec, value, names));
  const shown: { [member: string]: unknown } = {};
  for (const [memberName, member] of Object.entries(field.module.members)) {
    const part = value[memberName] ?? null;
    if (part === null || part === "") continue;
    if (memberName === "enabled" && part === true) continue;
    if (part instanceof SecretPolicy) shown[memberName] = withoutSecrets(part, memberName);
    else shown[memberName] = editableValue(member.codec, referencesByName(member.codec, part, names));
  }
  // A module that has nothing but its defaults must still be there.
  return Object.keys(shown).length === 0 ? { enabled: true } : shown;
}

/** `API_PRIVATE_KEY` for the field `private_key_pem` of `api`: a process variable that nothing else is read from. */
function secretVariableName(name: string, field: string, taken: Set<string>): string {
  const text = `${name}_${field.replace(/_pem$/u, "")}`.toUpperCase().replaceAll(/[^A-Z0-9]+/gu, "_");
  const wanted = /^[0-9]/u.test(text) ? `_${text}` : text;
  let variable = wanted;
  for (let count = 2; taken.has(variable); count++) variable = `${wanted}_${count}`;
  taken.add(variable);
  return variable;
}
