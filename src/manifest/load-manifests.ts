import { resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { isObject } from "../core/json.js";
import { type Diagnostic, type Problem, atOffset } from "../diagnostics/diagnostic.js";
import { LineIndex } from "../diagnostics/line-index.js";
import { compareManifests } from "../kinds/names.js";
import { parseFile } from "../yaml/parse-file.js";
import type { ParsedDocument } from "../yaml/parsed-file.js";
import { checkManifest, checkStack } from "./checks/run-checks.js";
import { findFiles } from "./find-files.js";
import { type LoadOptions, LoadRun } from "./load-run.js";
import { type Manifest, type ParsedManifest, toManifest } from "./manifest.js";
import { type ReadDocument, readDocument } from "./read-document.js";

export type LoadedManifests = Readonly<{
  manifests: readonly Manifest[];
  diagnostics: readonly Diagnostic[];
}>;

export async function loadManifests(options: LoadOptions): Promise<LoadedManifests> {
  const run = new LoadRun(options);
  const parsed: ParsedManifest[] = [];
  let { complete } = options;
  /** A file that can't be read may hold any name. */
  const fail = (problem: Problem): void => {
    run.problems.add(problem);
    complete = false;
  };

  const { patternBase, patternPlace, patterns, tree } = options;
  const { files, problems } = await findFiles(tree, patterns, patternBase);
  const settings = new Map<string, string>();
  for (const { index, pattern, ...problem } of problems) {
    const written = patternPlace?.(index) ?? null;
    if (written !== null) settings.set(written.place.file, written.text);
    fail({ ...problem, place: written?.place ?? { file: pattern, offset: 0 } });
  }
  const others = new Map<string, readonly Problem[]>();
  for (const file of files) {
    // Requests under way have their turn.
    await setImmediate();
    const read = await run.text(file);
    if ("problem" in read) {
      fail({ ...read.problem.toProblem(), place: { file, offset: 0 } });
      continue;
    }
    const { text } = read;
    const { documents, problems: ofText } = parseFile(text);
    // A document takes more memory than its text.
    const excess = run.spend(Buffer.byteLength(text) + 500 * documents.length);
    if (excess !== null) {
      fail({ ...excess, place: { file, offset: 0 } });
      break;
    }
    const inText = ofText.map((problem) => atOffset(problem, file));
    const lines = new LineIndex(text);
    const found: ReadDocument[] = [];
    for (const document of documents)
      if (!isConfiguration(document)) found.push(await readDocument(document, file, lines, run));
    if (!documents.some(({ value }) => isObject(value) && ("kind" in value || "apiVersion" in value))) {
      others.set(file, [...inText, ...found.flatMap((each) => each.problems)]);
      continue;
    }
    const isNamed = patterns.some((pattern) => resolve(patternBase, pattern) === resolve(tree.root, file));
    if (isNamed && !options.complete && documents.every(isConfiguration)) {
      const message = "this is a configuration, not a manifest";
      fail({ code: "unknown-kind", message, remedy: "Name it with -c instead.", place: { file, offset: 0 } });
    }
    for (const problem of inText) fail(problem);
    for (const { manifest, problems: own } of found) {
      for (const problem of own) run.problems.add(problem);
      if (manifest === null) complete = false;
      else {
        checkManifest(manifest, options, run.problems);
        parsed.push(manifest);
      }
    }
  }
  // Fine when a manifest names it, like a policy.
  for (const [file, found] of others) if (!run.contents.has(file)) for (const problem of found) fail(problem);

  await checkStack(parsed, { ...options, complete }, run.problems);
  const manifests = parsed.filter(({ valid }) => valid).map(toManifest);
  return { manifests: manifests.sort(compareManifests), diagnostics: await run.diagnostics(settings) };
}

function isConfiguration({ value }: ParsedDocument): boolean {
  return isObject(value) && value["kind"] === "Config";
}
