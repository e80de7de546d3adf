import { type DocumentPath, valueAt } from "../../core/document-path.js";
import { type Value, isObject } from "../../core/json.js";
import { didYouMean } from "../../diagnostics/suggest.js";
import { kinds, wrongKindOfId } from "../../kinds/registry.js";
import { type KindName, addressOf } from "../../kinds/names.js";
import type { ManifestCheck, ManifestProblem, ParsedManifest, StackCheck } from "../manifest.js";
import { placeInDocument } from "../../diagnostics/diagnostic.js";
import { hostportKey, listOf } from "../../kinds/codecs.js";

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
        const literal = named.path.at(-1) === "address" ? "Correct it, or write the hostport itself." : undefined;
        const remedy = didYouMean(named.text, known) ?? literal;
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

type Claim = Pick<ManifestProblem, "code"> &
  Readonly<{
    by: ParsedManifest;
    key: string;
    path: DocumentPath;
    words: string;
  }>;

export const unique: StackCheck = (manifests, report) => {
  const holders = new Map<string, Claim>();
  const present = manifests.map((by): Claim => {
    return { by, code: "duplicate-name", key: by.address, path: ["metadata", "name"], words: "there is another" };
  });
  for (const claim of [...present, ...manifests.flatMap(claimsOf)]) {
    const { by, code, key, path, words } = claim;
    const first = holders.get(key);
    if (first === undefined) holders.set(key, claim);
    else if (!isReportedElsewhere(first, claim)) {
      const other = placeInDocument(first.by.file, first.by.document, first.path);
      report(by, { code, message: `${words} ${first.by.address}`, path, other });
    }
  }
};

/** By the address, or by the schema. */
function isReportedElsewhere(first: Claim, { by, code }: Claim): boolean {
  if (code === "duplicate-id") return first.by.address === by.address;
  return code === "previous-name" && first.code === code && first.by === by;
}

function claimsOf(by: ParsedManifest): readonly Claim[] {
  const claims: Claim[] = [];
  const id = by.id ?? by.adopted;
  // `adopt` has it by name.
  const idPath = ["metadata", by.id === null ? "name" : "id"];
  if (id !== null)
    claims.push({ by, code: "duplicate-id", key: `id:${id}`, path: idPath, words: `the id ${id} is already that of` });
  for (const [index, name] of by.previousNames.entries()) {
    if (typeof name !== "string") continue;
    const path = ["metadata", "previousNames", index];
    const words = `the previous name ${name} is also that of`;
    claims.push({ by, code: "previous-name", key: addressOf(by.kind, name), path, words });
  }
  for (const [index, hostport] of listOf(by.spec["hostports"]).entries()) {
    const served = servedAs(hostport, by.kind);
    if (served === null) continue;
    const words = `${served.shown} is already served by`;
    claims.push({ by, code: "duplicate-hostport", key: served.key, path: ["spec", "hostports", index], words });
  }
  return claims;
}

function servedAs(hostport: Value, kind: KindName): Readonly<{ key: string; shown: string }> | null {
  // A wrong one, which may have a password.
  if (typeof hostport === "string" && hostport.includes("@")) return null;
  if (typeof hostport === "string") return { key: `text:${hostportKey(hostport)}`, shown: hostport };
  const address = isObject(hostport) ? hostport["address"] : null;
  if (typeof address !== "string") return null;
  const referred = kinds[kind].fields["hostports"]?.codec.refersTo?.[0];
  return { key: `address:${address}`, shown: `the address of ${referred}/${address}` };
}
