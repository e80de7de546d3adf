import { listedKinds, type ListedKind } from "../kinds/names.js";
import type { Live } from "../live/live.js";
import { exportDocument, type ExportDocument } from "./document-of.js";
import { assignNames } from "./name-all.js";
import { documentsByFile } from "./paths-of.js";
import { renderDocuments } from "./render-documents.js";
import { selectResources, type ExportedResource } from "./select.js";

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
