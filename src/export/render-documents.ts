import { Document, visit } from "yaml";
import { kinds } from "../kinds/registry.js";
import { safeJson, unicodeEscape, escapeActive, guardRunner, isActive, visibleLine } from "../core/visible.js";
import type { ExportDocument } from "./export-document.js";

export type ExportFormat = "yaml" | "json";

export interface ExportFile {
  readonly path: string;
  readonly text: string;
}

/** YAML: a file for each kind (`tls-edge.yaml`); JSON: for each resource (`tls-edge/api.json`). */
export function exportFiles(
  documents: readonly ExportDocument[],
  leftOut: readonly string[],
  format: ExportFormat,
): readonly ExportFile[] {
  const files = new Map<string, ExportDocument[]>();
  for (const document of documents) {
    const kind = kinds[document.kind].slug;
    const path = format === "yaml" ? `${kind}.yaml` : `${kind}/${document.name}.json`;
    files.set(path, [...(files.get(path) ?? []), document]);
  }
  const textOf = (part: readonly ExportDocument[]) => part.map((one) => renderManifest(one, format)).join("---\n");
  const rendered = [...files].map(([path, part]) => ({ path, text: textOf(part) }));
  // A file of comments alone is read as an empty one.
  if (leftOut.length === 0 || format === "json") return rendered;
  return [...rendered, { path: "not-exported.yaml", text: commentLines(leftOut) }];
}

export function renderDocuments(
  documents: readonly ExportDocument[],
  leftOut: readonly string[],
  format: ExportFormat,
): string {
  if (format === "yaml")
    return commentLines(leftOut) + documents.map((document) => renderManifest(document, format)).join("---\n");
  return safeJson(documents.map(({ manifest }) => manifest));
}

/** With a comment for each field that it leaves out. */
export function renderManifest({ leftOut, manifest }: ExportDocument, format: ExportFormat): string {
  if (format === "json") return safeJson(manifest);
  const document = new Document(manifest, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, node) => {
      // On one line and in quotes, everything can be escaped.
      if (typeof node.value === "string" && isActive(node.value)) node.type = "QUOTE_DOUBLE";
    },
  });
  const text = escapeActive(document.toString({ lineWidth: 0, doubleQuotedAsJSON: true }), unicodeEscape);
  return commentLines(leftOut) + text;
}

function commentLines(lines: readonly string[]): string {
  return guardRunner(lines.map((line) => `# ${visibleLine(line)}\n`).join(""));
}
