import { addressOf } from "../../kinds/names.js";
import type { ManifestCheck, ParsedManifest, StackCheck } from "../parsed-manifest.js";

/** No two manifests of one kind have the same name. */
export const duplicateNames: StackCheck = function* (manifests, reportFor) {
  const named = new FirstHolders<ParsedManifest>();
  for (const manifest of manifests) {
    yield;
    const first = named.holderOf(manifest.address, manifest);
    if (first === null) continue;
    const message = `there is another ${manifest.address}, in ${first.file}${first.file === manifest.file ? " too" : ""}`;
    reportFor(manifest)({ code: "duplicate-name", message, path: ["metadata", "name"] });
  }
};

/** A previous name belongs to one manifest, and is not the present name of any. */
export const previousNames: StackCheck = function* (manifests, reportFor) {
  const present = new Map(manifests.map((manifest) => [manifest.address, manifest]));
  const claimed = new Map<string, ParsedManifest>();
  for (const manifest of manifests) {
    yield;
    for (const [index, name] of manifest.previousNames.entries()) {
      if (typeof name !== "string") continue;
      const address = addressOf(manifest.kind, name);
      const owner = present.get(address);
      const other = claimed.get(address);
      const path = ["metadata", "previousNames", index];
      if (owner !== undefined) {
        const whose = owner === manifest ? "the present name of this manifest" : `still in use in ${owner.file}`;
        reportFor(manifest)({ code: "previous-name", message: `the previous name ${name} is ${whose}`, path });
      } else if (other !== undefined && other !== manifest) {
        const message = `the previous name ${name} is also claimed by ${other.address} in ${other.file}`;
        reportFor(manifest)({ code: "previous-name", message, path });
      } else claimed.set(address, manifest);
    }
  }
};

/** No two manifests have the id of the same existing resource. */
export const duplicateIds: StackCheck = function* (manifests, reportFor, { adopt }) {
  const holders = new FirstHolders<ParsedManifest>();
  for (const manifest of manifests) {
    yield;
    const id = manifest.id ?? adoptedId(adopt, manifest.address);
    const first = id === null ? null : holders.holderOf(id, manifest);
    // Two manifests with one address are reported as such.
    if (first === null || first.address === manifest.address) continue;
    const message = `${first.address} in ${first.file} already has the id ${id}`;
    const path = ["metadata", manifest.id === null ? "name" : "id"];
    reportFor(manifest)({ code: "duplicate-id", message, path });
  }
};

/** The configuration's `adopt` and `metadata.id` agree. */
export const adoptedIds: ManifestCheck = ({ address, id }, report, { adopt }) => {
  const adopted = adoptedId(adopt, address);
  if (id === null || adopted === null || adopted === id) return;
  const message = `metadata.id is ${JSON.stringify(id)}, but \`adopt\` in the configuration has ${JSON.stringify(adopted)}`;
  report({ code: "adopt-conflict", message, path: ["metadata", "id"] });
};

function adoptedId(adopt: { readonly [address: string]: string }, address: string): string | null {
  return Object.hasOwn(adopt, address) ? (adopt[address] ?? null) : null;
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
