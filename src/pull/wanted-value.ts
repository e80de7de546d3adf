import { policyAsObject, roundTrips } from "../export/export-document.js";
import { type ExportNames, referencesByName, resourceKey } from "../export/exported-resources.js";
import { type Value, type ValueObject, isObject } from "../core/json.js";
import type { Field, Reference, ReferenceTarget } from "../kinds/kind.js";
import { plainMetadata } from "../kinds/marker.js";
import { SecretPolicy, documentOf, mapSecrets, partsOf, secretsIn, withParts } from "../kinds/policy.js";
import { parseJson } from "../core/parse-json.js";
import { Secret } from "../core/secret.js";
import { Unsafe } from "./edit-node.js";

export interface LiveNames extends ExportNames {
  /** What a reference by name stands for; null = nothing live. */
  readonly resolve: (reference: Reference) => ReferenceTarget | null;
}

export function namesOf(
  resources: readonly Readonly<Record<"kind" | "name" | "id", string> & { addr: string | null }>[],
): LiveNames {
  const byName = new Map(resources.map((resource) => [resourceKey(resource.kind, resource.name), resource]));
  return {
    byId: new Map(resources.map(({ id, kind, name }) => [resourceKey(kind, id), name])),
    byAddr: new Map(resources.flatMap(({ addr, name }) => (addr === null ? [] : [[addr.toLowerCase(), name]]))),
    resolve: ({ kind, part, target }) => {
      const found = "name" in target && kind !== null ? byName.get(resourceKey(kind, target.name)) : undefined;
      if (found === undefined) return null;
      if (part === "id") return { id: found.id };
      return found.addr === null ? null : { addr: found.addr };
    },
  };
}

/** Undefined = nothing. @throws Unsafe when only a person can write it */
export function wantedValue(field: Field, live: Value, said: Value | undefined, names: LiveNames): Value | undefined {
  if (field.secret === true) throw secretInIt("is a secret, which pull never writes");
  if (field.module !== undefined) return wantedModule(field, live, said, names);
  if (live === null || live === "") return undefined;
  if (field.marker === true) return wantedMetadata(live, said);
  if (field.content === "policy") return wantedPolicy(live, said);
  if (Array.isArray(live) && field.codec.references !== undefined) return wantedSet(field, live, said, names);
  if (isObject(live) && isObject(said) && field.codec.references === undefined) return wantedMap(live, said);
  if (typeof live === "string" && typeof said === "string" && said.endsWith("\n") && !live.endsWith("\n")) {
    // The block of a certificate ends with a line break.
    const ended = `${live}\n`;
    if (field.codec.same(ended, live) === true) return ended;
  }
  return referencesByName(field.codec, live, names);
}

/** A module that is only on one side; null where a manifest must say that it is absent. */
function wantedModule(field: Field, live: Value, said: Value | undefined, names: LiveNames): Value | undefined {
  if (!isObject(live)) return field.unset === "inherit" && said !== undefined ? null : undefined;
  const members: { [member: string]: Value } = {};
  for (const { field: member, name } of field.module?.memberList ?? []) {
    const part = live[name] ?? null;
    if (part === null || part === "" || (name === "enabled" && part === true)) continue;
    const wanted = wantedValue(member, part, undefined, names);
    if (wanted !== undefined) members[name] = wanted;
  }
  // Without any member the manifest would not have the module.
  return Object.keys(members).length === 0 ? { enabled: true } : members;
}

/** Entries that stay keep their place and their form; new ones come last. */
function wantedSet(field: Field, live: readonly Value[], said: Value | undefined, names: LiveNames): Value {
  const { codec } = field;
  const before: readonly Value[] = Array.isArray(said) ? said : [];
  const rest = new Set(live);
  const kept = before.filter((item) => {
    const resolved = codec.resolve?.([item], names.resolve) ?? [item];
    const found = [...rest].find((other) => codec.same(resolved, [other]) === true);
    // One may stand there twice.
    return found === undefined ? live.some((other) => codec.same(resolved, [other]) === true) : rest.delete(found);
  });
  return [...kept, ...(referencesByName(codec, [...rest], names) as readonly Value[])];
}

/** Of headers the manifest's spelling stays. */
function wantedMap(live: ValueObject, said: ValueObject): Value {
  const spelling = new Map(Object.keys(said).map((name) => [name.toLowerCase(), name]));
  return Object.fromEntries(Object.entries(live).map(([name, value]) => [spelling.get(name) ?? name, value ?? null]));
}

/** The JSON of a value, indented as a text was. */
function asJsonText(said: string, value: Value): string {
  const [, indent] = /\n([ \t]+)/u.exec(said) ?? [];
  return JSON.stringify(value, null, indent) + (said.endsWith("\n") ? "\n" : "");
}

function wantedMetadata(live: Value, said: Value | undefined): Value {
  if (!isObject(live)) return live;
  const text = plainMetadata(live);
  const before = typeof said === "string" ? parseJson(said) : {};
  if ("value" in before && isObject(before.value) && typeof said === "string") return asJsonText(said, live);
  return text.includes("__proto__") ? text : live;
}

const writeByHand = "make the change by hand, with {env: NAME} or {file: path} in place of each secret";

function secretInIt(message: string): Unsafe {
  return new Unsafe(message, writeByHand);
}

/** In the form that the manifest has: an object, in which sources of secrets stay, or a JSON text. */
function wantedPolicy(live: Value, said: Value | undefined): Value {
  const document = documentOf(live);
  const text = live instanceof SecretPolicy ? live.reveal() : live;
  if (document === undefined || typeof text !== "string") {
    if (live instanceof Secret) throw secretInIt("holds secrets, which pull never writes");
    return live;
  }
  if (isObject(said) && isObject(document)) {
    if (roundTrips(text, document)) return withKnownSecrets(document, said);
    const remedy = "write the policy as a JSON text by hand, or apply to put back what the manifest says";
    throw new Unsafe("holds what only a JSON text can say: a long number, a member twice, or the like", remedy);
  }
  if (live instanceof Secret) throw secretInIt("holds secrets, which pull never writes");
  if (typeof said === "string" && documentOf(said) !== undefined && roundTrips(text, Object(document)))
    return asJsonText(said, document);
  return (said === undefined ? policyAsObject(live) : text) as Value;
}

/** The live document with the manifest's own sources in the place of their secrets. @throws Unsafe for any other secret */
function withKnownSecrets(document: Value, said: Value): Value {
  const secrets = secretsIn(said);
  if (secrets.some((secret) => secret.missing !== null))
    throw new Unsafe(
      "holds secrets that are not available here",
      "make their variables or files available, or make the change by hand",
    );
  const keyOf = (secret: Value): unknown => (typeof secret === "object" ? JSON.stringify(secret) : secret);
  const sources = new Map<unknown, Value>(secrets.map((secret) => [secret.reveal(), secret]));
  const known = new Map(sources);
  mapSecrets(said, (secret) => {
    if (!(secret instanceof Secret)) known.set(keyOf(secret), secret);
    return secret;
  });
  const named = mapSecrets(document, (secret) => {
    const found = known.get(keyOf(secret));
    if (found === undefined) throw secretInIt("holds secrets that the manifest doesn't have, which pull never writes");
    return found;
  });
  // Also under names that don't tell.
  const withSources = (value: Value): Value =>
    typeof value === "string"
      ? (sources.get(value) ?? value)
      : withParts(value, partsOf(value), (part) => withSources(part.value));
  return withSources(named);
}
