import { isObject } from "../../json.js";
import type { ManifestCheck } from "./check.js";

/** Header names come back in lower case: of two that differ in nothing else, one would be lost without a word. */
export const headerNames: ManifestCheck = ({ spec }, find) => {
  const { headers } = spec;
  if (!isObject(headers)) return;
  const seen = new Map<string, string>();
  for (const name of Object.keys(headers)) {
    const other = seen.get(name.toLowerCase());
    if (other === undefined) {
      seen.set(name.toLowerCase(), name);
      continue;
    }
    const message = `headers names ${JSON.stringify(other)} and ${JSON.stringify(name)}, which are the same header`;
    find({ code: "duplicate-item", message, path: ["spec", "headers", name], at: "key" });
  }
};
