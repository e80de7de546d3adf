import { didYouMean } from "../../diagnostics/suggest.js";
import type { DocumentPath } from "../../document-path.js";
import { isObject } from "../../json.js";
import { type KindName, addressOf, kindNames } from "../../kinds/names.js";
import type { StackCheck } from "../parsed-manifest.js";
import { type SpecField, specFieldsOf, specValueAt } from "../spec-fields.js";

/** Every reference names a manifest. When not all manifests are loaded, the planner checks this instead. */
export const danglingReferences: StackCheck = function* (manifests, reportFor, { complete }) {
  if (!complete) return;
  const names = new Map<KindName, Set<string>>();
  for (const { kind, name } of manifests) {
    const known = names.get(kind) ?? new Set<string>();
    names.set(kind, known.add(name));
  }
  const referring = new Map(kindNames.map((kind) => [kind, referringFields(kind)]));
  for (const manifest of manifests) {
    yield;
    for (const { path, target } of referring.get(manifest.kind) ?? []) {
      const value = specValueAt(manifest.spec, path);
      if (value === undefined) continue;
      const known = names.get(target) ?? new Set<string>();
      for (const { name, path: inside } of namesIn(value)) {
        if (known.has(name)) continue;
        const others = kindNames.filter((kind) => kind !== target && names.get(kind)?.has(name) === true);
        const wrongKind =
          others[0] === undefined
            ? null
            : `${name} is the name of ${addressOf(others[0], name)}, but only a manifest of the kind ${target} can be named here.`;
        const other = inside.at(-1) === "name" ? ", or refer to an existing resource with {id: …}" : "";
        reportFor(manifest)({
          code: "dangling-reference",
          message: `no manifest describes ${target}/${name}`,
          remedy: wrongKind ?? remedyFor(name, [...known], other),
          path: ["spec", ...path, ...inside],
        });
      }
    }
  }
};

function remedyFor(name: string, known: readonly string[], other: string): string {
  const meant = didYouMean(name, known);
  if (meant !== null) return meant;
  const some = known.length > 0 && known.length <= 8 ? ` There are: ${known.toSorted().join(", ")}.` : "";
  return `Add that manifest${other}.${some}`;
}

/** The fields of a kind that refer to other manifests, with the kind of those. */
function referringFields(kind: KindName): readonly { readonly path: SpecField["path"]; readonly target: KindName }[] {
  return specFieldsOf(kind).flatMap(({ field, path }) =>
    (field.codec.refersTo ?? []).slice(0, 1).map((target) => ({ path, target })),
  );
}

interface NamedReference {
  readonly name: string;
  readonly path: DocumentPath;
}

const noNames: readonly NamedReference[] = [];

/** The names in a reference, or in a list of them: `{name}`, or `{address}` among hostports. */
function namesIn(value: unknown): readonly NamedReference[] {
  if (Array.isArray(value)) {
    if (!value.some(isObject)) return noNames;
    return value.flatMap((item, index) => namesIn(item).map(({ name, path }) => ({ name, path: [index, ...path] })));
  }
  if (!isObject(value)) return noNames;
  return ["name", "address"].flatMap((member) => {
    const name = value[member];
    return typeof name === "string" ? [{ name, path: [member] }] : [];
  });
}
