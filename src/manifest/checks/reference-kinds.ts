import type { DocumentPath } from "../../document-path.js";
import { isObject } from "../../json.js";
import { wrongKindOfId } from "../../kinds/id-prefixes.js";
import type { Kind, ReferredKind } from "../../kinds/kind.js";
import { kinds } from "../../kinds/registry.js";
import type { ManifestCheck } from "../parsed-manifest.js";
import { specFieldsOf, specValueAt } from "../spec-fields.js";

/** The id in a reference is one of the kind that the field refers to, as far as prefixes tell. */
export const referenceKinds: ManifestCheck = ({ kind, spec }, report) => {
  for (const { field, path } of specFieldsOf(kind)) {
    const { referred } = field.codec;
    if (referred === undefined) continue;
    for (const { id, path: inside } of idsIn(specValueAt(spec, path))) {
      const wrong = wrongKindOfId(id, referred);
      if (wrong === null) continue;
      const message = `${JSON.stringify(id)} is not the id of ${referred.title}: ${wrong}`;
      report({ code: "reference-kind", message, remedy: remedyFor(referred), path: ["spec", ...path, ...inside] });
    }
  }
};

/** The id of the resource itself, from the manifest or from `adopt` in the configuration, is not one of another kind. */
export const ownIdKind: ManifestCheck = ({ address, id, kind }, report, { adopt }) => {
  const adopted = Object.hasOwn(adopt, address) ? (adopt[address] ?? null) : null;
  const own = id ?? adopted;
  const wrong = own === null ? null : wrongKindOfId(own, { kind, title: kinds[kind].title, idPrefix: null });
  if (own === null || wrong === null) return;
  const where = id === null ? "the id that `adopt` in the configuration has for it" : "metadata.id";
  const { collection, idPrefix, title }: Kind = kinds[kind];
  const form = idPrefix === undefined ? "" : `, ${idPrefix}…`;
  const orNew = collection === null ? "" : "; without one, apply creates a new one";
  report({
    code: "id-kind",
    message: `${where} is ${JSON.stringify(own)}, but ${wrong}`,
    remedy: `Write the id of the existing ${title}${form}${orNew}.`,
    path: ["metadata", id === null ? "name" : "id"],
  });
};

function remedyFor({ idPrefix, kind, title }: ReferredKind): string {
  const form = idPrefix === null ? "" : `, ${idPrefix}…`;
  return `Write the id of ${title}${form}${kind === null ? "" : `, or {name: …} for ${title} that a manifest describes`}.`;
}

/** The ids in a reference, or in a list of them. */
function idsIn(value: unknown): readonly { readonly id: string; readonly path: DocumentPath }[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => idsIn(item).map(({ id, path }) => ({ id, path: [index, ...path] })));
  }
  const id = isObject(value) ? value["id"] : undefined;
  return typeof id === "string" && id !== "" ? [{ id, path: ["id"] }] : [];
}
