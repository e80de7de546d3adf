import { Document, visit } from "yaml";
import { kinds } from "../kinds/registry.js";
import { safeJson, unicodeEscape, escapeActive, guardRunner, isActive, visibleLine } from "../core/visible.js";
import type { ExportDocument } from "./export-document.js";

export type ExportFormat = "yaml" | "json";

export interface ExportFile {
  readonly path: string;
  readonly text: string;
}

/** The files of an export: one for each kind (`tls-edge.yaml`), or one for each resource (`tls-edge/api.yaml`). */
export function exportFiles(
  documents: readonly ExportDocument[],
  leftOut: readonly string[],
  format: ExportFormat,
  split: "kind" | "resource",
): readonly ExportFile[] {
  const files = new Map<string, ExportDocument[]>();
  for (const document of documents) {
    const kind = fileNameOf(document);
    const path = `${split === "kind" ? kind : `${kind}/${document.name}`}.${format}`;
    files.set(path, [...(files.get(path) ?? []), document]);
  }
  const rendered = [...files].map(([path, part]) => ({ path, text: renderDocuments(part, [], format, split) }));
  // JSON has no comments. A file of comments alone is read as an empty one.
  if (leftOut.length === 0 || format === "json") return rendered;
  return [...rendered, { path: "not-exported.yaml", text: commentLines(leftOut) }];
}

/** The name of a kind in paths: `tls-edge`. */
export function fileNameOf({ kind }: Pick<ExportDocument, "kind">): string {
  return kinds[kind].title.toLowerCase().replaceAll(" ", "-");
}

export function renderDocuments(
  documents: readonly ExportDocument[],
  leftOut: readonly string[],
  format: ExportFormat,
  split: "kind" | "resource",
): string {
  if (format === "yaml")
    return commentLines(leftOut) + documents.map((document) => renderManifest(document, format)).join("---\n");
  const manifests = documents.map((document) => document.manifest);
  return safeJson(split === "resource" && manifests.length === 1 ? manifests[0] : manifests);
}

/** One manifest as it stands in its file, with a comment for each field that it leaves out. */
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
