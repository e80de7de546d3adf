import { isObject } from "../../json.js";
import type { ManifestCheck } from "./check.js";

/** The configuration's `adopt` and `metadata.id` don't contradict one another. */
export const adoptedIds: ManifestCheck = ({ address, value }, find, { adopt }) => {
  const metadata = value["metadata"];
  const written = isObject(metadata) ? metadata["id"] : null;
  const adopted = Object.hasOwn(adopt, address) ? adopt[address] : undefined;
  if (typeof written !== "string" || adopted === undefined || adopted === written) return;
  const message = `metadata.id is ${JSON.stringify(written)}, and adopt in the configuration says ${JSON.stringify(adopted)}`;
  find({ code: "adopt-conflict", message, path: ["metadata", "id"] });
};
