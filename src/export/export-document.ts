import { type Value, isObject } from "../json.js";
import type { Codec, Field } from "../kinds/kind.js";
import { type Address, addressOf } from "../kinds/names.js";
import { sameTokens } from "../kinds/policy/compare-documents.js";
import { type PolicyPath, mapSecrets, pathInWords } from "../kinds/policy/find-secrets.js";
import { documentOf, policy } from "../kinds/policy/policy-codec.js";
import { isNamedSecret, isValueObject, secretPairName } from "../kinds/policy/secret-places.js";
import { SecretPolicy } from "../kinds/policy/secret-policy.js";
import { holdsSource } from "../kinds/policy/source-places.js";
import { kinds } from "../kinds/registry.js";
import { isSecretName } from "../secret-names.js";
import { MASK } from "../secret.js";
import { type ExportNames, type ExportedResource, referencesByName } from "./exported-resources.js";

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

/** A policy as a manifest has it, without its secrets. */
interface PolicyWithoutSecrets {
  readonly value: unknown;
  /** What the manifest names in place of each secret. */
  readonly variables: readonly { readonly variable: string; readonly path: string }[];
  /** What could not be done, in words that follow the policy's name. */
  readonly problems: readonly string[];
}

/**
 * A live policy with `{env: NAME}` in place of each secret.
 * @param nameFor gives a name to the variable for the secret that is called like this
 */
function replaceSecrets(policy: SecretPolicy, nameFor: (called: string) => string): PolicyWithoutSecrets {
  const { document } = policy;
  if (document === undefined || !isObject(document) || !roundTrips(policy.reveal(), document)) {
    const masked = document === undefined ? policy.toJSON() : JSON.stringify(mapSecrets(document, () => MASK));
    // Where the secret is in a member that the document has lost, nothing would keep the rest from being sent without it.
    const value = masked.includes(MASK) ? masked : MASK;
    const problem = `holds secrets and can't be written as an object, so that the manifest has ${MASK} in their place: validate, plan and apply refuse it until you write them yourself`;
    return { value: escapeExpressions(value), variables: [], problems: [problem] };
  }
  const variables: { variable: string; path: string }[] = [];
  const problems: string[] = [];
  const value = mapSecrets(escapeExpressions(document) as Value, (secret, path) => {
    const variable = nameFor(secretNameAt(document, path));
    variables.push({ variable, path: pathInWords(path) });
    if (typeof secret !== "string") {
      const what = typeof secret === "number" ? "number" : "map";
      problems.push(`has a ${what} at ${pathInWords(path)}, and ${variable} would be sent as a text`);
    }
    return { env: variable };
  });
  return { value, variables, problems };
}

/** What a secret is called: the first telling name on the way, or the last name. */
function secretNameAt(document: Value, path: PolicyPath): string {
  let called = "";
  let value: Value | undefined = document;
  for (const step of path) {
    if (typeof step === "string" && !isSecretName(called)) {
      const beside = isValueObject(value) && !isSecretName(step) ? secretPairName(value) : null;
      called = isNamedSecret(isValueObject(value) ? value : {}, step) ? (beside ?? step) : step;
    }
    value = Reflect.get(Object(value), step) as Value | undefined;
  }
  return called;
}

/**
 * A value in the form that people edit: a traffic policy as an object when that says the same, and every text with the
 * begin of an expression (`${{`) escaped, so that it is read back as it stands.
 */
function editableValue(codec: Codec, value: Value): unknown {
  return escapeExpressions(codec === policy ? policyAsObject(value) : value);
}

function policyAsObject(value: Value): unknown {
  const parsed = documentOf(value);
  if (typeof value !== "string" || !isObject(parsed) || !roundTrips(value, parsed)) return value;
  return policy.same(value, JSON.stringify(parsed)) === true ? parsed : value;
}

/** Whether a policy can be written as an object: it is read back as the same. */
function roundTrips(text: string, parsed: { readonly [member: string]: unknown }): boolean {
  // `{file: …}` would be read as the name of a file, and within a policy as the source of a secret.
  if (Object.keys(parsed).every((member) => member === "file") || holdsSource(parsed)) return false;
  // Numbers that JavaScript can't hold, repeated members and `__proto__` don't survive.
  return sameTokens(text, JSON.stringify(parsed));
}

/** A value in which no text is read as an expression. */
function escapeExpressions(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("${{", () => "$${{");
  if (Array.isArray(value)) return value.map(escapeExpressions);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([member, part]) => [member, escapeExpressions(part)]));
}
