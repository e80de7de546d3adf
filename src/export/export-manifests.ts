import type { ValueObject } from "../core/json.js";
import { type KindName, type ListedKind, listedKinds, moduleKinds } from "../kinds/names.js";
import type { Live } from "../live/live.js";
import { safeJson } from "../core/visible.js";
import { kinds } from "../kinds/registry.js";
import {
  type ExportDocument,
  type ExportFormat,
  type NeededSecret,
  commentLines,
  exportDocument,
} from "./export-document.js";
import {
  type Selection,
  selectResources,
  addressesLeft,
  assignNames,
  type ExportedResource,
  resourceKey,
} from "./exported-resources.js";
import { type MatchedState, type StateReport, reportTfState } from "./match-tfstate.js";
import { limits } from "../core/limits.js";
import { severityOf } from "../diagnostics/codes.js";
import type { Problem } from "../diagnostics/diagnostic.js";
import { LineIndex } from "../diagnostics/line-index.js";
import { specFromManifest } from "../kinds/normal-form.js";
import { checkManifest, checkStack } from "../manifest/checks/run-checks.js";
import { type LoadOptions, LoadRun, loadDefaults } from "../manifest/load-run.js";
import { type Manifest, type ParsedManifest, toManifest } from "../manifest/manifest.js";
import { readDocument } from "../manifest/read-document.js";
import { deadReferences } from "../plan/guards.js";
import { plan } from "../plan/make-plan.js";
import { planContext, planDefaults, type PlanOptions } from "../plan/plan-context.js";
import { parseFile } from "../yaml/parse-file.js";

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

type Objection = Readonly<{
  address: string;
  field: string | null;
  why: string;
}>;

type SoundOptions = Readonly<{
  format: ExportFormat;
  stacks: readonly string[];
  /** Why resources have none, by {@link resourceKey}; added to. */
  reasons: Map<string, string>;
}>;

/** Leaves out what `validate` or the plan objects to, and checks the rest again. */
async function soundDocuments(
  resources: readonly ExportedResource[],
  live: Live,
  { format, reasons, stacks }: SoundOptions,
): Promise<Readonly<{ documents: readonly ExportDocument[]; leftOut: readonly string[] }>> {
  const unfit = new Map(resources.map((resource) => [resource, new Map<string, string>()]));
  const leftOut: string[] = [];
  const reserved = addressesLeft(live.lists, resources, stacks);
  for (let rest = [...unfit]; ;) {
    const names = assignNames(
      rest.map(([resource]) => resource),
      reserved,
    );
    const context = { names, format, variables: new Set<string>() };
    const made = rest.map(([resource, known]) => exportDocument(resource, context, known));
    const own = new Set<string>(made.map(({ address }) => address));
    const objections = (await objectionsTo(made, live, stacks)).filter(({ address }) => own.has(address));
    if (objections.length === 0) return { documents: made, leftOut };
    rest = rest.filter(([, known], index) => {
      const document = made[index];
      if (document === undefined) return false;
      const { address, id, kind } = document;
      const against = objections.filter((each) => each.address === address);
      const why = leaveOutFields(document, against, known);
      if (why === null) return true;
      leftOut.push(
        `${address} was not exported: ${why}. Change ${kind} ${id} in the service and export again, or write its manifest yourself.`,
      );
      reasons.set(resourceKey(kind, id), why);
      return false;
    });
  }
}

function leaveOutFields(
  { manifest: { spec } }: ExportDocument,
  against: readonly Objection[],
  known: Map<string, string>,
): string | null {
  for (const { field, why } of against) {
    if (field !== null && Object.hasOwn(spec, field)) continue;
    const cause = [...known].find(([omitted]) => omitted === field || why === `spec.${omitted} is missing`);
    return cause?.[1] ?? why;
  }
  for (const { field, why } of against) if (field !== null && !known.has(field)) known.set(field, why);
  return null;
}

async function objectionsTo(
  documents: readonly ExportDocument[],
  live: Live,
  // The marker of a stack that is not known yet is no shorter.
  [stack = "x", ...previousStacks]: readonly string[],
): Promise<readonly Objection[]> {
  const options = { ...loadOptions, stack };
  const run = new LoadRun(options);
  const objections: Objection[] = [];
  const object = ({ address, code, message, place }: Problem): void => {
    if (severityOf(code) !== "error" || address === null || address === undefined) return;
    const path = "path" in place ? place.path : [];
    const field = path[0] === "spec" && typeof path[1] === "string" ? path[1] : null;
    objections.push({ address, field, why: message });
  };
  const parsed: ParsedManifest[] = [];
  for (const document of documents) {
    const { address, manifest, text } = document;
    const isTooLarge = Buffer.byteLength(text) > limits.fileBytes;
    const [read] = isTooLarge ? [] : parseFile(text).documents;
    if (read === undefined || JSON.stringify(read.value) !== JSON.stringify(manifest)) {
      const why = isTooLarge ? `a manifest has at most ${limits.fileBytes} bytes` : "YAML can't hold its values";
      objections.push({ address, field: null, why });
      continue;
    }
    const found = await readDocument(read, `${document.kind}.yaml`, new LineIndex(text), run);
    for (const problem of found.problems) object({ ...problem, address });
    if (found.manifest === null) continue;
    checkManifest(found.manifest, options, { add: (problem: Problem) => object({ ...problem, address }) });
    parsed.push(found.manifest);
  }
  await checkStack(parsed, options, { add: object });
  if (objections.length > 0) return objections;
  const manifests = parsed.map(toManifest);
  return objectionsOfPlan(manifests, live, { ...planOptions, stack, previousStacks });
}

function objectionsOfPlan(manifests: readonly Manifest[], live: Live, options: PlanOptions): readonly Objection[] {
  const context = planContext(live, options);
  // No plan is made with dead references.
  const dead = manifests.flatMap(({ address, kind, spec }) =>
    deadReferences(kinds[kind], specFromManifest(kinds[kind], spec), context).map(({ path, target }) => ({
      address,
      field: path.split(".")[1] ?? null,
      why: `it refers to ${target}, which is not live`,
    })),
  );
  if (dead.length > 0) return dead;
  const { changes, refusals } = plan(manifests, live, options);
  const refused = refusals.flatMap(({ address, message }) =>
    address === undefined ? [] : [{ address, field: null, why: message }],
  );
  const changed = changes.flatMap(({ action, address, fields }) => {
    if (action !== "adopt" && action !== "update")
      return [{ address, field: null, why: `the next plan would ${action} it` }];
    return fields.flatMap(({ path, unavailable, unknown }) => {
      if (path === "metadata.marker" || unknown === true || (unavailable ?? []).length > 0) return [];
      return [{ address, field: path.split(".")[1] ?? null, why: "the next plan would change it" }];
    });
  });
  return [...refused, ...changed];
}

const loadOptions: LoadOptions = {
  ...loadDefaults,
  tree: {
    root: "/",
    stat: async () => null,
    list: async () => [],
    identity: async (path) => path,
    read: async () => new Uint8Array(),
    readSecret: () => ({ available: false, reason: "an export reads no files" }),
  },
  patterns: [],
  patternBase: "/",
  deep: false,
};

const planOptions = {
  ...planDefaults,
  baseUrl: "",
  toolVersion: "",
  prune: false,
  allowEmpty: true,
  takeOver: true,
} as const;
