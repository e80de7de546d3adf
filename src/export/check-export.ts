import { codes } from "../diagnostics/codes.js";
import type { Problem } from "../diagnostics/diagnostic.js";
import { isObject } from "../core/json.js";
import { limits } from "../core/limits.js";
import { type Address, isAddress, kindOf } from "../kinds/names.js";
import { specFromManifest } from "../kinds/normal-form.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";
import { checkManifest, checkStack } from "../manifest/checks/run-checks.js";
import type { LoadOptions } from "../manifest/load-options.js";
import { LoadRun } from "../manifest/load-run.js";
import type { Manifest } from "../manifest/manifest.js";
import type { ParsedManifest } from "../manifest/parsed-manifest.js";
import { readDocument, sourceFile } from "../manifest/read-document.js";
import { toManifest } from "../manifest/to-manifest.js";
import { deadReferences } from "../plan/dead-references.js";
import { plan } from "../plan/make-plan.js";
import type { PlanOptions } from "../plan/options.js";
import { planContext } from "../plan/plan-context.js";
import type { Change, Operation } from "../plan/plan-format.js";
import { parseFile } from "../yaml/parse-file.js";
import type { ParsedDocument } from "../yaml/parsed-file.js";
import type { ExportDocument } from "./export-document.js";
import { type RenderManifest, fileNameOf } from "./render-documents.js";

/** Why a manifest can't be exported as it is. */
export interface Objection {
  readonly address: Address;
  /** The field of the spec that it is about; null = the manifest as a whole. */
  readonly field: string | null;
  /** In words, without a full stop. */
  readonly why: string;
}

export interface CheckOptions {
  readonly format: "yaml" | "json";
  readonly render: RenderManifest;
  /** This stack, then the previous ones. */
  readonly stacks: readonly [string, ...string[]];
}

/**
 * What `validate` objects to in what an export is about to write; when it finds nothing, what the next plan would do beyond
 * adopting.
 */
export async function objectionsTo(
  documents: readonly ExportDocument[],
  live: Live,
  { format, render, stacks }: CheckOptions,
): Promise<readonly Objection[]> {
  const [stack, ...previousStacks] = stacks;
  const options = { ...loadOptions, stack };
  const run = new LoadRun(options);
  const objections: Objection[] = [];
  const parsed: ParsedManifest[] = [];
  for (const document of documents) {
    const text = render(document);
    const found = readBack(document, text, render);
    if ("objections" in found) {
      objections.push(...found.objections);
      continue;
    }
    const read = await readDocument(found.parsed, sourceFile(`${fileNameOf(document)}.${format}`, text), run);
    const object = (problem: Problem): void =>
      void objections.push(...objectionsIn({ ...problem, address: document.address }));
    for (const problem of read?.problems ?? []) object(problem);
    if (read?.manifest == null) continue;
    checkManifest(read.manifest, options, { add: object });
    parsed.push(read.manifest);
  }
  await checkStack(parsed, options, { add: (problem: Problem) => void objections.push(...objectionsIn(problem)) });
  if (objections.length > 0) return objections;
  const manifests = parsed.map((manifest) => toManifest(manifest, {}));
  return objectionsOfPlan(manifests, live, { ...planOptions, stack, previousStacks });
}

/** A manifest as YAML reads it; objections when that is not what was written. */
function readBack(
  { address, manifest }: ExportDocument,
  text: string,
  render: RenderManifest,
): { readonly parsed: ParsedDocument } | { readonly objections: readonly Objection[] } {
  const parsed = parseText(text);
  if (parsed !== null && same(parsed.value, manifest)) return { parsed };
  const spec = isObject(manifest["spec"]) ? manifest["spec"] : {};
  const wrong = Object.keys(spec).filter((field) => {
    const alone = { field: spec[field] };
    const rendered = render({ manifest: alone, leftOut: [] });
    const read = parseText(rendered);
    return read === null || !same(read.value, alone);
  });
  const why =
    Buffer.byteLength(text) > limits.fileBytes
      ? `a manifest has at most ${limits.fileBytes} bytes`
      : "YAML can't hold its value";
  const fields = wrong.length === 0 ? [null] : wrong;
  return { objections: fields.map((field) => ({ address, field, why })) };
}

