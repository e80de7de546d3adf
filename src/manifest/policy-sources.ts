import { isObject } from "../json.js";
import { isSource } from "../kinds/policy/is-source.js";
import type { Value, ValueObject } from "../kinds/value.js";
import type { DocumentPath } from "../schema/schema-error.js";
import type { LoadOptions } from "./load-options.js";
import { resolveSecretField } from "./secret-field.js";
import type { ApiKeys } from "./secret-field.js";
import type { ManifestProblem } from "./subject.js";

/** The name of an environment variable, as the schema has it for other secrets. */
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/u;

const sourceRemedy =
  "Name an environment variable or a file. A policy whose own configuration looks like {env: …} or {file: …} is written as a JSON text, or in a file.";

/** What a policy names, wrapped, and what is wrong with it. */
export interface ResolvedPolicy {
  /** The policy itself when it names nothing. */
  readonly policy: ValueObject;
  readonly findings: readonly ManifestProblem[];
}

/**
 * Wraps each `{env: NAME}` and `{file: path}` that stands below the phases of a policy. Nothing is read, but to make
 * sure that it is not the API key.
 * @param path where the policy stands in its document
 * @param file the manifest, relative to the root
 */
export function resolvePolicySources(
  policy: ValueObject,
  path: DocumentPath,
  file: string,
  { apiKeys, options }: { readonly options: LoadOptions; readonly apiKeys: ApiKeys },
): ResolvedPolicy {
  const findings: ManifestProblem[] = [];
  const source = (value: { readonly env: string } | { readonly file: string }, at: DocumentPath): Value => {
    if ("env" in value && !variableName.test(value.env)) {
      const message = `${JSON.stringify(value.env)} is not the name of an environment variable`;
      findings.push({ code: "secret-source", message, remedy: sourceRemedy, path: [...at, "env"] });
      return null;
    }
    const found = resolveSecretField(value, file, options, apiKeys);
    if (!("code" in found)) return found.secret;
    findings.push({ ...found, path: at });
    return null;
  };
  const misplaced = (message: string, advice: string, at: DocumentPath): null => {
    findings.push({ code: "secret-source", message, remedy: advice, path: at });
    return null;
  };
  const visit = (value: Value, at: DocumentPath): Value => {
    if (isSource(value)) {
      if (at.length > path.length + 1) return source(value, at);
      const message = `the phase ${JSON.stringify(at.at(-1))} can't come from a variable or a file`;
      return misplaced(message, "Write the phase's list of rules, with {env: …} or {file: …} in it.", at);
    }
    if (namesBoth(value)) return misplaced("name env or file, not both", sourceRemedy, at);
    if (Array.isArray(value)) return mapKeepingIdentity(value, (item: Value, index) => visit(item, [...at, index]));
    return isObject(value) ? members(value, at) : value;
  };
  const members = (object: ValueObject, at: DocumentPath): ValueObject => {
    const entries = Object.entries(object);
    const visited = mapKeepingIdentity(entries, (entry, _index): readonly [string, Value | undefined] => {
      const [name, member = null] = entry;
      const result = visit(member, [...at, name]);
      return result === member ? entry : [name, result];
    });
    return visited === entries ? object : Object.fromEntries(visited);
  };
  const whole = isSource(policy) && "env" in policy;
  if (whole || namesBoth(policy)) {
    const message = whole ? "a whole policy can't come from a variable" : "name a file alone, or write the policy here";
    misplaced(message, "Use {file: …} for the whole policy, or write it here with {env: …} inside it.", path);
    return { policy: {}, findings };
  }
  return { policy: members(policy, path), findings };
}

/** Whether an object names a variable and a file, and nothing else. */
function namesBoth(value: Value): boolean {
  if (!isObject(value) || Object.keys(value).length !== 2) return false;
  return typeof value["env"] === "string" && typeof value["file"] === "string";
}

/** A list with every item replaced; the list itself when no item is. */
function mapKeepingIdentity<T>(items: readonly T[], replace: (item: T, index: number) => T): readonly T[] {
  let result: T[] | null = null;
  for (const [index, item] of items.entries()) {
    const next = replace(item, index);
    if (next === item) continue;
    result ??= [...items];
    result[index] = next;
  }
  return result ?? items;
}
