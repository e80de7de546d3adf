import { setImmediate } from "node:timers/promises";
import type { Diagnostic, Problem } from "../diagnostics/diagnostic.js";
import { LineIndex } from "../diagnostics/line-index.js";
import { Problems } from "../diagnostics/problems.js";
import { isObject } from "../json.js";
import { kindNames } from "../kinds/names.js";
import { parseInSteps } from "../yaml/parse-file.js";
import type { ParsedDocument, ParsedFile } from "../yaml/parsed-file.js";
import { checkManifest, checkStack } from "./checks/run-checks.js";
import { FileCache, ReadBudget } from "./file-cache.js";
import { findFiles } from "./find-files.js";
import type { LoadOptions } from "./load-options.js";
import type { Manifest } from "./manifest.js";
import type { ParsedManifest } from "./parsed-manifest.js";
import { readDocument } from "./read-document.js";
import type { LoadContext } from "./resolve-spec.js";
import { ApiKeys, NamedSecrets } from "./secret-fields.js";
import { toManifest } from "./to-manifest.js";

export type { LoadOptions } from "./load-options.js";

/** How many documents are checked in one go, a millisecond of work: requests that are under way want to be answered. */
const documentsAtATime = 20;

/** After how many documents without a mistake the caller is told that it takes a while. */
const documentsBeforeOnMany = 250;

/** What was read: manifests that are sound, and everything that is wrong. Any error means that nothing may be planned. */
export interface LoadedManifests {
  /** Sorted by kind (the order of `kindNames`), then by name. */
  readonly manifests: readonly Manifest[];
  /** Sorted by file, line and column; a thousand of each severity at most, the rest counted. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads and checks manifests: patterns, YAML, variables, schemas, files and secrets, then everything that a schema
 * can't see. All problems of all files are found in one run; none of them is thrown.
 * @throws EdgewiseError only when the file tree as a whole can't be read
 */
export async function loadManifests(options: LoadOptions): Promise<LoadedManifests> {
  const problems = new Problems();
  const texts = new Map<string, string>();
  const apiKeys = new ApiKeys(options);
  const { secrecy } = options;
  const cache = new FileCache(
    options.tree,
    options.apiKeyFile,
    (text) => apiKeys.isIn(text),
    (text) => secrecy?.reveal(text),
  );
  const budget = new ReadBudget();
  const loading: LoadContext = { options, files: cache, apiKeys, secrets: new NamedSecrets(secrecy), budget };
  const found = await findFiles(options.tree, options.patterns, options.patternBase);
  for (const { pattern, ...problem } of found.problems)
    problems.add({ ...problem, place: { file: pattern, offset: 0 } });

  let documents = 0;
  const subjects: { readonly subject: ParsedManifest; readonly line: number }[] = [];
  let complete = options.complete && found.problems.length === 0;
  const plain: { readonly file: string; readonly problems: readonly Problem[] }[] = [];
  const tooMany = budget.spend("manifestFiles", found.files.length);
  const files = tooMany === null ? found.files : [];
  const stop = (file: string, message: string): void => {
    problems.add({ code: "input-too-large", message, place: { file, offset: 0 } });
    complete = false;
  };
  if (tooMany !== null) stop(found.files[0] ?? "", tooMany);
  await options.tree.prepare?.(files);
  for (const file of files) {
    secrecy?.name(file);
    const read = await cache.text(file);
    if ("problem" in read) {
      const { message, reason, remedy } = read.problem;
      problems.add({ code: reason, message, ...(remedy === null ? {} : { remedy }), place: { file, offset: 0 } });
      complete = false;
      continue;
    }
    const tooLong = budget.spend("manifestBytes", Buffer.byteLength(read.text));
    if (tooLong !== null) {
      stop(file, tooLong);
      break;
    }
    texts.set(file, read.text);
    const lines = new LineIndex(read.text);
    const parsed = await runWithPauses(parseInSteps(read.text));
    const tooManyDocuments = budget.spend("documents", parsed.documents.length);
    if (tooManyDocuments !== null) {
      stop(file, tooManyDocuments);
      break;
    }
    if (!parsed.documents.some(looksLikeManifest)) {
      plain.push({ file, problems: await problemsOf(parsed, file, loading) });
      continue;
    }
    for (const { offset, ...problem } of parsed.problems) problems.add({ ...problem, place: { file, offset } });
    // What could not be read may hold the very name that somebody refers to.
    if (parsed.problems.length > 0) complete = false;
    for (const [index, document] of parsed.documents.entries()) {
      if (index % documentsAtATime === documentsAtATime - 1) await setImmediate();
      documents += 1;
      if (documents === documentsBeforeOnMany && problems.total === 0) options.onMany?.();
      const result = await readDocument(document, file, loading);
      for (const problem of result?.problems ?? []) {
        problems.add(problem);
        if (!texts.has(problem.place.file)) await addText(texts, problem.place.file, cache);
      }
      if (result === null) continue;
      if (result.manifest !== null) secrecy?.name(result.manifest.address);
      if (result.manifest === null) complete = false;
      else subjects.push({ subject: result.manifest, line: lines.position(document.content).line });
    }
  }

  for (const { file, problems: wrong } of plain) {
    // A policy that lies beside the manifest that names it is no manifest.
    if (wrong.length === 0 || cache.isContent(file)) continue;
    for (const problem of wrong) problems.add(problem);
    complete = false;
  }

  const all = subjects.map(({ subject }) => subject);
  for (const [index, subject] of all.entries()) {
    if (index % documentsAtATime === documentsAtATime - 1) await setImmediate();
    checkManifest(subject, options, problems);
  }
  await runWithPauses(checkStack(all, { ...options, complete }, problems));
  const manifests: Manifest[] = [];
  for (const [index, { line, subject }] of subjects.entries()) {
    if (index % documentsAtATime === documentsAtATime - 1) await setImmediate();
    if (subject.sound) manifests.push(toManifest(subject, line, options.adopt[subject.address]));
  }
  manifests.sort(byKindAndName);
  return { manifests, diagnostics: problems.diagnostics(texts) };
}

/** Runs something that pauses now and then, and lets requests that are under way be answered meanwhile. */
async function runWithPauses<T>(steps: Generator<undefined, T>): Promise<T> {
  let step = steps.next();
  while (step.done !== true) {
    await setImmediate();
    step = steps.next();
  }
  return step.value;
}

/** Whether a document means to be a manifest. */
function looksLikeManifest({ value }: ParsedDocument): boolean {
  return isObject(value) && ("kind" in value || "apiVersion" in value);
}

/** What is wrong with a file of which no document says what it is, if it is to hold manifests. */
async function problemsOf(parsed: ParsedFile, file: string, loading: LoadContext): Promise<readonly Problem[]> {
  const problems: Problem[] = parsed.problems.map(({ offset, ...problem }) => ({
    ...problem,
    place: { file, offset },
  }));
  for (const document of parsed.documents)
    problems.push(...((await readDocument(document, file, loading))?.problems ?? []));
  return problems;
}

async function addText(texts: Map<string, string>, file: string, cache: FileCache): Promise<void> {
  const read = await cache.text(file);
  texts.set(file, "text" in read ? read.text : "");
}

function byKindAndName(a: Manifest, b: Manifest): number {
  return kindNames.indexOf(a.kind) - kindNames.indexOf(b.kind) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}
