import { setImmediate } from "node:timers/promises";
import { codes } from "../diagnostics/codes.js";
import type { Problem } from "../diagnostics/diagnostic.js";
import { isObject } from "../core/json.js";
import { isAddress } from "../kinds/names.js";
import { limits } from "../core/limits.js";
import { checkManifest, checkStack } from "../manifest/checks/run-checks.js";
import type { FileTree } from "../manifest/file-tree.js";
import type { LoadOptions } from "../manifest/load-options.js";
import { LoadRun } from "../manifest/load-run.js";
import type { Manifest } from "../manifest/manifest.js";
import type { ParsedManifest } from "../manifest/parsed-manifest.js";
import { readDocument, sourceFile } from "../manifest/read-document.js";
import { toManifest } from "../manifest/to-manifest.js";
import { parseFile } from "../yaml/parse-file.js";
import type { ParsedDocument } from "../yaml/parsed-file.js";
import type { ExportDocument } from "./export-document.js";
import type { Objection } from "./leave-out.js";
import { type RenderManifest, fileNameOf } from "./render-documents.js";

export interface CheckOptions {
  readonly format: "yaml" | "json";
  readonly render: RenderManifest;
  /** For the size of the metadata with its marker. */
  readonly stack: string;
}

/** The manifests as `validate` reads them from their text, and the errors that it would report. */
export interface CheckedDocuments {
  readonly objections: readonly Objection[];
  /** Complete when there is no objection. */
  readonly manifests: readonly Manifest[];
}

/** A manifest that was read back, null when it can't be, and the objections to it alone. */
interface CheckedDocument {
  readonly manifest: ParsedManifest | null;
  readonly objections: readonly Objection[];
}

/**
 * Makes the very checks of `validate` over what an export is about to write: renders every manifest, reads its text, and
 * runs the schemas and all rules. A manifest that stays the same from one call to the next is read once.
 */
export class ManifestChecks {
  readonly #format: CheckOptions["format"];
  readonly #render: RenderManifest;
  readonly #options: LoadOptions;
  readonly #run: LoadRun;
  /** By text, those of the last call. */
  #known: ReadonlyMap<string, CheckedDocument> = new Map();

  constructor({ format, render, stack }: CheckOptions) {
    this.#format = format;
    this.#render = render;
    this.#options = loadOptions(stack);
    this.#run = new LoadRun(this.#options);
  }

  async check(documents: readonly ExportDocument[]): Promise<CheckedDocuments> {
    const checked = new Map<string, CheckedDocument>();
    for (const document of documents) {
      await setImmediate();
      const text = this.#render(document);
      checked.set(text, this.#known.get(text) ?? (await this.#checkAlone(document, text)));
    }
    this.#known = checked;
    const objections = [...checked.values()].flatMap((each) => each.objections);
    const parsed = [...checked.values()].flatMap(({ manifest }) => manifest ?? []);
    const problems = { add: (problem: Problem): void => void objections.push(...objectionsIn(problem)) };
    await checkStack(parsed, this.#options, problems);
    return { objections, manifests: parsed.map((manifest) => toManifest(manifest, {})) };
  }

  async #checkAlone(document: ExportDocument, text: string): Promise<CheckedDocument> {
    const found = readBack(document, text, this.#render);
    if ("objections" in found) return { manifest: null, objections: found.objections };
    const source = sourceFile(`${fileNameOf(document)}.${this.#format}`, text);
    const read = await readDocument(found.parsed, source, this.#run);
    const manifest = read?.manifest ?? null;
    const objections = (read?.problems ?? []).flatMap((problem) =>
      objectionsIn({ ...problem, address: document.address }),
    );
    const problems = { add: (problem: Problem): void => void objections.push(...objectionsIn(problem)) };
    if (manifest !== null) checkManifest(manifest, this.#options, problems);
    return { manifest, objections };
  }
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
function loadOptions(stack: string): LoadOptions {
  return {
    tree: noFiles,
    patterns: [],
    patternBase: noFiles.root,
    variables: {},
    env: {},
    adopt: {},
    stack,
    allowInlineSecrets: false,
    apiKeyFile: null,
    complete: true,
    deep: false,
  };
}

const noFiles: FileTree = {
  root: "/",
  stat: async () => Promise.resolve(null),
  list: async () => Promise.resolve([]),
  identity: async (path) => Promise.resolve(path),
  read: async () => Promise.resolve(new Uint8Array()),
  readSecret: () => ({ available: false, reason: "an export reads no files" }),
};
