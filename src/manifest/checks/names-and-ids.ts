import { type ProblemPlace, placeInDocument } from "../../diagnostics/diagnostic.js";
import type { DocumentPath } from "../../core/document-path.js";
import { addressOf } from "../../kinds/names.js";
import { adoptedId } from "../adopted-id.js";
import type { ManifestCheck, ParsedManifest, StackCheck } from "../parsed-manifest.js";

/** No two manifests of one kind have the same name. */
export const duplicateNames: StackCheck = (_manifests, reportFor) => {
  const named = new FirstHolders<ParsedManifest>();
  return (manifest) => {
    const first = named.holderOf(manifest.address, manifest);
    if (first === null) return;
    const path = ["metadata", "name"];
    const message = `there is another ${manifest.address}`;
    reportFor(manifest)({ code: "duplicate-name", message, path, other: placeIn(first, path) });
  };
};

/** A previous name belongs to one manifest, and is not the present name of any. */
export const previousNames: StackCheck = (manifests, reportFor) => {
  if (!manifests.some(({ previousNames: { length } }) => length > 0)) return null;
  const present = new Map(manifests.map((manifest) => [manifest.address, manifest]));
  const claimed = new Map<string, ParsedManifest>();
  return (manifest) => {
    for (const [index, name] of manifest.previousNames.entries()) {
      if (typeof name !== "string") continue;
      const address = addressOf(manifest.kind, name);
      const owner = present.get(address);
      const other = claimed.get(address);
      const path = ["metadata", "previousNames", index];
      if (owner !== undefined) {
        const own = owner === manifest;
        reportFor(manifest)({
          code: "previous-name",
          message: `the previous name ${name} is ${own ? "the present name of this manifest" : "still the name of a manifest"}`,
          remedy: own ? "Remove it." : "Remove it, or remove the manifest that still has the name.",
          path,
          ...(own ? {} : { other: placeIn(owner, ["metadata", "name"]) }),
        });
      } else if (other !== undefined && other !== manifest) {
        const message = `the previous name ${name} is also claimed by ${other.address}`;
        const at = ["metadata", "previousNames", other.previousNames.indexOf(name)];
        reportFor(manifest)({ code: "previous-name", message, path, other: placeIn(other, at) });
      } else claimed.set(address, manifest);
    }
  };
};

/** No two manifests have the id of the same existing resource. */
export const duplicateIds: StackCheck = (_manifests, reportFor, { adopt }) => {
  const holders = new FirstHolders<ParsedManifest>();
  return (manifest) => {
    const id = manifest.id ?? adoptedId(adopt, manifest.address);
    const first = id === null ? null : holders.holderOf(id, manifest);
    // Two manifests with one address are reported as such.
    if (first === null || first.address === manifest.address) return;
    const message = `the id ${id} is already that of ${first.address}`;
    const other = placeIn(first, idPath(first));
    reportFor(manifest)({ code: "duplicate-id", message, path: idPath(manifest), other });
  };
};

/** The configuration's `adopt` and `metadata.id` agree. */
export const adoptedIds: ManifestCheck = ({ address, id }, report, { adopt }) => {
  if (id === null) return;
  const adopted = adoptedId(adopt, address);
  if (adopted === null || adopted === id) return;
  const message = `metadata.id is ${JSON.stringify(id)}, but \`adopt\` in the configuration has ${JSON.stringify(adopted)}`;
  report({ code: "adopt-conflict", message, path: ["metadata", "id"] });
};

/** An id comes from the manifest, or from `adopt` by the manifest's name. */
function idPath({ id }: ParsedManifest): DocumentPath {
  return ["metadata", id === null ? "name" : "id"];
}

/** A place in a manifest. */
export function placeIn({ document, file }: ParsedManifest, path: DocumentPath): ProblemPlace {
  return placeInDocument(file, document, path);
}

/** Who holds what only one may have: the first who asked. */
export class FirstHolders<T> {
  readonly #holders = new Map<string, T>();

  /** The holder of a key; null when nobody had it, and now this one does. */
  holderOf(key: string, holder: T): T | null {
    const first = this.#holders.get(key);
    if (first === undefined) this.#holders.set(key, holder);
    return first ?? null;
  }
}
