import { type Value, isObject } from "../core/json.js";
import type { Codec, Field } from "../kinds/kind.js";
import { type Address, addressOf } from "../kinds/names.js";
import { plainMetadata } from "../kinds/marker.js";
import { losesNothing } from "../core/json-text.js";
import { type DocumentPath, showPath } from "../core/document-path.js";
import {
  isNamedSecret,
  isValueObject,
  secretPairName,
  mapSecrets,
  holdsSource,
} from "../kinds/policy/secret-places.js";
import { documentOf, policy, SecretPolicy } from "../kinds/policy/policy-codec.js";
import { kinds } from "../kinds/registry.js";
import { isSecretName } from "../core/secret-names.js";
import { type ExportNames, type ExportedResource, referencesByName, resourceKey } from "./exported-resources.js";

/** One manifest as plain data, the variables it needs, and warnings. */
export interface ExportDocument {
  readonly kind: ExportedResource["kind"];
  readonly name: string;
  readonly id: string;
  readonly address: Address;
  readonly manifest: { readonly [member: string]: unknown };
  readonly secrets: readonly NeededSecret[];
  readonly warnings: readonly string[];
  /** Fields that can't be written, with the reasons; `leave-out.ts` takes them out. */
  readonly unfit: ReadonlyMap<string, string>;
  /** What was left out, in words, for comments. */
  readonly leftOut: readonly string[];
}

/** An environment variable that a manifest reads a secret from. */
export interface NeededSecret {
  readonly variable: string;
  readonly address: Address;
  readonly field: string;
}

/** What the manifests of one export share. */
export interface ExportContext {
  readonly names: ExportNames;
  /** The environment variables used so far; added to. */
  readonly variables: Set<string>;
}

/** The manifest of one live resource. */
export function exportDocument(resource: ExportedResource, context: ExportContext): ExportDocument {
  const { kind: kindName, id, wire, own, otherStack } = resource;
  const name = context.names.byId.get(resourceKey(kindName, id)) ?? id;
  const address = addressOf(kindName, name);
  const spec: { [field: string]: unknown } = {};
  const secrets: NeededSecret[] = [];
  const warnings: string[] =
    otherStack === null
      ? []
      : [`${address} belongs to stack ${otherStack}; plan refuses it unless you pass --take-over`];
  const unfit = new Map<string, string>();
  for (const [fieldName, field] of Object.entries(kinds[kindName].fields)) {
    if (field.secret === true) {
      const variable = secretVariableName(name, fieldName, context.variables);
      spec[fieldName] = { env: variable };
      secrets.push({ variable, address, field: fieldName });
      continue;
    }
    const withoutSecrets = (policy: SecretPolicy, member: string): unknown => {
      const replaced = replaceSecrets(policy, (secretName) =>
        secretVariableName(`edge_${name}`, secretName, context.variables),
      );
      if (replaced === null) {
        unfit.set(fieldName, "its policy contains secrets and cannot be written as an object, without them");
        return null;
      }
      const path = `${fieldName}.${member}`;
      for (const { variable, path: inside } of replaced.variables)
        secrets.push({ variable, address, field: `${path} (${inside})` });
      warnings.push(...replaced.problems.map((problem) => `${path} of ${address} ${problem}`));
      return replaced.value;
    };
    const secretMember = (member: string): unknown => {
      const variable = secretVariableName(name, `${fieldName}_${member}`, context.variables);
      secrets.push({ variable, address, field: `${fieldName}.${member}` });
      return { env: variable };
    };
    const value = manifestValue(field, field.codec.fromWire(wire[fieldName]), context.names, {
      secretMember,
      withoutSecrets,
    });
    if (value !== undefined) spec[fieldName] = value;
  }
  const { deletion, replaced } = own ?? {};
  const lifecycle = {
    ...(deletion === undefined ? {} : { deletion }),
    ...(replaced === undefined ? {} : { replaced }),
  };
  return {
    kind: kindName,
    name,
    id,
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
    unfit,
    leftOut: [],
  };
}

/**
 * The value of a field as the manifest has it; undefined when the field should be left out.
 * @param replace what takes the place of a member of a module: `withoutSecrets` of a policy with secrets, `secretMember`
 * of one that is a secret
 */
