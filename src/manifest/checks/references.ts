import { type DocumentPath, valueAt } from "../../core/document-path.js";
import { isObject } from "../../core/json.js";
import { didYouMean } from "../../diagnostics/suggest.js";
import { kinds, wrongKindOfId } from "../../kinds/registry.js";
import { addressOf } from "../../kinds/names.js";
import type { ManifestCheck, StackCheck } from "../manifest.js";

function namedIn(
  value: unknown,
  members: readonly string[],
  path: DocumentPath,
): readonly Readonly<{ text: string; path: DocumentPath }>[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => namedIn(item, members, [...path, index]));
  if (!isObject(value)) return [];
  return members.flatMap((member) => {
    const text = value[member];
    return typeof text === "string" && text !== "" ? [{ text, path: [...path, member] }] : [];
  });
}

export const danglingReferences: StackCheck = (manifests, report, { complete }) => {
  if (!complete) return;
  const addresses = new Set<string>(manifests.map(({ address }) => address));
  for (const manifest of manifests) {
    for (const { field, path } of kinds[manifest.kind].specFields) {
      const [target] = field.codec.refersTo ?? [];
      if (target === undefined || field.module !== undefined) continue;
      const value = valueAt(manifest.spec, path);
      // Another stack's is found when the plan is made.
      if (isObject(value) && "stack" in value) continue;
      for (const named of namedIn(value, ["name", "address"], ["spec", ...path])) {
        if (addresses.has(addressOf(target, named.text))) continue;
        const known = manifests.filter(({ kind }) => kind === target).map(({ name }) => name);
        const remedy = didYouMean(named.text, known) ?? undefined;
        const message = `no manifest describes ${target}/${named.text}`;
        report(manifest, { code: "dangling-reference", message, path: named.path, remedy });
      }
    }
  }
};

export const referenceKinds: ManifestCheck = ({ kind, spec }, report) => {
  for (const { field, path } of kinds[kind].specFields) {
    const { referred } = field.codec;
    if (referred === undefined) continue;
    for (const { text: id, path: at } of namedIn(valueAt(spec, path), ["id"], ["spec", ...path])) {
      const wrong = wrongKindOfId(id, referred);
      const message = `${JSON.stringify(id)} is not the id of ${referred.title}: ${wrong}`;
      if (wrong !== null) report({ code: "reference-kind", message, path: at });
    }
  }
};

export const ownId: ManifestCheck = ({ adopted, id, kind }, report) => {
  const own = id ?? adopted;
  if (own === null) return;
  if (id !== null && adopted !== null && adopted !== id) {
    const message = `metadata.id is ${JSON.stringify(id)}, but \`adopt\` in the configuration has ${JSON.stringify(adopted)}`;
    report({ code: "adopt-conflict", message, path: ["metadata", "id"] });
  }
  const wrong = wrongKindOfId(own, { kind, title: kinds[kind].title, idPrefix: null });
  if (wrong === null) return;
  const where = id === null ? "the id that `adopt` in the configuration has for it" : "metadata.id";
  const message = `${where} is ${JSON.stringify(own)}, but ${wrong}`;
  report({ code: "id-kind", message, path: ["metadata", id === null ? "name" : "id"] });
};
