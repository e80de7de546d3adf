import { didYouMean } from "../../diagnostics/suggest.js";
import type { DocumentPath } from "../../core/document-path.js";
import { isObject } from "../../core/json.js";
import { type KindName, addressOf, kindNames } from "../../kinds/names.js";
import type { StackCheck } from "../parsed-manifest.js";
import { type SpecField, specFieldsOf, specValueAt } from "../spec-fields.js";

/** Every reference names a manifest. When not all manifests are loaded, the planner checks this instead. */
export const danglingReferences: StackCheck = (manifests, reportFor, { complete }) => {
  if (!complete) return null;
  const names = new Map<KindName, Set<string>>();
  for (const { kind, name } of manifests) {
    const known = names.get(kind);
    if (known === undefined) names.set(kind, new Set([name]));
    else known.add(name);
  }
  const referring = new Map(kindNames.map((kind) => [kind, referringFields(kind)]));
  return (manifest) => {
    for (const { path, target } of referring.get(manifest.kind) ?? []) {
      const value = specValueAt(manifest.spec, path);
      if (value === undefined) continue;
      const known = names.get(target) ?? noKnown;
      for (const { name, path: inside } of unknownNamesIn(value, known)) {
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
  };
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
const noKnown: ReadonlySet<string> = new Set();

/** The names in a reference, or in a list of them, that are not known: `{name}`, or `{address}` among hostports. */
function unknownNamesIn(value: unknown, known: ReadonlySet<string>): readonly NamedReference[] {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    if (items.every((item) => !isObject(item) || isKnown(item, known))) return noNames;
    return items.flatMap((item, index) =>
      unknownNamesIn(item, known).map(({ name, path }) => ({ name, path: [index, ...path] })),
    );
  }
  if (!isObject(value) || isKnown(value, known)) return noNames;
  return ["name", "address"].flatMap((member) => {
    const name = value[member];
    return typeof name === "string" && !known.has(name) ? [{ name, path: [member] }] : [];
  });
}

/** Whether a reference has no name, or known ones only. */
function isKnown({ address, name }: { readonly [member: string]: unknown }, known: ReadonlySet<string>): boolean {
  return (typeof name !== "string" || known.has(name)) && (typeof address !== "string" || known.has(address));
}
