import { LineIndex } from "../diagnostics/line-index.js";
import { EdgewiseError } from "../core/errors.js";
import { type Spec, type Value, isObject } from "../core/json.js";
import type { Kind } from "../kinds/kind.js";
import type { Address } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { Manifest } from "../manifest/manifest.js";
import type { Difference } from "../plan/diff.js";
import { Secret } from "../core/secret.js";
import { DocumentMap } from "../yaml/document-map.js";
import { parseFile } from "../yaml/parse-file.js";
import { type EditedDocument, type FieldEdit, type LeftField, editDocument, withId } from "./edit-document.js";
import { type MemberOrder, type Reason, Unsafe, whyUnsafe } from "./edit-node.js";
import { type LiveNames, wantedValue } from "./wanted-value.js";

export type Differing = Readonly<{
  manifest: Manifest;
  live: Spec;
  changed: readonly Difference[];
  /** Instead of what changed, this is written as `metadata.id`. */
  id?: string | null;
  /** Why all must stay as it is. */
  refused?: Reason | undefined;
}>;

export type FieldLeft = Reason &
  Readonly<{
    address: Address;
    /** `spec.tls_termination.min_version`. */
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
  /** Whether a text holds a secret of this run. */
  isSecret: (text: string) => boolean;
}>;

export type PulledFile = Readonly<{
  text: string;
  pulled: readonly FieldPulled[];
  left: readonly FieldLeft[];
}>;

/** One file with its manifests as they are live, as far as that is safe. */
export function pullFile(text: string, differing: readonly Differing[], context: PullContext): PulledFile {
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

/** The field, or member of a module that the manifest has. */
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
  // A module that can only be disabled differs in a member, although the manifest doesn't name it.
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
