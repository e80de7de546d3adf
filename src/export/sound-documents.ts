import { limits } from "../core/limits.js";
import { severityOf } from "../diagnostics/codes.js";
import type { Problem } from "../diagnostics/diagnostic.js";
import { LineIndex } from "../diagnostics/line-index.js";
import { type ExportDocument, type ExportFormat, exportDocument } from "./export-document.js";
import { addressesLeft, assignNames, type ExportedResource, resourceKey } from "./exported-resources.js";
import { specFromManifest } from "../kinds/normal-form.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";
import { checkManifest, checkStack } from "../manifest/checks/run-checks.js";
import { type LoadOptions, LoadRun, loadDefaults } from "../manifest/load-run.js";
import { type Manifest, type ParsedManifest, toManifest } from "../manifest/manifest.js";
import { readDocument } from "../manifest/read-document.js";
import { deadReferences } from "../plan/guards.js";
import { plan } from "../plan/make-plan.js";
import { planContext, planDefaults, type PlanOptions } from "../plan/plan-context.js";
import { parseFile } from "../yaml/parse-file.js";

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

/** What `validate` or the plan objects to is left out; the rest is checked again. */
export async function soundDocuments(
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

/** Why the manifest can't do without the fields; null when they are left out now. */
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

/** Of `validate`; when it has none, of the next plan. */
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

/** Exported manifests name no file and no variable. */
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

/** What is pruned or counted is no matter of what is exported. */
const planOptions = {
  ...planDefaults,
  baseUrl: "",
  toolVersion: "",
  prune: false,
  allowEmpty: true,
  takeOver: true,
} as const;
