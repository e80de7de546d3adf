import { kinds } from "../kinds/registry.js";
import type { ExportDocument } from "./document-of.js";

/** Which manifests go into which file: one for each kind (`tls-edge.yaml`), or one for each (`tls-edge/api.yaml`). */
export function documentsByFile(
  documents: readonly ExportDocument[],
  options: { readonly format: "yaml" | "json"; readonly split: "kind" | "resource" },
): readonly { readonly path: string; readonly documents: readonly ExportDocument[] }[] {
  const files = new Map<string, ExportDocument[]>();
  for (const document of documents) {
    const kind = kinds[document.kind].title.toLowerCase().replaceAll(" ", "-");
    const path = options.split === "kind" ? `${kind}.${options.format}` : `${kind}/${document.name}.${options.format}`;
    const file = files.get(path);
    if (file === undefined) files.set(path, [document]);
    else file.push(document);
  }
  return [...files].map(([path, part]) => ({ path, documents: part }));
}
