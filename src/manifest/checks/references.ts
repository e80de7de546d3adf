import { didYouMean } from "../../diagnostics/suggest.js";
import { type DocumentPath, valueAt } from "../../core/document-path.js";
import { isObject } from "../../core/json.js";
import { wrongKindOfId } from "../../kinds/id-prefixes.js";
import { type KindName, kindNames } from "../../kinds/names.js";
import { kinds } from "../../kinds/registry.js";
import { type ManifestCheck, type StackCheck, idOf } from "../parsed-manifest.js";

/** The texts of some members of a reference, or of a list of references, with their paths. */
function namedIn(
  value: unknown,
  members: readonly string[],
  path: DocumentPath,
): readonly { readonly text: string; readonly path: DocumentPath }[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => namedIn(item, members, [...path, index]));
  if (!isObject(value)) return [];
  return members.flatMap((member) => {
    const text = value[member];
    return typeof text === "string" && text !== "" ? [{ text, path: [...path, member] }] : [];
  });
}

/** Every reference names a manifest. When not all manifests are loaded, the planner checks this instead. */
export const danglingReferences: StackCheck = (manifests, reportFor, { complete }) => {
  if (!complete) return;
  const names = new Map<KindName, Set<string>>(kindNames.map((kind) => [kind, new Set()]));
  for (const { kind, name } of manifests) names.get(kind)?.add(name);
  for (const manifest of manifests) {
    for (const { field, path } of kinds[manifest.kind].specFields) {
      const [target] = field.codec.refersTo ?? [];
      if (target === undefined || field.module !== undefined) continue;
      const known = names.get(target) ?? new Set();
      const value = valueAt(manifest.spec, path);
      // What another stack owns is found by its marker, when the plan is made.
      if (isObject(value) && "stack" in value) continue;
      for (const named of namedIn(value, ["name", "address"], ["spec", ...path])) {
        if (known.has(named.text)) continue;
        const message = `no manifest describes ${target}/${named.text}`;
        const remedy = didYouMean(named.text, [...known]);
        reportFor(manifest)({
          code: "dangling-reference",
          message,
          path: named.path,
          ...(remedy === null ? {} : { remedy }),
        });
      }
    }
  }
};

/** The id in a reference is one of the kind that the field refers to, as far as prefixes tell. */
export const referenceKinds: ManifestCheck = ({ kind, spec }, report) => {
  for (const { field, path } of kinds[kind].specFields) {
    const { referred } = field.codec;
    if (referred === undefined) continue;
    for (const { text: id, path: at } of namedIn(valueAt(spec, path), ["id"], ["spec", ...path])) {
      const wrong = wrongKindOfId(id, referred);
      if (wrong === null) continue;
      const message = `${JSON.stringify(id)} is not the id of ${referred.title}: ${wrong}`;
      report({ code: "reference-kind", message, path: at });
    }
  }
};

/** The id of the resource itself, from the manifest or from `adopt` in the configuration, is not one of another kind. */
export const ownIdKind: ManifestCheck = (manifest, report, { adopt }) => {
  const { id, kind } = manifest;
  const own = idOf(manifest, adopt);
  const wrong = own === null ? null : wrongKindOfId(own, { kind, title: kinds[kind].title, idPrefix: null });
  if (own === null || wrong === null) return;
  const where = id === null ? "the id that `adopt` in the configuration has for it" : "metadata.id";
  const message = `${where} is ${JSON.stringify(own)}, but ${wrong}`;
  report({ code: "id-kind", message, path: ["metadata", id === null ? "name" : "id"] });
};
