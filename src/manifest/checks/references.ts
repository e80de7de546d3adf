import { didYouMean } from "../../diagnostics/suggest.js";
import type { DocumentPath } from "../../core/document-path.js";
import { isObject } from "../../core/json.js";
import { wrongKindOfId } from "../../kinds/id-prefixes.js";
import type { Kind, ReferredKind } from "../../kinds/kind.js";
import { type KindName, addressOf, kindNames } from "../../kinds/names.js";
import { kinds } from "../../kinds/registry.js";
import { type ManifestCheck, type StackCheck, idOf } from "../parsed-manifest.js";
import { fieldsWhere, specValueAt } from "../spec-fields.js";

/** A text in a reference, with its path inside the field. */
interface Named {
  readonly text: string;
  readonly path: DocumentPath;
}

/** The texts of some members of a reference, or of a list of references. */
function namedIn(value: unknown, members: readonly string[]): readonly Named[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) =>
      namedIn(item, members).map(({ text, path }) => ({ text, path: [index, ...path] })),
    );
  if (!isObject(value)) return [];
  return members.flatMap((member) => {
    const text = value[member];
    return typeof text === "string" && text !== "" ? [{ text, path: [member] }] : [];
  });
}

const namingFieldsOf = fieldsWhere(({ codec }) => (codec.refersTo ?? []).length > 0);

/** Every reference names a manifest. When not all manifests are loaded, the planner checks this instead. */
export const danglingReferences: StackCheck = (manifests, reportFor, { complete }) => {
  if (!complete) return null;
  const names = new Map<KindName, Set<string>>(kindNames.map((kind) => [kind, new Set()]));
  for (const { kind, name } of manifests) names.get(kind)?.add(name);
  return (manifest) => {
    for (const { field, inDocument, path } of namingFieldsOf(manifest.kind)) {
      const [target] = field.codec.refersTo ?? [];
      const value = specValueAt(manifest.spec, path);
      if (target === undefined || value === undefined) continue;
      const known = names.get(target) ?? new Set();
      // What another stack owns is found by its marker, when the plan is made.
      if (isObject(value) && "stack" in value) continue;
      for (const { text: name, path: inside } of namedIn(value, ["name", "address"])) {
        if (known.has(name)) continue;
        const other = kindNames.find((kind) => names.get(kind)?.has(name) === true);
        const remedy =
          other === undefined
            ? (didYouMean(name, [...known]) ?? addManifest(known, inside.at(-1) === "name"))
            : `${name} is the name of ${addressOf(other, name)}, but only a manifest of the kind ${target} can be named here.`;
        const message = `no manifest describes ${target}/${name}`;
        reportFor(manifest)({ code: "dangling-reference", message, remedy, path: [...inDocument, ...inside] });
      }
    }
  };
};

function addManifest(known: ReadonlySet<string>, takesId: boolean): string {
  const some = known.size > 0 && known.size <= 8 ? ` There are: ${[...known].toSorted().join(", ")}.` : "";
  return `Add that manifest${takesId ? ", or refer to an existing resource with {id: …}" : ""}.${some}`;
}

const referringFieldsOf = fieldsWhere(({ codec }) => codec.referred !== undefined);

/** The id in a reference is one of the kind that the field refers to, as far as prefixes tell. */
export const referenceKinds: ManifestCheck = ({ kind, spec }, report) => {
  for (const { field, inDocument, path } of referringFieldsOf(kind)) {
    const { referred } = field.codec;
    const value = specValueAt(spec, path);
    if (referred === undefined || value === undefined) continue;
    for (const { text: id, path: inside } of namedIn(value, ["id"])) {
      const wrong = wrongKindOfId(id, referred);
      if (wrong === null) continue;
      const message = `${JSON.stringify(id)} is not the id of ${referred.title}: ${wrong}`;
      report({ code: "reference-kind", message, remedy: writeId(referred), path: [...inDocument, ...inside] });
    }
  }
};

function writeId({ idPrefix, kind, title }: ReferredKind): string {
  const form = idPrefix === null ? "" : `, ${idPrefix}…`;
  return `Write the id of ${title}${form}${kind === null ? "" : `, or {name: …} for ${title} that a manifest describes`}.`;
}

/** The id of the resource itself, from the manifest or from `adopt` in the configuration, is not one of another kind. */
export const ownIdKind: ManifestCheck = (manifest, report, { adopt }) => {
  const { id, kind } = manifest;
  const own = idOf(manifest, adopt);
  const { collection, idPrefix, title }: Kind = kinds[kind];
  const wrong = own === null ? null : wrongKindOfId(own, { kind, title, idPrefix: null });
  if (own === null || wrong === null) return;
  const where = id === null ? "the id that `adopt` in the configuration has for it" : "metadata.id";
  const form = idPrefix === undefined ? "" : `, ${idPrefix}…`;
  const orNew = collection === null ? "" : "; without one, apply creates a new one";
  report({
    code: "id-kind",
    message: `${where} is ${JSON.stringify(own)}, but ${wrong}`,
    remedy: `Write the id of the existing ${title}${form}${orNew}.`,
    path: ["metadata", id === null ? "name" : "id"],
  });
};
