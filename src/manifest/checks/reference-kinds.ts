import type { DocumentPath } from "../../document-path.js";
import { isObject } from "../../json.js";
import { wrongKindOfId } from "../../kinds/id-prefixes.js";
import type { ReferredKind } from "../../kinds/kind.js";
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
