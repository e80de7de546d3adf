import { addressOf } from "../../kinds/names.js";
import type { ManifestCheck, ParsedManifest, StackCheck } from "../parsed-manifest.js";

/** No two manifests of one kind have the same name. */
export const duplicateNames: StackCheck = (manifests, reportFor) => {
  for (const { first, item } of repeats(manifests, ({ address }) => address)) {
    const message = `there is another ${item.address}, in ${first.file}${first.file === item.file ? " too" : ""}`;
    reportFor(item)({ code: "duplicate-name", message, path: ["metadata", "name"] });
  }
};

/** A previous name belongs to one manifest, and is not the present name of any. */
export const previousNames: StackCheck = (manifests, reportFor) => {
  const present = new Map(manifests.map((manifest) => [manifest.address, manifest]));
  const claimed = new Map<string, ParsedManifest>();
  for (const manifest of manifests) {
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
export const duplicateIds: StackCheck = (manifests, reportFor, { adopt }) => {
  const idOf = ({ address, id }: ParsedManifest): string | null => id ?? adoptedId(adopt, address);
  for (const { first, item } of repeats(manifests, idOf)) {
    // Two manifests with one address are reported as such.
    if (first.address === item.address) continue;
    const message = `${first.address} in ${first.file} already has the id ${idOf(item)}`;
    const path = ["metadata", item.id === null ? "name" : "id"];
    reportFor(item)({ code: "duplicate-id", message, path });
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

/** Each item whose key an earlier item has, with the first such item. Items without a key (null) are skipped. */
export function* repeats<T>(
  items: Iterable<T>,
  keyOf: (item: T) => string | null,
): Generator<{ readonly item: T; readonly first: T }> {
  const firstByKey = new Map<string, T>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === null) continue;
    const first = firstByKey.get(key);
    if (first === undefined) firstByKey.set(key, item);
    else yield { item, first };
  }
}
