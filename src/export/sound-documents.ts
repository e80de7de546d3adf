import { isObject } from "../core/json.js";
import type { Live } from "../live/live.js";
import { type CheckOptions, ManifestChecks } from "./check-manifests.js";
import { checkPlan } from "./check-plan.js";
import { type ExportContext, type ExportDocument, exportDocument } from "./export-document.js";
import { type ExportedResource, addressesLeft, assignNames, resourceKey } from "./exported-resources.js";
import { type Objection, withoutFields } from "./leave-out.js";

/** Manifests that `validate` accepts and whose plan only adopts, and in words what has none. */
export interface SoundDocuments {
  readonly documents: readonly ExportDocument[];
  readonly leftOut: readonly string[];
  /** Why resources have no manifest, without a full stop, by {@link resourceKey}. */
  readonly reasons: ReadonlyMap<string, string>;
}

interface SoundOptions extends Pick<CheckOptions, "format" | "render"> {
  readonly stacks: readonly string[];
}

/** The name of a stack that is not known yet: its marker is no shorter. */
const someStack = "x";

/**
 * The manifests of live resources. Whatever `validate` or the plan objects to is left out: the field, when its live value
 * can be ignored; otherwise the resource. What is left is checked again, until nobody objects.
 */
export async function soundDocuments(
  resources: readonly ExportedResource[],
  live: Live,
  options: SoundOptions,
): Promise<SoundDocuments> {
  const stacks = options.stacks.length === 0 ? [someStack] : options.stacks;
  const checks = new ManifestChecks({ ...options, stack: stacks[0] ?? someStack });
  const unfit = new Map<string, Map<string, string>>();
  const leftOut: string[] = [];
  const reasons = new Map<string, string>();
  const reserved = addressesLeft(live.lists, resources, options.stacks);
  let rest = resources;
  for (;;) {
    const context: ExportContext = { names: assignNames(rest, reserved), variables: new Set() };
    const made = rest.map((resource) => {
      const document = exportDocument(resource, context);
      const known = unfit.get(keyOf(resource)) ?? new Map<string, string>();
      unfit.set(keyOf(resource), known);
      for (const [field, why] of document.unfit) known.set(field, why);
      return { resource, document: withoutFields(document, known), known };
    });
    const documents = made.map(({ document }) => document);
    const objections = groupByAddress(await objectionsTo(documents, { checks, live, stacks }));
    if (objections.size === 0) return { documents, leftOut, reasons };
    const kept = made.filter(({ document, known, resource }) => {
      const why = leaveOutFields(document, objections.get(document.address) ?? [], known);
      if (why === null) return true;
      leftOut.push(inWords(resource, document, why));
      reasons.set(keyOf(resource), why);
      return false;
    });
    rest = kept.map(({ resource }) => resource);
  }
}

/** The plan is asked only when nothing else is wrong: it takes valid manifests. */
async function objectionsTo(
  documents: readonly ExportDocument[],
  {
    checks,
    live,
    stacks,
  }: {
    readonly checks: ManifestChecks;
    readonly live: Live;
    readonly stacks: readonly string[];
  },
): Promise<readonly Objection[]> {
  const { manifests, objections } = await checks.check(documents);
  return objections.length > 0 ? objections : checkPlan(manifests, live, stacks);
}

function keyOf({ id, kind }: ExportedResource): string {
  return resourceKey(kind, id);
}

function groupByAddress(objections: readonly Objection[]): ReadonlyMap<string, readonly Objection[]> {
  const groups = new Map<string, Objection[]>();
  for (const objection of objections) {
    const group = groups.get(objection.address);
    if (group === undefined) groups.set(objection.address, [objection]);
    else group.push(objection);
  }
  return groups;
}

/**
 * Adds the fields that are objected to to those that are left out.
 * @returns why the manifest can't do without them; null when it may
 */
function leaveOutFields(
  { manifest }: ExportDocument,
  against: readonly Objection[],
  known: Map<string, string>,
): string | null {
  const spec = isObject(manifest["spec"]) ? manifest["spec"] : {};
  for (const { field, why } of against) {
    if (field !== null && Object.hasOwn(spec, field)) continue;
    // What is missing now was left out for a reason.
    const cause = [...known].find(([omitted]) => omitted === field || why === `spec.${omitted} is missing`);
    return cause?.[1] ?? why;
  }
  for (const { field, why } of against) if (field !== null && !known.has(field)) known.set(field, why);
  return null;
}

function inWords({ id, kind }: ExportedResource, { address }: ExportDocument, why: string): string {
  return `${address} was not exported: ${why}. Change ${kind} ${id} in the service and export again, or write its manifest yourself.`;
}
