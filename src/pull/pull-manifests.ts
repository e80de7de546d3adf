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
import type { ParsedDocument } from "../yaml/parsed-file.js";
import { type EditedDocument, type FieldEdit, editDocument } from "./edit-document.js";
import type { MemberOrder } from "./edit-node.js";
import { sameValue } from "./same-value.js";
import { Unsafe } from "./splices.js";
import { type LiveNames, wantedValue } from "./wanted-value.js";

/** A manifest that differs from its live resource. */
export interface Differing {
  readonly manifest: Manifest;
  /** The live resource in normal form. */
  readonly live: Spec;
  readonly changed: readonly Difference[];
  /** The paths of fields that must stay as they are, with the reason. */
  readonly refused?: ReadonlyMap<string, Reason>;
}

/** Why a field stays as it is. */
export interface Reason {
  /** A predicate of which the field is the subject: `comes from policy.yaml`. */
  readonly reason: string;
  readonly remedy: string | null;
}

/** A field that stays as it is in its manifest, and why. */
export interface FieldLeft extends Reason {
  readonly address: Address;
  /** `spec.tls_termination.min_version`. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** A field that says what is live now. */
export interface FieldPulled {
  readonly address: Address;
  readonly path: string;
}

/** What all manifests of a pull share. */
export interface PullContext {
  readonly names: LiveNames;
  /** Whether a text holds a secret of this run. */
  readonly isSecret: (text: string) => boolean;
}

export interface PulledFile {
  readonly text: string;
  readonly pulled: readonly FieldPulled[];
  readonly left: readonly FieldLeft[];
}

/**
 * Rewrites the manifests of one file so that they say what is live, as far as that is safe. Pure.
 * @param differing manifests of this file
 */
export function pullFile(text: string, differing: readonly Differing[], context: PullContext): PulledFile {
  const lines = new LineIndex(text);
  const { documents } = parseFile(text);
  const pulled: FieldPulled[] = [];
  const left: FieldLeft[] = [];
  const done: {
    readonly at: number;
    readonly edited: EditedDocument;
    readonly one: Differing;
    readonly blocked: readonly Blocked[];
  }[] = [];
  for (const one of differing) {
    const at = documents.findIndex(({ content }) => lines.position(content).line === one.manifest.source.line);
    const document = documents[at];
    if (document === undefined) {
      throw new EdgewiseError("io", `${one.manifest.source.file} was changed while it was read; no file was changed`, {
        remedy: "Run edgewise pull again.",
      });
    }
    const { blocked, edits } = editsOf(one, context);
    const kind = kinds[one.manifest.kind];
    const edited = editDocument(text.slice(document.start, document.end), one.manifest.spec, edits, orderOf(kind));
    done.push({ at, edited, one, blocked });
  }
  const assembledText = assembled(text, documents, done);
  const whole = assembledText ?? text;
  const after = new LineIndex(whole);
  const found = parseFile(whole).documents;
  for (const { at, blocked, edited, one } of done) {
    const { address } = one.manifest;
    const undone: readonly Blocked[] =
      assembledText === null ? edited.done.map(({ path }) => ({ path, ...otherManifest })) : [];
    if (assembledText !== null) pulled.push(...edited.done.map((edit) => ({ address, path: pathOf(edit) })));
    const document = found[at];
    const leftFields = edited.left.map(({ edit, ...why }): Blocked => ({ path: edit.path, ...why }));
    const all = [...blocked, ...leftFields, ...undone];
    if (all.length === 0) continue;
    const start = document?.start ?? 0;
    const map = new DocumentMap(whole.slice(start, document?.end), start);
    for (const { offset = 0, path, reason, remedy } of all) {
      const key = after.position(map.find(["spec", ...path], "key").start);
      // Deep in a policy, the line itself helps.
      const inside = Number.isFinite(offset) && assembledText !== null ? after.position(start + offset) : key;
      const { column, line } = inside.line > key.line ? inside : key;
      left.push({ address, path: pathOf({ path }), reason, remedy, line, column });
    }
  }
  return { text: whole, pulled, left };
}

const otherManifest = { reason: "can't be edited without changing another manifest in its file", remedy: null };

interface Blocked extends Reason {
  readonly path: FieldEdit["path"];
  /** Where, in the edited document; absent = at its key. */
  readonly offset?: number;
}

/** The edits that one manifest needs, and the fields that only a person can write. */
function editsOf(
  { changed, live: liveSpec, manifest, refused }: Differing,
  { isSecret, names }: PullContext,
): { readonly edits: readonly FieldEdit[]; readonly blocked: readonly Blocked[] } {
  const edits = new Map<string, FieldEdit>();
  const blocked: Blocked[] = [];
  for (const difference of changed) {
    const { live, path, said, field } = target(manifest, difference, liveSpec);
    if (field === undefined || edits.has(path.join("."))) continue;
    const why = refused?.get(pathOf({ path }));
    if (why !== undefined) {
      if (!blocked.some((one) => pathOf(one) === pathOf({ path }))) blocked.push({ path, ...why });
      continue;
    }
    try {
      const wanted = wantedValue(field, live, said, names);
      refuseRepeatedSecret(wanted, said, isSecret);
      edits.set(path.join("."), { path, wanted });
    } catch (error) {
      if (!(error instanceof Unsafe)) throw error;
      blocked.push({ path, reason: error.message, remedy: error.remedy });
    }
  }
  return { edits: [...edits.values()], blocked };
}

/** A live value may repeat a secret that is known from elsewhere: no manifest must hold it. @throws Unsafe */
function refuseRepeatedSecret(
  wanted: Value | undefined,
  said: Value | undefined,
  isSecret: PullContext["isSecret"],
): void {
  const before = new Set(textsIn(said));
  if (textsIn(wanted).some((text) => !before.has(text) && isSecret(text)))
    throw new Unsafe("repeats a secret, which pull never writes", 0, "remove the secret from the live resource");
}

function textsIn(value: Value | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || value instanceof Secret) return [];
  return Object.entries(value).flatMap(([name, part]: [string, Value | undefined]) => [name, ...textsIn(part)]);
}

