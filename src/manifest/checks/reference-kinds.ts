import type { DocumentPath } from "../../core/document-path.js";
import { isObject } from "../../core/json.js";
import { wrongKindOfId } from "../../kinds/id-prefixes.js";
import type { Kind, ReferredKind } from "../../kinds/kind.js";
import { kinds } from "../../kinds/registry.js";
import type { ManifestCheck } from "../parsed-manifest.js";
import { adoptedId } from "../adopted-id.js";
import { fieldsWhere, specValueAt } from "../spec-fields.js";

/** The id in a reference is one of the kind that the field refers to, as far as prefixes tell. */
export const referenceKinds: ManifestCheck = ({ kind, spec }, report) => {
  for (const { field, path } of referringFieldsOf(kind)) {
    const { referred } = field.codec;
    const value = specValueAt(spec, path);
    if (referred === undefined || value === undefined) continue;
    for (const { id, path: inside } of idsIn(value)) {
      const wrong = wrongKindOfId(id, referred);
      if (wrong === null) continue;
      const message = `${JSON.stringify(id)} is not the id of ${referred.title}: ${wrong}`;
      report({ code: "reference-kind", message, remedy: remedyFor(referred), path: ["spec", ...path, ...inside] });
    }
  }
};

const referringFieldsOf = fieldsWhere(({ codec }) => codec.referred !== undefined);

/** The id of the resource itself, from the manifest or from `adopt` in the configuration, is not one of another kind. */
export const ownIdKind: ManifestCheck = ({ address, id, kind }, report, { adopt }) => {
  const own = id ?? adoptedId(adopt, address);
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

interface FoundId {
  readonly id: string;
  readonly path: DocumentPath;
}

const noIds: readonly FoundId[] = [];

/** The ids in a reference, or in a list of them. */
function idsIn(value: unknown): readonly FoundId[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => idsIn(item).map(({ id, path }) => ({ id, path: [index, ...path] })));
  }
  const id = isObject(value) ? value["id"] : undefined;
  return typeof id === "string" && id !== "" ? [{ id, path: ["id"] }] : noIds;
}