function parseText(text: string): ParsedDocument | null {
  if (Buffer.byteLength(text) > limits.fileBytes) return null;
  const { documents, problems } = parseFile(text);
  return problems.length === 0 && documents.length === 1 ? (documents[0] ?? null) : null;
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function objectionsIn({ address, code, message, place }: Problem): readonly Objection[] {
  if (codes[code].severity !== "error" || typeof address !== "string" || !isAddress(address)) return [];
  const path = "path" in place ? place.path : [];
  const field = path[0] === "spec" && typeof path[1] === "string" ? path[1] : null;
  return [{ address, field, why: message }];
}

/** Manifests that name no file and no variable, and all of their stack. */
const loadOptions: Omit<LoadOptions, "stack"> = {
  tree: {
    root: "/",
    stat: async () => Promise.resolve(null),
    list: async () => Promise.resolve([]),
    identity: async (path) => Promise.resolve(path),
    read: async () => Promise.resolve(new Uint8Array()),
    readSecret: () => ({ available: false, reason: "an export reads no files" }),
  },
  patterns: [],
  patternBase: "/",
  variables: {},
  env: {},
  adopt: {},
  allowInlineSecrets: false,
  apiKeyFile: null,
  complete: true,
  deep: false,
};

/** All that is refused or changes more than the owner. Values that are unknown without their secrets count as unchanged. */
function objectionsOfPlan(manifests: readonly Manifest[], live: Live, options: PlanOptions): readonly Objection[] {
  const context = planContext(live, options);
  // Somebody has to know what a reference to something that is not live should be.
  const dead = manifests.flatMap(({ address, kind, spec }) =>
    deadReferences(kinds[kind], specFromManifest(kinds[kind], spec), context).map(({ path, target }) => ({
      address,
      field: path.split(".")[1] ?? null,
      why: `it refers to ${target}, which is not live`,
    })),
  );
  if (dead.length > 0) return dead;
  const { changes, operations, refusals } = plan(manifests, live, options);
  return [
    ...operations.flatMap(tooLarge),
    ...refusals.flatMap(({ address, message }) =>
      address === undefined ? [] : [{ address, field: null, why: message }],
    ),
    ...changes.flatMap(unexpected),
  ];
}

/** The marker may not fit beside metadata that the manifest ignores. */
function tooLarge({ address, body }: Operation): readonly Objection[] {
  if (!isObject(body)) return [];
  return kinds[kindOf(address)].fieldList.flatMap(({ field: { maxBytes = Infinity }, name: field }) => {
    const sent = body[field];
    const size = typeof sent === "string" ? Buffer.byteLength(sent) : 0;
    const why = `with the ownership marker, its ${field} would take ${size} bytes; the service accepts ${maxBytes}`;
    return size > maxBytes ? [{ address, field, why }] : [];
  });
}

function unexpected({ action, address, fields }: Change): readonly Objection[] {
  if (action !== "adopt" && action !== "update")
    return [{ address, field: null, why: `the next plan would ${action} it` }];
  return fields.flatMap(({ path, unavailable, unknown }) => {
    if (path === "metadata.marker" || unknown === true || (unavailable ?? []).length > 0) return [];
    return [{ address, field: path.split(".")[1] ?? null, why: "the next plan would change it" }];
  });
}

/** What is pruned or counted is no matter of what is exported. */
const planOptions: Omit<PlanOptions, "stack" | "previousStacks"> = {
  baseUrl: "",
  toolVersion: "",
  moduleEndpoints: [],
  prune: false,
  allow: [],
  maxDeletes: null,
  allowEmpty: true,
  takeOver: true,
  only: null,
  destroy: false,
  lookUp: false,
  // A rehearsal speaks of the plan as a whole, and adds nothing about a manifest.
  rehearse: false,
};
