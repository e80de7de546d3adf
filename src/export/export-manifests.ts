import { Document, visit } from "yaml";
import { type ListedKind, listedKinds } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";
import { jsonEscape, safeJson } from "../text/safe-json.js";
import { escapeActive, isActive } from "../text/visible.js";
import { type ExportDocument, exportDocument } from "./export-document.js";
import { type ExportedResource, assignNames, selectResources } from "./exported-resources.js";

export interface ExportOptions {
  /** Of no stack (the default), of `stacks`, or everything. */
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
  /** Process variables that the manifests' secrets are read from, with what for. The service doesn't return them. */
  readonly secretsNeeded: readonly { readonly variable: string; readonly address: string; readonly field: string }[];
  readonly warnings: readonly string[];
  /** How many resources. */
  readonly count: number;
}

/**
 * Live resources as manifests that validate and whose next plan only adopts: each has `metadata.id`, markers are taken
 * off, references are by name where the target is exported too. Pure.
 */
export function exportManifests(live: Live, options: ExportOptions): Exported {
  const kinds = listedKinds.filter((kind) => options.kinds.length === 0 || options.kinds.includes(kind));
  const selections: ExportedResource[] = kinds.flatMap((kind) => selectResources(kind, live.lists[kind], options));
  const names = assignNames(selections);
  const documents: ExportDocument[] = [];
  const warnings: string[] = [];
  const variables = new Set<string>();
  for (const selection of selections) {
    const document = exportDocument(selection, names, variables);
    documents.push(document);
    warnings.push(...document.warnings);
  }
  for (const { kind, status } of live.unreadable) {
    if (kinds.includes(kind)) warnings.push(`${kind} is not exported: its list answered ${status}`);
  }
  return {
    files: documentsByFile(documents, options).map(({ path, documents: part }) => ({
      path,
      text: renderDocuments(part, options.format, options.split),
    })),
    whole: renderDocuments(documents, options.format, "kind"),
    secretsNeeded: documents.flatMap((document) => document.secrets),
    warnings,
    count: documents.length,
  };
}

/** Which manifests go into which file: one for each kind (`tls-edge.yaml`), or one for each (`tls-edge/api.yaml`). */
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
 * YAML documents in one text, or JSON: an array, or the one object of a file of its own. Ends with a newline.
 * Nothing that stands in it acts upon a terminal or a runner that shows it.
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
      // On one line and in quotes, where everything can be escaped.
      if (typeof node.value === "string" && isActive(node.value)) node.type = "QUOTE_DOUBLE";
    },
  });
  return escapeActive(document.toString({ lineWidth: 0, doubleQuotedAsJSON: true }), yamlEscape);
}

function yamlEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : jsonEscape(character);
}
