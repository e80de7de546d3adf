import { type ProblemPlace, placeInDocument } from "../../diagnostics/diagnostic.js";
import type { DocumentPath } from "../../core/document-path.js";
import { type Value, isObject } from "../../core/json.js";
import { hostportKey, listOf } from "../../kinds/codecs/reference-codecs.js";
import { type KindName, addressOf } from "../../kinds/names.js";
import { kinds } from "../../kinds/registry.js";
import { type ManifestCheck, type ParsedManifest, type StackCheck, adoptedId, idOf } from "../parsed-manifest.js";

function placeIn({ document, file }: ParsedManifest, path: DocumentPath): ProblemPlace {
  return placeInDocument(file, document, path);
}

/** Remembers the first holder of each key. */
function firstHolders<T>(): (key: string, holder: T) => T | null {
  const holders = new Map<string, T>();
  return (key, holder) => {
    const first = holders.get(key);
    if (first === undefined) holders.set(key, holder);
    return first ?? null;
  };
}

/** No two manifests of one kind have the same name. */
export const duplicateNames: StackCheck = (manifests, reportFor) => {
  const holderOf = firstHolders<ParsedManifest>();
  for (const manifest of manifests) {
    const first = holderOf(manifest.address, manifest);
    if (first === null) continue;
    const path = ["metadata", "name"];
    const message = `there is another ${manifest.address}`;
    reportFor(manifest)({ code: "duplicate-name", message, path, other: placeIn(first, path) });
  }
};

/** A previous name belongs to one manifest, and is not the present name of any. */
export const previousNames: StackCheck = (manifests, reportFor) => {
  const present = new Map(manifests.map((manifest) => [manifest.address, manifest]));
  const holderOf = firstHolders<ParsedManifest>();
  for (const manifest of manifests) {
    for (const [index, name] of manifest.previousNames.entries()) {
      if (typeof name !== "string") continue;
      const address = addressOf(manifest.kind, name);
      const path = ["metadata", "previousNames", index];
      const owner = present.get(address);
      const first = owner ?? holderOf(address, manifest);
      if (first === null || (owner === undefined && first === manifest)) continue;
      const is = owner === undefined ? `is also claimed by ${first.address}` : "is still the name of a manifest";
      const at = owner === undefined ? ["previousNames", first.previousNames.indexOf(name)] : ["name"];
      const other = placeIn(first, ["metadata", ...at]);
      reportFor(manifest)({ code: "previous-name", message: `the previous name ${name} ${is}`, path, other });
    }
  }
};

/** No two manifests have the id of the same existing resource. */
export const duplicateIds: StackCheck = (manifests, reportFor, { adopt }) => {
  const holderOf = firstHolders<ParsedManifest>();
  // An id comes from the manifest, or from `adopt` by the manifest's name.
  const pathOf = ({ id }: ParsedManifest): DocumentPath => ["metadata", id === null ? "name" : "id"];
  for (const manifest of manifests) {
    const id = idOf(manifest, adopt);
    const first = id === null ? null : holderOf(id, manifest);
    // Two manifests with one address are reported as such.
    if (first === null || first.address === manifest.address) continue;
    const message = `the id ${id} is already that of ${first.address}`;
    const other = placeIn(first, pathOf(first));
    reportFor(manifest)({ code: "duplicate-id", message, path: pathOf(manifest), other });
  }
};

/** The configuration's `adopt` and `metadata.id` agree. */
export const adoptedIds: ManifestCheck = ({ address, id }, report, { adopt }) => {
  const adopted = adoptedId(adopt, address);
  if (id === null || adopted === null || adopted === id) return;
  const message = `metadata.id is ${JSON.stringify(id)}, but \`adopt\` in the configuration has ${JSON.stringify(adopted)}`;
  report({ code: "adopt-conflict", message, path: ["metadata", "id"] });
};

/** Only one edge serves a hostport, and lists it once. Hosts are compared without case. */
export const duplicateHostports: StackCheck = (manifests, reportFor) => {
  const holderOf = firstHolders<{ readonly manifest: ParsedManifest; readonly index: number }>();
  for (const manifest of manifests) {
    for (const [index, hostport] of listOf(manifest.spec["hostports"]).entries()) {
      const served = servedAs(hostport, manifest.kind);
      const first = served === null ? null : holderOf(served.key, { manifest, index });
      if (served === null || first === null) continue;
      const own = first.manifest === manifest;
      const where = own ? "is listed already," : `is already served by ${first.manifest.address}`;
      reportFor(manifest)({
        code: "duplicate-hostport",
        message: `${served.shown} ${where}`,
        ...(own ? { remedy: "Remove it from the list." } : {}),
        path: ["spec", "hostports", index],
        other: placeIn(first.manifest, ["spec", "hostports", first.index]),
      });
    }
  }
};

function servedAs(hostport: Value, kind: KindName): { readonly key: string; readonly shown: string } | null {
  // A wrong one, which may have a password.
  if (typeof hostport === "string" && hostport.includes("@")) return null;
  if (typeof hostport === "string") return { key: `text:${hostportKey(hostport)}`, shown: hostport };
  const address = isObject(hostport) ? hostport["address"] : null;
  if (typeof address !== "string") return null;
  const referred = kinds[kind].fields["hostports"]?.codec.refersTo?.[0];
  return { key: `address:${address}`, shown: `the address of ${referred}/${address}` };
}
