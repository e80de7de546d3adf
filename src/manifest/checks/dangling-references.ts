import { suggest } from "../../diagnostics/suggest.js";
import type { DocumentPath } from "../../document-path.js";
import { isObject } from "../../json.js";
import { type KindName, kindNames } from "../../kinds/names.js";
import type { StackCheck } from "../parsed-manifest.js";
import { type SpecField, specFieldsOf, specValueAt } from "../spec-fields.js";

/** Every name that a manifest refers to is a manifest's. Left to the planner when not all manifests are here. */
export const danglingReferences: StackCheck = (subjects, find, { complete }) => {
  if (!complete) return;
  const names = new Map<KindName, Set<string>>();
  for (const { kind, name } of subjects) {
    const known = names.get(kind) ?? new Set<string>();
    names.set(kind, known.add(name));
  }
  const referring = new Map(kindNames.map((kind) => [kind, referringFields(kind)]));
  for (const subject of subjects) {
    for (const { path, target } of referring.get(subject.kind) ?? []) {
      const value = specValueAt(subject.spec, path);
      if (value === undefined) continue;
      const known = names.get(target) ?? new Set<string>();
      for (const { name, path: inside } of namesIn(value)) {
        if (known.has(name)) continue;
        const near = suggest(name, [...known]);
        const other = inside.at(-1) === "name" ? ", or name an existing resource with {id: …}" : "";
        find(subject)({
          code: "dangling-reference",
          message: `no manifest describes ${target}/${name}`,
          remedy: near === null ? `Correct the name or add that manifest${other}.` : `Did you mean ${near}?`,
          path: ["spec", ...path, ...inside],
        });
      }
    }
  }
};

/** The fields of a kind whose values name manifests, and of what kind those are. */
function referringFields(kind: KindName): readonly { readonly path: SpecField["path"]; readonly target: KindName }[] {
  return specFieldsOf(kind).flatMap(({ field, path }) =>
    (field.codec.refersTo ?? []).slice(0, 1).map((target) => ({ path, target })),
  );
}

/** The names in a reference, or in a list of them: `{name}`, or `{address}` among hostports. */
function namesIn(value: unknown): readonly { readonly name: string; readonly path: DocumentPath }[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => namesIn(item).map(({ name, path }) => ({ name, path: [index, ...path] })));
  }
  if (!isObject(value)) return [];
  return ["name", "address"].flatMap((member) => {
    const name = value[member];
    return typeof name === "string" ? [{ name, path: [member] }] : [];
  });
}
