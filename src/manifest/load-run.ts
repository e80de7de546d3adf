import { setImmediate } from "node:timers/promises";
import { Problems } from "../diagnostics/problems.js";
import { FileCache } from "./file-cache.js";
import { ApiKeys, NamedSecrets } from "./known-secrets.js";
import type { LoadOptions } from "./load-options.js";
import type { ReportProblem } from "./parsed-manifest.js";
import { ReadBudget } from "./read-budget.js";

/** What all files and documents of one load share. */
export class LoadRun {
  readonly problems = new Problems();
  /** The text of every file that may have a problem, for excerpts. */
  readonly texts = new Map<string, string>();
  readonly budget = new ReadBudget();
  readonly apiKeys: ApiKeys;
  readonly secrets: NamedSecrets;
  readonly files: FileCache;
  /** How many files that manifests name were not there. */
  missingFiles = 0;

  constructor(readonly options: LoadOptions) {
    const { apiKeyFile, redactor, tree } = options;
    this.apiKeys = new ApiKeys(options);
    this.secrets = new NamedSecrets(redactor);
    this.files = new FileCache({
      tree,
      apiKeyFile,
      holdsApiKey: (text) => this.apiKeys.isIn(text),
    });
  }

  /** Keeps the texts of the files that manifests name, when problems in them are to be shown. */
  async keepTexts(): Promise<void> {
    for (const file of this.problems.files) {
      if (this.texts.has(file) || !this.files.isContent(file)) continue;
      const read = await this.files.text(file);
      this.texts.set(file, "text" in read ? read.text : "");
    }
  }
}

/** The manifest whose spec is being resolved. */
export interface SpecContext {
  readonly run: LoadRun;
  /** The manifest's file, relative to the root. */
  readonly file: string;
  readonly report: ReportProblem;
}

/** How long the event loop may wait for its turn, in milliseconds. Requests that are under way wait as long. */
const msBetweenPauses = 1;

let lastPause = 0;

/** Whether the event loop has waited long enough. By the clock, because the first documents take ten times as long. */
function isTimeToPause(): boolean {
  return performance.now() - lastPause > msBetweenPauses;
}

/** Lets the event loop serve requests that are under way, if it has waited long enough. */
export function pauseWhenDue(): Promise<void> | undefined {
  return isTimeToPause() ? pause() : undefined;
}

async function pause(): Promise<void> {
  await setImmediate();
  lastPause = performance.now();
}

/**
 * Calls `visit` for each item, with pauses in which the event loop can serve requests that are under way.
 * @param together so many items are visited without a pause
 */
export async function forEachWithPauses<T>(
  items: readonly T[],
  visit: (item: T) => Promise<void> | void,
  together = 1,
): Promise<void> {
  let visited = 0;
  for (const item of items) {
    if (visited++ % together === 0 && isTimeToPause()) await pause();
    const pending = visit(item);
    if (pending !== undefined) await pending;
  }
}

/**
 * Runs a generator to its end, with pauses for the event loop between its steps.
 * @returns a promise only when there is a pause
 */
export function runWithPauses<T>(steps: Generator<undefined, T>): T | Promise<T> {
  let step = steps.next();
  while (step.done !== true && !isTimeToPause()) step = steps.next();
  return step.done === true ? step.value : endWithPauses(steps);
}

async function endWithPauses<T>(steps: Generator<undefined, T>): Promise<T> {
  for (;;) {
    if (isTimeToPause()) await pause();
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
