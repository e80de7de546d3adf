import { isObject } from "../../json.js";
import type { ParsedManifest } from "../subject.js";
import type { StackCheck } from "./check.js";

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
