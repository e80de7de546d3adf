import { isObject } from "../../json.js";
import { addressOf } from "../../kinds/names.js";
import type { ManifestCheck, ParsedManifest, StackCheck } from "../parsed-manifest.js";

/** No two manifests of one kind have one name. */
export const duplicateNames: StackCheck = (subjects, find) => {
  const first = new Map<string, ParsedManifest>();
  for (const subject of subjects) {
    const known = first.get(subject.address);
    if (known === undefined) first.set(subject.address, subject);
    else {
      const message = `there is another ${subject.address}, in ${known.file}${known.file === subject.file ? " too" : ""}`;
      find(subject)({ code: "duplicate-name", message, path: ["metadata", "name"] });
    }
  }
};

/** A previous name belongs to one manifest, and to none as its present name. */
export const previousNames: StackCheck = (subjects, find) => {
  const present = new Map(subjects.map((subject) => [subject.address, subject]));
  const claimed = new Map<string, ParsedManifest>();
  for (const subject of subjects) {
    for (const [index, name] of namesOf(subject).entries()) {
      if (typeof name !== "string") continue;
      const address = addressOf(subject.kind, name);
      const owner = present.get(address);
      const other = claimed.get(address);
      const path = ["metadata", "previousNames", index];
      if (owner !== undefined) {
        const whose = owner === subject ? "the present name of this manifest" : `still in use in ${owner.file}`;
        find(subject)({ code: "previous-name", message: `the previous name ${name} is ${whose}`, path });
      } else if (other !== undefined && other !== subject) {
        const message = `the previous name ${name} is claimed by ${other.address} in ${other.file} too`;
        find(subject)({ code: "previous-name", message, path });
      } else claimed.set(address, subject);
    }
  }
};

function namesOf({ value }: ParsedManifest): readonly unknown[] {
  const metadata = value["metadata"];
  const names = isObject(metadata) ? metadata["previousNames"] : null;
  return Array.isArray(names) ? names : [];
}

/** No two manifests speak of one existing resource. */
export const duplicateIds: StackCheck = (subjects, find, { adopt }) => {
  const first = new Map<string, ParsedManifest>();
  for (const subject of subjects) {
    const { id, adopted } = idOf(subject, adopt);
    if (id === null) continue;
    const known = first.get(id);
    if (known === undefined) first.set(id, subject);
    else if (known.address !== subject.address) {
      const message = `${known.address} in ${known.file} already has the id ${id}`;
      find(subject)({ code: "duplicate-id", message, path: adopted ? ["metadata", "name"] : ["metadata", "id"] });
    }
  }
};

function idOf(
  { address, value }: ParsedManifest,
  adopt: { readonly [address: string]: string },
): { readonly id: string | null; readonly adopted: boolean } {
  const metadata = value["metadata"];
  const written = isObject(metadata) ? metadata["id"] : null;
  if (typeof written === "string") return { id: written, adopted: false };
  return { id: Object.hasOwn(adopt, address) ? (adopt[address] ?? null) : null, adopted: true };
}

/** The configuration's `adopt` and `metadata.id` don't contradict one another. */
export const adoptedIds: ManifestCheck = ({ address, value }, find, { adopt }) => {
  const metadata = value["metadata"];
  const written = isObject(metadata) ? metadata["id"] : null;
  const adopted = Object.hasOwn(adopt, address) ? adopt[address] : undefined;
  if (typeof written !== "string" || adopted === undefined || adopted === written) return;
  const message = `metadata.id is ${JSON.stringify(written)}, and adopt in the configuration says ${JSON.stringify(adopted)}`;
  find({ code: "adopt-conflict", message, path: ["metadata", "id"] });
};
