import { LineIndex } from "../diagnostics/line-index.js";
import { EdgewiseError } from "../core/errors.js";
import { type Spec, type Value, isObject, type ValueObject, parseJson } from "../core/json.js";
import type { Kind, Field, Reference, ReferenceTarget } from "../kinds/kind.js";
import type { Address } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { Manifest } from "../manifest/manifest.js";
import type { Difference } from "../plan/diff.js";
import { Secret } from "../core/secret.js";
import { DocumentMap } from "../yaml/document-map.js";
import { parseFile } from "../yaml/parse-file.js";
import { type EditedDocument, type FieldEdit, type LeftField, editDocument, withId } from "./edit-document.js";
import { type MemberOrder, type Reason, Unsafe, whyUnsafe } from "./edit-node.js";
import { manifestValue, policyAsObject, roundTrips } from "../export/export-document.js";
import { type ExportNames, referencesByName, resourceKey } from "../export/exported-resources.js";
import { plainMetadata } from "../kinds/marker.js";
import { SecretPolicy, documentOf, mapSecrets, partsOf, secretsIn, withParts } from "../kinds/policy.js";

export type Differing = Readonly<{
  manifest: Manifest;
  live: Spec;
  changed: readonly Difference[];
  /** Instead of what changed, this is written as `metadata.id`. */
  id?: string | null;
  refused?: Reason | undefined;
}>;

export type FieldLeft = Reason &
  Readonly<{
    address: Address;
    path: string;
    line: number;
    column: number;
  }>;

export type FieldPulled = Readonly<{
  address: Address;
  path: string;
}>;

export type PullContext = Readonly<{
  names: LiveNames;
  isSecret: (text: string) => boolean;
}>;

export function pullFile(text: string, differing: readonly Differing[], context: PullContext) {
  const { documents } = parseFile(text);
  const lines = new LineIndex(text);
  const unread = new Map(differing.map((one) => [one.manifest.source.line, one]));
  const pulled: FieldPulled[] = [];
  const left: (Omit<FieldLeft, "line" | "column"> & { readonly offset: number })[] = [];
  let whole = text.slice(0, documents[0]?.start);
  for (const [at, { content, end, start }] of documents.entries()) {
    const { line } = lines.position(content);
    const one = unread.get(line);
    let own = text.slice(start, end);
    if (one !== undefined) {
      unread.delete(line);
      const { address } = one.manifest;
      const below = one.id == null ? "spec" : "metadata";
      const result = one.id == null ? editIn(own, one, context) : adoptIn(own, one.id, one.refused);
      own = result.text;
      const map = new DocumentMap(own, whole.length);
      pulled.push(...result.done.map((edit) => ({ address, path: pathOf(edit, below) })));
      for (const { path, reason, remedy } of result.left) {
        const { start: offset } = map.find([below, ...path], "key");
        left.push({ address, path: pathOf({ path }, below), reason, remedy, offset });
      }
    }
    whole += own + text.slice(end, documents[at + 1]?.start);
  }
  for (const { manifest } of unread.values())
    throw new EdgewiseError("io", `${manifest.source.file} was changed while it was read: run edgewise pull again`);
  const after = new LineIndex(whole);
  return { text: whole, pulled, left: left.map(({ offset, ...one }) => ({ ...one, ...after.position(offset) })) };
}

function adoptIn(text: string, id: string, refused: Differing["refused"]): EditedDocument {
  const edit = { path: ["id"], wanted: id } as const;
  let edited = text;
  const why = refused ?? whyUnsafe(() => void (edited = withId(text, id)));
  return why === null
    ? { text: edited, done: [edit], left: [] }
    : { text, done: [], left: [{ path: edit.path, ...why }] };
}

function editIn(
  text: string,
  { changed, live: liveSpec, manifest, refused }: Differing,
  { isSecret, names }: PullContext,
): EditedDocument {
  const edits = new Map<string, FieldEdit>();
  const blocked: LeftField[] = [];
  for (const difference of changed) {
    const { live, path, said, field } = target(manifest, difference, liveSpec);
    if (field === undefined || edits.has(path.join("."))) continue;
    const why =
      refused ??
      whyUnsafe(() => {
        const wanted = wantedValue(field, live, said, names);
        refuseRepeatedSecret(wanted, said, isSecret);
        edits.set(path.join("."), { path, wanted });
      });
    if (why !== null && !blocked.some((one) => pathOf(one) === pathOf({ path }))) blocked.push({ path, ...why });
  }
  const { kind, spec } = manifest;
  const result = editDocument(text, spec, [...edits.values()], orderOf(kinds[kind]));
  return { ...result, left: [...blocked, ...result.left] };
}

