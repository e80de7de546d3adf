import { Document, visit } from "yaml";
import { type ListedKind, listedKinds } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";
import { jsonEscape, safeJson } from "../text/safe-json.js";
import { escapeActive, isActive } from "../text/visible.js";
import { type ExportContext, type ExportDocument, type NeededSecret, exportDocument } from "./export-document.js";
import { type ExportedResource, assignNames, selectResources } from "./exported-resources.js";
import { fitToSchema } from "./fit-schema.js";

export interface ExportOptions {
  /** Resources of no stack (the default), of `stacks`, or all. */
  readonly which: "unowned" | "owned" | "all";
  /** The stacks whose resources count as owned: this one, then the previous ones. */
  readonly stacks: readonly string[];
  readonly kinds: readonly ListedKind[];
  readonly format: "yaml" | "json";
  readonly split: "kind" | "resource";
}

export interface Exported {
  /** Paths are relative, with `/`. In a fixed order. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** All manifests in one text, for stdout. */
  readonly whole: string;
  /** The environment variables that the manifests read secrets from, which the service doesn't return. */
  readonly secretsNeeded: readonly NeededSecret[];
  readonly warnings: readonly string[];
  /** The number of resources. */
  readonly count: number;
}

/**
 * Live resources as manifests that validate and whose next plan only adopts: each has `metadata.id`, markers are removed,
 * and references are by name where the target is exported too. Pure.
 */
export function exportManifests(live: Live, options: ExportOptions): Exported {
  const kinds = listedKinds.filter((kind) => options.kinds.length === 0 || options.kinds.includes(kind));
  const selected = kinds.map((kind) => selectResources(kind, live.lists[kind], options));
  const { documents, notExported } = fittingDocuments(selected.flatMap((each) => each.resources));
  const unreadable = live.unreadable
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ kind, status }) => `${kind} was not exported: listing it returned HTTP ${status}`);
  return {
    files: documentsByFile(documents, options).map(({ path, documents: part }) => ({
      path,
      text: renderDocuments(part, options.format, options.split),
    })),
    whole: renderDocuments(documents, options.format, "kind"),
    secretsNeeded: documents.flatMap((document) => document.secrets),
    warnings: [
      ...selected.flatMap((each) => each.warnings),
      ...notExported,
      ...documents.flatMap((document) => document.warnings),
      ...unreadable,
    ],
    count: documents.length,
  };
}

/** The manifests of those resources that a manifest can describe, and in words the others. */
function fittingDocuments(resources: readonly ExportedResource[]): {
  readonly documents: readonly ExportDocument[];
  readonly notExported: readonly string[];
} {
  const context: ExportContext = { names: assignNames(resources), variables: new Set() };
  const fitted = resources.map((resource) => fitToSchema(exportDocument(resource, context)));
  const notExported = fitted.flatMap((each) => ("notExported" in each ? [each.notExported] : []));
  const documents = fitted.flatMap((each) => ("document" in each ? [each.document] : []));
  if (notExported.length === 0) return { documents, notExported };
  // Once more: no manifest may refer by name to one that is missing.
  const rest = fittingDocuments(resources.filter((_, index) => "document" in (fitted[index] ?? {})));
  return { documents: rest.documents, notExported: [...notExported, ...rest.notExported] };
}

/** The manifests of each file: one file for each kind (`tls-edge.yaml`), or one for each resource (`tls-edge/api.yaml`). */
function documentsByFile(
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

/**
 * YAML documents in one text, or JSON: an array, or an object when each resource has its own file. Ends with a newline.
 * A terminal or a runner that shows it finds nothing in it to act upon.
 */
function renderDocuments(
  documents: readonly ExportDocument[],
  format: "yaml" | "json",
  split: "kind" | "resource",
): string {
  const manifests = documents.map((document) => document.manifest);
  if (format === "json") {
    const only = split === "resource" && manifests.length === 1 ? manifests[0] : manifests;
    return safeJson(only);
  }
  return manifests.map(renderYaml).join("---\n");
}

function renderYaml(manifest: unknown): string {
  const document = new Document(manifest, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, node) => {
      // On one line and in quotes, everything can be escaped.
      if (typeof node.value === "string" && isActive(node.value)) node.type = "QUOTE_DOUBLE";
    },
  });
  return escapeActive(document.toString({ lineWidth: 0, doubleQuotedAsJSON: true }), yamlEscape);
}

function yamlEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : jsonEscape(character);
}