/** What a difference is about: a field, or a member of a module that the manifest has. */
function target(
  { kind: name, spec }: Manifest,
  { before, field: fieldName, path: inSpec }: Difference,
  liveSpec: Spec,
): {
  readonly path: FieldEdit["path"];
  readonly field: Kind["fields"][string] | undefined;
  readonly live: Value;
  readonly said: Value | undefined;
} {
  const field = kinds[name].fields[fieldName];
  const member = inSpec.split(".")[2];
  const said = spec[fieldName];
  if (member === undefined) return { path: [fieldName], field, live: before, said };
  // A module that can only be disabled differs in a member, although the manifest doesn't name it.
  if (!isObject(said)) return { path: [fieldName], field, live: liveSpec[fieldName] ?? null, said };
  const inner = field?.module?.members[member];
  return { path: [fieldName, member], field: inner, live: before, said: said[member] };
}

function pathOf({ path }: Pick<FieldEdit, "path">): string {
  return ["spec", ...path].join(".");
}

/** The order in which a kind's fields are declared, and the members of its modules. */
function orderOf({ fieldList }: Kind): MemberOrder {
  return Object.fromEntries(
    fieldList.map(({ field, name }) => [
      name,
      Object.fromEntries((field.module?.memberList ?? []).map((member) => [member.name, {}])),
    ]),
  );
}

/** The file with its edited documents; null when another document would change. */
function assembled(
  text: string,
  documents: readonly ParsedDocument[],
  edited: readonly { readonly at: number; readonly edited: EditedDocument }[],
): string | null {
  let whole = text;
  for (const { at, edited: one } of edited.toSorted((a, b) => b.at - a.at)) {
    const { end, start } = documents[at] ?? { start: 0, end: 0 };
    whole = whole.slice(0, start) + one.text + whole.slice(end);
  }
  const changed = new Set(edited.map(({ at }) => at));
  const found = parseFile(whole);
  const others = documents.every(({ value }, at) => changed.has(at) || sameValue(value, found.documents[at]?.value));
  return found.problems.length > 0 || found.documents.length !== documents.length || !others ? null : whole;
}