/** @throws Unsafe */
function refuseRepeatedSecret(
  wanted: Value | undefined,
  said: Value | undefined,
  isSecret: PullContext["isSecret"],
): void {
  const before = new Set(textsIn(said));
  if (textsIn(wanted).some((text) => !before.has(text) && isSecret(text)))
    throw new Unsafe("repeats a secret, which pull never writes", "remove the secret from the live resource");
}

function textsIn(value: Value | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || value instanceof Secret) return [];
  return Object.entries(value).flatMap(([name, part]: [string, Value | undefined]) => [name, ...textsIn(part)]);
}

function target(
  { kind: name, spec }: Manifest,
  { before, field: fieldName, path: inSpec }: Difference,
  liveSpec: Spec,
): Readonly<{
  path: FieldEdit["path"];
  field: Kind["fields"][string] | undefined;
  live: Value;
  said: Value | undefined;
}> {
  const field = kinds[name].fields[fieldName];
  const member = inSpec.split(".")[2];
  const said = spec[fieldName];
  if (member === undefined) return { path: [fieldName], field, live: before, said };
  // A module that can only be disabled differs in a member that the manifest doesn't name.
  if (!isObject(said)) return { path: [fieldName], field, live: liveSpec[fieldName] ?? null, said };
  const inner = field?.module?.members[member];
  return { path: [fieldName, member], field: inner, live: before, said: said[member] };
}

function pathOf({ path }: Pick<FieldEdit, "path">, below = "spec"): string {
  return [below, ...path].join(".");
}

function orderOf({ fieldList }: Kind): MemberOrder {
  return Object.fromEntries(
    fieldList.map(({ field, name }) => [
      name,
      Object.fromEntries((field.module?.memberList ?? []).map((member) => [member.name, {}])),
    ]),
  );
}

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
function wantedValue(field: Field, live: Value, said: Value | undefined, names: LiveNames): Value | undefined {
  if (field.secret === true) throw secretInIt("is a secret, which pull never writes");
  if (field.module !== undefined) return wantedModule(field, live, said, names);
  if (live === null || live === "") return undefined;
  if (field.marker === true) return wantedMetadata(live, said);
  if (field.content === "policy") return wantedPolicy(live, said);
  if (Array.isArray(live) && field.codec.references !== undefined) return wantedSet(field, live, said, names);
  if (isObject(live) && isObject(said) && field.codec.references === undefined) return wantedMap(live, said);
  return referencesByName(field.codec, live, names);
}

/** A module that is only on one side; null where a manifest must say that it is absent. */
function wantedModule(field: Field, live: Value, said: Value | undefined, names: LiveNames): Value | undefined {
  if (!isObject(live)) return field.unset === "inherit" && said !== undefined ? null : undefined;
  const refuse = (): never => {
    throw secretInIt("holds a secret, which pull never writes");
  };
  if (Object.values(live).some((part) => part instanceof Secret)) refuse();
  return manifestValue(field, live, names, refuse) as Value | undefined;
}

/** Entries that stay keep their place and their form; new ones come last. */
function wantedSet(field: Field, live: readonly Value[], said: Value | undefined, names: LiveNames): Value {
  const { codec } = field;
  const before: readonly Value[] = Array.isArray(said) ? said : [];
  const rest = new Set(live);
  const kept = before.filter((item) => {
    const resolved = codec.resolve?.([item], names.resolve) ?? [item];
    const found = [...rest].find((other) => codec.same(resolved, [other]) === true);
    return found === undefined ? live.some((other) => codec.same(resolved, [other]) === true) : rest.delete(found);
  });
  return [...kept, ...(referencesByName(codec, [...rest], names) as readonly Value[])];
}

/** Of headers the manifest's spelling stays. */
function wantedMap(live: ValueObject, said: ValueObject): Value {
  const spelling = new Map(Object.keys(said).map((name) => [name.toLowerCase(), name]));
  return Object.fromEntries(Object.entries(live).map(([name, value]) => [spelling.get(name) ?? name, value ?? null]));
}

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

/** In the manifest's form: an object, in which sources of secrets stay, or a JSON text. */
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

/** With the manifest's sources in the place of their secrets. @throws Unsafe for any other secret */
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
  const withSources = (value: Value): Value =>
    typeof value === "string"
      ? (sources.get(value) ?? value)
      : withParts(value, partsOf(value), (part) => withSources(part.value));
  return withSources(named);
}
