import type { ValueObject } from "../core/json.js";
import { type KindName, type ListedKind, listedKinds, moduleKinds } from "../kinds/names.js";
import type { Live } from "../live/live.js";
import { safeJson } from "../core/visible.js";
import { kinds } from "../kinds/registry.js";
import { type ExportDocument, type ExportFormat, type NeededSecret, commentLines } from "./export-document.js";
import { type Selection, selectResources } from "./exported-resources.js";
import { type MatchedState, type StateReport, reportTfState } from "./match-tfstate.js";
import { soundDocuments } from "./sound-documents.js";

export type ExportOptions = Pick<Selection, "which" | "stacks"> &
  Readonly<{
    kinds: readonly ListedKind[];
    format: ExportFormat;
    /** Export only what this Terraform state has, under its names. */
    terraform?: MatchedState;
  }>;

export type Exported = Readonly<{
  /** In a fixed order. */
  files: readonly Readonly<{ path: string; text: string }>[];
  /** All manifests in one text, for stdout. */
  whole: string;
  /** The environment variables that the manifests read secrets from, which the service doesn't return. */
  secretsNeeded: readonly NeededSecret[];
  /** In words: what was left out, and what else is worth knowing. */
  warnings: readonly string[];
  /** The number of resources. */
  count: number;
  /** What became of the Terraform state; null without one. */
  terraform: StateReport | null;
}>;

/**
 * Live resources as manifests that validate and whose next plan only adopts: each has `metadata.id`, markers are removed,
 * and references are by name where the target is exported too. What no manifest can say is left out, with a comment and a
 * warning. Uses nothing but its arguments.
 */
export async function exportManifests(live: Live, options: ExportOptions): Promise<Exported> {
  const { format, stacks, terraform, which } = options;
  const selection: Selection = { which, stacks, ...(terraform === undefined ? {} : { named: terraform.names }) };
  const listed = listedKinds.filter((kind) => options.kinds.length === 0 || options.kinds.includes(kind));
  // Nothing but a state knows the ids of the others.
  const exportedKinds: readonly KindName[] =
    terraform === undefined || options.kinds.length > 0 ? listed : [...listed, ...moduleKinds];
  const reasons = new Map<string, string>();
  const resources = exportedKinds.flatMap((kind) => selectResources(kind, resourcesOf(kind, live), selection, reasons));
  const managed = [...reasons].map(([key, why]) => `${key.replace("/", " ")} was not exported: ${why}`);
  const { documents, leftOut } = await soundDocuments(resources, live, { format, reasons, stacks });
  const unreadable = live.unreadable
    .filter(({ kind }) => listed.includes(kind))
    .map(({ kind, status }) => `${kind} was not exported: listing it returned HTTP ${status}`);
  const matched = terraform?.matched.filter(({ kind }) => exportedKinds.includes(kind)) ?? [];
  const state = terraform === undefined ? null : reportTfState({ ...terraform, matched }, documents, reasons);
  const comments = [...leftOut, ...(state?.lines ?? [])];
  return {
    files: exportFiles(documents, comments, format),
    whole: format === "json" ? wholeJson(documents, state?.report) : commentLines(comments) + textOf(documents),
    secretsNeeded: documents.flatMap((document) => document.secrets),
    warnings: [
      ...managed,
      ...leftOut,
      ...documents.flatMap((document) => document.warnings),
      ...unreadable,
      ...(state?.lines ?? []),
    ],
    count: documents.length,
    terraform: state?.report ?? null,
  };
}

function resourcesOf(kind: KindName, live: Live): readonly ValueObject[] {
  const listed = listedKinds.find((each) => each === kind);
  if (listed !== undefined) return live.lists[listed];
  return live.modules
    .filter((each) => each.kind === kind && Object.values(each.modules).some((module) => module !== null))
    .map(({ id, modules }) => ({ ...modules, id }))
    .toReversed(); // Lists have the newest first.
}

function wholeJson(documents: readonly ExportDocument[], terraform: StateReport | undefined): string {
  const manifests = documents.map(({ manifest }) => manifest);
  return safeJson(terraform === undefined ? manifests : { format: "edgewise.export/v1", manifests, terraform });
}

function textOf(documents: readonly ExportDocument[]): string {
  return documents.map(({ text }) => text).join("---\n");
}

/** YAML: a file for each kind (`tls-edge.yaml`); JSON: for each resource (`tls-edge/api.json`). */
function exportFiles(
  documents: readonly ExportDocument[],
  comments: readonly string[],
  format: ExportFormat,
): Exported["files"] {
  const files = new Map<string, ExportDocument[]>();
  for (const document of documents) {
    const { slug } = kinds[document.kind];
    const path = format === "yaml" ? `${slug}.yaml` : `${slug}/${document.name}.json`;
    files.set(path, [...(files.get(path) ?? []), document]);
  }
  const rendered = [...files].map(([path, part]) => ({ path, text: textOf(part) }));
  // A file of comments alone is read as an empty one.
  if (comments.length === 0 || format === "json") return rendered;
  return [...rendered, { path: "not-exported.yaml", text: commentLines(comments) }];
}