function manifestValue(
  field: Field,
  value: Value,
  names: ExportNames,
  replace: {
    readonly secretMember: (member: string) => unknown;
    readonly withoutSecrets: (policy: SecretPolicy, member: string) => unknown;
  },
): unknown {
  if (value === null || value === "") return undefined;
  if (field.marker === true) {
    const text = plainMetadata(value);
    return escapedExpressions(holdsForbiddenKey(text) ? text : value);
  }
  if (field.module === undefined || !isObject(value))
    return editableValue(field.codec, withoutRepeats(field.codec, referencesByName(field.codec, value, names)));
  const members: { [member: string]: unknown } = {};
  for (const [memberName, member] of Object.entries(field.module.members)) {
    const part = value[memberName] ?? null;
    if (part === null || part === "") continue;
    if (memberName === "enabled" && part === true) continue;
    if (part instanceof SecretPolicy) members[memberName] = replace.withoutSecrets(part, memberName);
    else if (member.secret === true) members[memberName] = replace.secretMember(memberName);
    else
      members[memberName] = editableValue(
        member.codec,
        withoutRepeats(member.codec, referencesByName(member.codec, part, names)),
      );
  }
  // Without any member the manifest would not have the module.
  return Object.keys(members).length === 0 ? { enabled: true } : members;
}

/** Lists are sets: what a service repeats in one, or writes in two ways, is written once. */
function withoutRepeats(codec: Codec, value: Value): Value {
  return Array.isArray(value) && codec.references !== undefined ? codec.fromManifest(value) : value;
}

/** A unique environment variable: `API_PRIVATE_KEY` for the field `private_key_pem` of `api`. */
function secretVariableName(name: string, field: string, taken: Set<string>): string {
  const text = `${name}_${field.replace(/_pem$/u, "")}`.toUpperCase().replaceAll(/[^A-Z0-9]+/gu, "_");
  const wanted = /^[0-9]/u.test(text) ? `_${text}` : text;
  let variable = wanted;
  for (let count = 2; taken.has(variable); count++) variable = `${wanted}_${count}`;
  taken.add(variable);
  return variable;
}

/** A policy in the form of a manifest, without its secrets. */
interface PolicyWithoutSecrets {
  readonly value: unknown;
  /** The environment variables in place of the secrets, and the paths of those. */
  readonly variables: readonly { readonly variable: string; readonly path: string }[];
  /** Predicates of which the policy's path is the subject. */
  readonly problems: readonly string[];
}

/**
 * A live policy with `{env: NAME}` in place of each secret; null when it can't be written as an object, which alone can
 * name sources.
 * @param variableFor the environment variable for a secret of this name
 */
function replaceSecrets(
  policy: SecretPolicy,
  variableFor: (secretName: string) => string,
): PolicyWithoutSecrets | null {
  const { document } = policy;
  if (document === undefined || !isObject(document) || !roundTrips(policy.reveal(), document)) return null;
  const variables: { variable: string; path: string }[] = [];
  const problems: string[] = [];
  const value = mapSecrets(escapedExpressions(document) as Value, (secret, path) => {
    const variable = variableFor(secretNameAt(document, path));
    variables.push({ variable, path: showPath(path) });
    if (typeof secret !== "string") {
      const what = typeof secret === "number" ? "number" : "map";
      problems.push(`has a ${what} at ${showPath(path)}; ${variable} would be sent as a string`);
    }
    return { env: variable };
  });
  return { value, variables, problems };
}

/** The name of a secret: the first name on its path that is the name of a secret, or the last name. */
function secretNameAt(document: Value, path: DocumentPath): string {
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
 * A value in the form that people edit: a traffic policy as an object when that means the same, and every text with
 * `${{` escaped so that it round-trips.
 */
function editableValue(codec: Codec, value: Value): unknown {
  return escapedExpressions(codec === policy ? policyAsObject(value) : value);
}

/** A policy as an object when it can be read back unchanged; else its text. */
export function policyAsObject(value: Value): unknown {
  const parsed = documentOf(value);
  if (typeof value !== "string" || !isObject(parsed) || !roundTrips(value, parsed)) return value;
  return policy.same(value, JSON.stringify(parsed)) === true ? parsed : value;
}

/** Whether a policy can be written as an object and read back unchanged. */
export function roundTrips(text: string, parsed: { readonly [member: string]: unknown }): boolean {
  // `{file: …}` would be read as the name of a file, and within a policy as the source of a secret.
  if (Object.keys(parsed).every((member) => member === "file") || holdsSource(parsed)) return false;
  // Numbers that JavaScript can't hold and repeated members don't survive.
  return !holdsForbiddenKey(text) && losesNothing(text);
}

/** Whether a JSON text may have a member that no YAML file may have; in doubt it stays text. */
function holdsForbiddenKey(json: string): boolean {
  return json.includes("__proto__");
}

/** The value as a manifest must write it: with every `${{` escaped, so that no text is read as an expression. */
export function escapedExpressions(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("${{", () => "$${{");
  if (Array.isArray(value)) return value.map(escapedExpressions);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([member, part]) => [member, escapedExpressions(part)]));
}
