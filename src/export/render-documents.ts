import { Document, visit } from "yaml";
import { kinds } from "../kinds/registry.js";
import { safeJson, unicodeEscape, escapeActive, guardRunner, isActive, visibleLine } from "../core/visible.js";
import type { ExportDocument } from "./export-document.js";

/** Where manifests are written, and how. */
export interface RenderOptions {
  readonly format: "yaml" | "json";
  readonly split: "kind" | "resource";
  readonly render: RenderManifest;
}

/** The text of one manifest as it stands in its file, with a comment for each field that it leaves out. */
export type RenderManifest = (document: Pick<ExportDocument, "leftOut" | "manifest">) => string;

/** A file of an export. Its path is relative, with `/`. */
export interface ExportFile {
  readonly path: string;
  readonly text: string;
}

/** The file that says what has no manifest: comments alone, which every command reads as an empty file. */
const notExportedFile = "not-exported.yaml";

/** The files of an export: one for each kind (`tls-edge.yaml`), or one for each resource (`tls-edge/api.yaml`). */
export function exportFiles(
  documents: readonly ExportDocument[],
  leftOut: readonly string[],
  options: RenderOptions,
): readonly ExportFile[] {
  const { format, split } = options;
  const files = new Map<string, ExportDocument[]>();
  for (const document of documents) {
    const kind = fileNameOf(document);
    const path = `${split === "kind" ? kind : `${kind}/${document.name}`}.${format}`;
    const file = files.get(path);
    if (file === undefined) files.set(path, [document]);
    else file.push(document);
  }
  const rendered = [...files].map(([path, part]) => ({ path, text: renderDocuments(part, [], options) }));
  // JSON has no comments.
  if (leftOut.length === 0 || format === "json") return rendered;
  return [...rendered, { path: notExportedFile, text: commentLines(leftOut) }];
}

/** The name of a kind in paths: `tls-edge`. */
export function fileNameOf({ kind }: Pick<ExportDocument, "kind">): string {
  return kinds[kind].title.toLowerCase().replaceAll(" ", "-");
}

/**
 * YAML documents in one text, or JSON: an array, or an object when each resource has its own file. Ends with a newline.
 * A terminal or a runner that shows it finds nothing in it to act upon.
 */
export function renderDocuments(
  documents: readonly ExportDocument[],
  leftOut: readonly string[],
  { format, render, split }: RenderOptions,
): string {
  if (format === "yaml") return commentLines(leftOut) + documents.map(render).join("---\n");
  const manifests = documents.map((document) => document.manifest);
  return safeJson(split === "resource" && manifests.length === 1 ? manifests[0] : manifests);
}

export function manifestRenderer(format: "yaml" | "json"): RenderManifest {
  return ({ leftOut, manifest }) => (format === "json" ? safeJson(manifest) : commentLines(leftOut) + yamlOf(manifest));
}

function yamlOf(manifest: ExportDocument["manifest"]): string {
  const document = new Document(manifest, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, node) => {
      // On one line and in quotes, everything can be escaped.
      if (typeof node.value === "string" && isActive(node.value)) node.type = "QUOTE_DOUBLE";
    },
  });
  return escapeActive(document.toString({ lineWidth: 0, doubleQuotedAsJSON: true }), unicodeEscape);
}

function commentLines(lines: readonly string[]): string {
  return guardRunner(lines.map((line) => `# ${visibleLine(line)}\n`).join(""));
}
