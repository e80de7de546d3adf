import { resolve } from "node:path";
import { type Problem, atOffset } from "../diagnostics/diagnostic.js";
import { isObject } from "../json.js";
import { shellWord } from "../shell-word.js";
import { parseInSteps } from "../yaml/parse-file.js";
import type { ParsedDocument, ParsedFile } from "../yaml/parsed-file.js";
import type { FileText } from "./file-cache.js";
import { findFiles } from "./find-files.js";
import { type LoadRun, forEachWithPauses, pauseWhenDue, runWithPauses } from "./load-run.js";
import type { ParsedManifest } from "./parsed-manifest.js";
import { type ReadDocument, type SourceFile, readDocument, sourceFile } from "./read-document.js";

/** The manifests of all files, and whether nothing is missing from the stack. */
export interface ReadFiles {
  readonly parsed: readonly ParsedManifest[];
  /** Whether these are all manifests of the stack: a file that can't be read may hold any name. */
  readonly complete: boolean;
}

/** Reads all manifests that the patterns match, and reports what is wrong with patterns, files and documents. */
export async function readFiles(run: LoadRun): Promise<ReadFiles> {
  const { budget, options, problems } = run;
  const found = await findFiles(options.tree, options.patterns, options.patternBase, options.patternFlag);
  for (const { index, pattern, ...problem } of found.problems) {
    const written = options.hints?.patternPlace(index) ?? null;
    if (written !== null) run.texts.set(written.place.file, written.text);
    problems.add({ ...problem, place: written?.place ?? { file: pattern, offset: 0 } });
  }

  const reader = new FileReader(run);
  const excess = budget.spend("manifestFiles", found.files.length);
  if (excess !== null) reader.stop(found.files[0] ?? "", excess);
  else {
    await options.tree.prepare?.(found.files);
    await reader.readAll(found.files);
  }
  reader.reportOtherFiles();
  const complete = options.complete && found.problems.length === 0 && reader.complete;
  return { parsed: reader.parsed, complete };
}

/** Reads the files of one run, one after the other. */
class FileReader {
  readonly parsed: ParsedManifest[] = [];
  complete = true;
  /** Files of which no document says that it is a manifest, with their problems if they had to be manifests. */
  readonly #others: { readonly file: string; readonly problems: readonly Problem[] }[] = [];

  constructor(private readonly run: LoadRun) {}

  /** Reads files until a limit is exceeded. */
  async readAll(files: readonly string[]): Promise<void> {
    for (const file of files) {
      // A small file has no pause of its own, not even while it is read.
      const pause = pauseWhenDue();
      if (pause !== undefined) await pause;
      const read = this.run.files.text(file);
      const isWithin = this.#read(file, read instanceof Promise ? await read : read);
      if (!(isWithin instanceof Promise ? await isWithin : isWithin)) return;
    }
  }

  /** @returns false when a limit is exceeded: then no more files are read. A promise only when there is something to wait for. */
  #read(file: string, read: FileText): boolean | Promise<boolean> {
    const { budget, problems, texts } = this.run;
    if ("problem" in read) {
      problems.add({ ...read.problem.toProblem(), place: { file, offset: 0 } });
      this.complete = false;
      return true;
    }
    const { text } = read;
    const tooLong = budget.spend("manifestBytes", Buffer.byteLength(text));
    if (tooLong !== null) return this.stop(file, tooLong);
    texts.set(file, text);
    const content = runWithPauses(parseInSteps(text));
    return content instanceof Promise
      ? content.then((parsed) => this.#readContent(file, text, parsed))
      : this.#readContent(file, text, content);
  }

  #readContent(file: string, text: string, content: ParsedFile): boolean | Promise<boolean> {
    const tooMany = this.run.budget.spend("documents", content.documents.length);
    if (tooMany !== null) return this.stop(file, tooMany);
    const source = sourceFile(file, text);
    if (content.documents.some(looksLikeManifest)) {
      const pending = this.#readManifests(source, content);
      return pending === undefined ? true : pending.then(() => true);
    }
    return this.#problemsOf(source, content).then((found) => {
      this.#others.push({ file, problems: found });
      return true;
    });
  }

  /** Reports an exceeded limit at a file. */
  stop(file: string, message: string): false {
    this.run.problems.add({ code: "input-too-large", message, place: { file, offset: 0 } });
    this.complete = false;
    return false;
  }

  /** @returns a promise only when there is something to wait for */
  #readManifests(source: SourceFile, { documents, problems }: ParsedFile): Promise<void> | undefined {
    for (const problem of problems) this.run.problems.add(atOffset(problem, source.path));
    // A document that can't be read may define the very name that another manifest refers to.
    if (problems.length > 0) this.complete = false;
    if (documents.every(isConfiguration)) this.#refuseNamed(source.path);
    const visit = (document: ParsedDocument): Promise<void> | undefined => {
      const read = readDocument(document, source, this.run);
      return read instanceof Promise ? read.then((result) => this.#take(result)) : this.#take(read);
    };
    const [first] = documents;
    return documents.length === 1 && first !== undefined ? visit(first) : forEachWithPauses(documents, visit);
  }

  /** A configuration in a directory of manifests is fine; one that is named as a manifest is a mistake. */
  #refuseNamed(file: string): void {
    const { options, problems } = this.run;
    const path = resolve(options.tree.root, file);
    const named = options.patterns.find((pattern) => resolve(options.patternBase, pattern) === path);
    if (options.complete || named === undefined) return;
    const message = "this is a configuration, not a manifest";
    const remedy = `Name it with -c instead: -c ${shellWord(named)}.`;
    problems.add({ code: "unknown-kind", message, remedy, place: { file, offset: 0 } });
    this.complete = false;
  }

  #take(result: ReadDocument | null): undefined {
    const { problems } = this.run;
    if (result === null) return;
    for (const problem of result.problems) problems.add(problem);
    if (result.manifest === null) this.complete = false;
    else this.parsed.push(result.manifest);
  }

  async #problemsOf(source: SourceFile, { documents, problems }: ParsedFile): Promise<readonly Problem[]> {
    const found: Problem[] = problems.map((problem) => atOffset(problem, source.path));
    for (const document of documents) found.push(...((await readDocument(document, source, this.run))?.problems ?? []));
    return found;
  }

  /** A file without manifests is fine when a manifest names it, like a policy; otherwise it has to be a manifest. */
  reportOtherFiles(): void {
    for (const { file, problems } of this.#others) {
      if (problems.length === 0 || this.run.files.isContent(file)) continue;
      for (const problem of problems) this.run.problems.add(problem);
      this.complete = false;
    }
  }
}

function isConfiguration({ value }: ParsedDocument): boolean {
  return isObject(value) && value["kind"] === "Config";
}

/** Whether a document is meant to be a manifest. */
function looksLikeManifest({ value }: ParsedDocument): boolean {
  return isObject(value) && ("kind" in value || "apiVersion" in value);
}
