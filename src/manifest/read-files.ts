import { resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { type Problem, atOffset } from "../diagnostics/diagnostic.js";
import { isObject } from "../core/json.js";
import { shellWord } from "../core/shell-word.js";
import { parseFile } from "../yaml/parse-file.js";
import type { ParsedDocument, ParsedFile } from "../yaml/parsed-file.js";
import { checkManifest } from "./checks/run-checks.js";
import type { FileText } from "./file-cache.js";
import { findFiles } from "./find-files.js";
import type { LoadRun } from "./load-run.js";
import type { ParsedManifest } from "./parsed-manifest.js";
import { type SourceFile, readDocument, sourceFile } from "./read-document.js";

/** The manifests of all files, and whether nothing is missing from the stack. */
export interface ReadFiles {
  readonly parsed: readonly ParsedManifest[];
  /** Whether these are all manifests of the stack: a file that can't be read may hold any name. */
  readonly complete: boolean;
}

/** Reads all manifests that the patterns match, and reports what is wrong with patterns, files and each manifest alone. */
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

/** Reads the files of one run. */
class FileReader {
  readonly parsed: ParsedManifest[] = [];
  complete = true;
  /** Files of which no document says that it is a manifest, with their problems if they had to be manifests. */
  readonly #others: { readonly file: string; readonly problems: readonly Problem[] }[] = [];

  constructor(private readonly run: LoadRun) {}

  /** Reads files until a limit is exceeded. Requests that are under way have their turn after each. */
  async readAll(files: readonly string[]): Promise<void> {
    for (const file of files) {
      await setImmediate();
      if (!(await this.#read(file, await this.run.files.text(file)))) return;
    }
  }

  /** @returns false when a limit is exceeded: then no more files are read */
  async #read(file: string, read: FileText): Promise<boolean> {
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
    const content = parseFile(text);
    const tooMany = budget.spend("documents", content.documents.length);
    if (tooMany !== null) return this.stop(file, tooMany);
    const source = sourceFile(file, text);
    if (content.documents.some(looksLikeManifest)) await this.#readManifests(source, content);
    else this.#others.push({ file, problems: await this.#problemsOf(source, content) });
    return true;
  }

  /** Reports an exceeded limit at a file. */
  stop(file: string, message: string): false {
    this.run.problems.add({ code: "input-too-large", message, place: { file, offset: 0 } });
    this.complete = false;
    return false;
  }

  async #readManifests(source: SourceFile, { documents, problems }: ParsedFile): Promise<void> {
    for (const problem of problems) this.run.problems.add(atOffset(problem, source.path));
    // A document that can't be read may define the very name that another manifest refers to.
    if (problems.length > 0) this.complete = false;
    if (documents.every(isConfiguration)) this.#refuseNamed(source.path);
    for (const document of documents) {
      const read = await readDocument(document, source, this.run);
      if (read === null) continue;
      for (const problem of read.problems) this.run.problems.add(problem);
      if (read.manifest === null) {
        this.complete = false;
        continue;
      }
      checkManifest(read.manifest, this.run.options, this.run.problems);
      this.parsed.push(read.manifest);
    }
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
