import { type ListedKind, listedKinds } from "../kinds/names.js";
import type { Live } from "../live/live.js";
import type { NeededSecret } from "./export-document.js";
import { selectResources } from "./exported-resources.js";
import { type ExportFile, exportFiles, manifestRenderer, renderDocuments } from "./render-documents.js";
import { soundDocuments } from "./sound-documents.js";

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
  /** In a fixed order. */
  readonly files: readonly ExportFile[];
  /** All manifests in one text, for stdout. */
  readonly whole: string;
  /** The environment variables that the manifests read secrets from, which the service doesn't return. */
  readonly secretsNeeded: readonly NeededSecret[];
  /** In words: what was left out, and what else is worth knowing. */
  readonly warnings: readonly string[];
  /** The number of resources. */
  readonly count: number;
}

/**
 * Live resources as manifests that validate and whose next plan only adopts: each has `metadata.id`, markers are removed,
 * and references are by name where the target is exported too. What no manifest can say is left out, with a comment and a
 * warning. Uses nothing but its arguments.
 */
export async function exportManifests(live: Live, options: ExportOptions): Promise<Exported> {
  const kinds = listedKinds.filter((kind) => options.kinds.length === 0 || options.kinds.includes(kind));
  const selected = kinds.map((kind) => selectResources(kind, live.lists[kind], options));
  const resources = selected.flatMap((each) => each.resources);
  const render = manifestRenderer(options.format);
  const { documents, leftOut } = await soundDocuments(resources, live, { ...options, render });
  const unreadable = live.unreadable
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ kind, status }) => `${kind} was not exported: listing it returned HTTP ${status}`);
  return {
    files: exportFiles(documents, leftOut, { ...options, render }),
    whole: renderDocuments(documents, leftOut, { ...options, render, split: "kind" }),
    secretsNeeded: documents.flatMap((document) => document.secrets),
    warnings: [
      ...selected.flatMap((each) => each.warnings),
      ...leftOut,
      ...documents.flatMap((document) => document.warnings),
      ...unreadable,
    ],
    count: documents.length,
  };
}
