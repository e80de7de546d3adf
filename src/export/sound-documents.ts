import { isObject } from "../core/json.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";
import { type CheckOptions, type Objection, objectionsTo } from "./check-export.js";
import { type ExportDocument, exportDocument } from "./export-document.js";
import { type ExportedResource, addressesLeft, assignNames, resourceKey } from "./exported-resources.js";

/** Manifests that `validate` accepts and whose plan only adopts, and in words what has none. */
export interface SoundDocuments {
  readonly documents: readonly ExportDocument[];
  readonly leftOut: readonly string[];
  /** Why resources have no manifest, without a full stop, by {@link resourceKey}. */
  readonly reasons: ReadonlyMap<string, string>;
}

/**
 * The manifests of live resources. Whatever `validate` or the plan objects to is left out: the field, when its live value
 * can be ignored; otherwise the resource. What is left is checked again, until nobody objects.
 */
export async function soundDocuments(
  resources: readonly ExportedResource[],
  live: Live,
  options: Pick<CheckOptions, "format" | "render"> & { readonly stacks: readonly string[] },
): Promise<SoundDocuments> {
  // The marker of a stack that is not known yet is no shorter.
  const [stack = "x", ...previous] = options.stacks;
  const unfit = new Map(resources.map((resource) => [keyOf(resource), new Map<string, string>()]));
  const leftOut: string[] = [];
  const reasons = new Map<string, string>();
  const reserved = addressesLeft(live.lists, resources, options.stacks);
  let rest = resources;
  for (;;) {
    const context = { names: assignNames(rest, reserved), variables: new Set<string>() };
    const made = rest.map((resource) => {
      const document = exportDocument(resource, context);
      const known = unfit.get(keyOf(resource)) ?? new Map<string, string>();
      for (const [field, why] of document.unfit) known.set(field, why);
      return { resource, document: withoutFields(document, known), known };
    });
    const documents = made.map(({ document }) => document);
    const objections = await objectionsTo(documents, live, { ...options, stacks: [stack, ...previous] });
    if (objections.length === 0) return { documents, leftOut, reasons };
    const byAddress = new Map<string, Objection[]>();
    for (const each of objections) byAddress.set(each.address, [...(byAddress.get(each.address) ?? []), each]);
    rest = made.flatMap(({ document, known, resource }) => {
      const why = leaveOutFields(document, byAddress.get(document.address) ?? [], known);
      if (why === null) return [resource];
      const { id, kind } = resource;
      leftOut.push(
        `${document.address} was not exported: ${why}. Change ${kind} ${id} in the service and export again, or write its manifest yourself.`,
      );
      reasons.set(keyOf(resource), why);
      return [];
    });
  }
}

function keyOf({ id, kind }: ExportedResource): string {
  return resourceKey(kind, id);
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

/**
 * The manifest without some fields. Those that inherit keep their live value anyway, others because the manifest ignores
 * them. A comment and a warning say why.
 */
function withoutFields(document: ExportDocument, unfit: ReadonlyMap<string, string>): ExportDocument {
  if (unfit.size === 0) return document;
  const { address, kind, manifest } = document;
  const lifecycle = isObject(manifest["lifecycle"]) ? manifest["lifecycle"] : {};
  const ignore = [...unfit.keys()].filter((field) => kinds[kind].fields[field]?.unset !== "inherit");
  const { spec, ...rest } = manifest;
  const leftOut = [...unfit].map(([field, why]) => {
    const remedy = ignore.includes(field)
      ? "To manage it, write it as validate accepts it and remove it from lifecycle.ignore."
      : "";
    return `${field} of ${address} is not in its manifest, and keeps its live value: ${why}. ${remedy}`.trimEnd();
  });
  const inside = [...unfit.keys()].map((field) => `${field}.`);
  return {
    ...document,
    manifest: {
      ...rest,
      ...(ignore.length === 0 ? {} : { lifecycle: { ...lifecycle, ignore: ignore.map((field) => `spec.${field}`) } }),
      spec: Object.fromEntries(Object.entries(isObject(spec) ? spec : {}).filter(([field]) => !unfit.has(field))),
    },
    secrets: document.secrets.filter(({ field }) => !unfit.has(field.split(".")[0] ?? "")),
    // What was wrong inside a field that is left out concerns nobody.
    warnings: [
      ...document.warnings.filter((warning) => !inside.some((field) => warning.startsWith(field))),
      ...leftOut,
    ],
    leftOut,
  };
}
