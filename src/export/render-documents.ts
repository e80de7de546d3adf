import { stringify } from "yaml";
import type { ExportDocument } from "./document-of.js";

/** YAML documents in one text, or JSON: an array, or the one object of a file of its own. Ends with a newline. */
export function renderDocuments(
  documents: readonly ExportDocument[],
  format: "yaml" | "json",
  split: "kind" | "resource",
): string {
  const manifests = documents.map((document) => document.manifest);
  if (format === "json") {
    return `${JSON.stringify(split === "resource" && manifests.length === 1 ? manifests[0] : manifests, null, 2)}\n`;
  }
  return manifests.map((manifest) => stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false })).join("---\n");
}
