import { resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { isObject } from "../core/json.js";
import { shellWord } from "../core/shell-word.js";
import { type Diagnostic, type Problem, atOffset } from "../diagnostics/diagnostic.js";
import { LineIndex } from "../diagnostics/line-index.js";
import { compareManifests } from "../kinds/names.js";
import { parseFile } from "../yaml/parse-file.js";
import type { ParsedDocument } from "../yaml/parsed-file.js";
import { checkManifest, checkStack } from "./checks/run-checks.js";
import { trackedSecrets } from "./checks/secret-rules.js";
import { findFiles } from "./find-files.js";
import { type LoadOptions, LoadRun } from "./load-run.js";
import { type Manifest, type ParsedManifest, toManifest } from "./manifest.js";
import { type ReadDocument, readDocument } from "./read-document.js";

/** The valid manifests, and every problem. With any error, nothing may be planned. */
export interface LoadedManifests {
  readonly manifests: readonly Manifest[];
  /** At most a thousand of each severity, the rest is counted. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Finds all problems of all files in one run, and throws none of them. */
export async function loadManifests(options: LoadOptions): Promise<LoadedManifests> {
  const run = new LoadRun(options);
  const reader = new FileReader(run);
  await reader.readAll();
  const { complete, parsed } = reader;
  const tracked = await trackedSecrets(parsed, options);
  await checkStack(parsed, { ...options, complete, tracked }, run.problems);
  await run.keepTexts();
  const manifests = parsed.filter(({ valid }) => valid).map(toManifest);
  return { manifests: manifests.sort(compareManifests), diagnostics: run.problems.diagnostics(run.texts) };
}

class FileReader {
  readonly parsed: ParsedManifest[] = [];
  /** Whether these are all manifests of the stack: a file that can't be read may hold any name. */
  complete: boolean;
  /** The problems of files of which no document says that it is a manifest. */
  readonly #others = new Map<string, readonly Problem[]>();

  constructor(private readonly run: LoadRun) {
    this.complete = run.options.complete;
  }

  async readAll(): Promise<void> {
    const { patternBase, patternFlag, patternPlace, patterns, tree } = this.run.options;
    const { files, problems } = await findFiles(tree, patterns, patternBase, patternFlag);
    for (const { index, pattern, ...problem } of problems) {
      const written = patternPlace?.(index) ?? null;
      if (written !== null) this.run.texts.set(written.place.file, written.text);
      this.#fail({ ...problem, place: written?.place ?? { file: pattern, offset: 0 } });
    }
    if (this.#isWithin("manifestFiles", files.length, files[0] ?? "")) {
      for (const file of files) {
        // Requests that are under way have their turn.
        await setImmediate();
        if (!(await this.#read(file))) break;
      }
    }
    // A file without manifests is fine when a manifest names it, like a policy; otherwise it has to be a manifest.
    for (const [file, found] of this.#others)
      if (!this.run.contents.has(file)) for (const problem of found) this.#fail(problem);
  }

  /** For a problem for which a manifest may be missing. */
  #fail(problem: Problem): void {
    this.run.problems.add(problem);
    this.complete = false;
  }

  #isWithin(item: "manifestFiles" | "manifestBytes" | "documents", count: number, file: string): boolean {
    const message = this.run.spend(item, count);
    if (message !== null) this.#fail({ code: "input-too-large", message, place: { file, offset: 0 } });
    return message === null;
  }

  /** False when a limit is exceeded: then no more files are read. */
  async #read(file: string): Promise<boolean> {
    const { run } = this;
    const read = await run.text(file);
    if ("problem" in read) {
      this.#fail({ ...read.problem.toProblem(), place: { file, offset: 0 } });
      return true;
    }
    const { text } = read;
    if (!this.#isWithin("manifestBytes", Buffer.byteLength(text), file)) return false;
    run.texts.set(file, text);
    const { documents, problems } = parseFile(text);
    if (!this.#isWithin("documents", documents.length, file)) return false;
    const inText = problems.map((problem) => atOffset(problem, file));
    const isManifests = documents.some(looksLikeManifest);
    if (isManifests && documents.every(isConfiguration)) this.#refuseNamed(file);
    const lines = new LineIndex(text);
    const found: ReadDocument[] = [];
    for (const document of documents)
      if (!isConfiguration(document)) found.push(await readDocument(document, file, lines, run));
    if (!isManifests) {
      this.#others.set(file, [...inText, ...found.flatMap((each) => each.problems)]);
      return true;
    }
    for (const problem of inText) this.#fail(problem);
    for (const each of found) {
      for (const problem of each.problems) run.problems.add(problem);
      if (each.manifest === null) this.complete = false;
      else {
        checkManifest(each.manifest, run.options, run.problems);
        this.parsed.push(each.manifest);
      }
    }
    return true;
  }

  /** A configuration in a directory of manifests is fine; one that is named as a manifest is a mistake. */
  #refuseNamed(file: string): void {
    const { complete, patternBase, patterns, tree } = this.run.options;
    const path = resolve(tree.root, file);
    const named = patterns.find((pattern) => resolve(patternBase, pattern) === path);
    if (complete || named === undefined) return;
    const message = "this is a configuration, not a manifest";
    const remedy = `Name it with -c instead: -c ${shellWord(named)}.`;
    this.#fail({ code: "unknown-kind", message, remedy, place: { file, offset: 0 } });
  }
}

function isConfiguration({ value }: ParsedDocument): boolean {
  return isObject(value) && value["kind"] === "Config";
}

function looksLikeManifest({ value }: ParsedDocument): boolean {
  return isObject(value) && ("kind" in value || "apiVersion" in value);
}
