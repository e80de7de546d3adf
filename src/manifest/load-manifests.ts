import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { compareManifests } from "../kinds/names.js";
import { checkStack } from "./checks/run-checks.js";
import { trackedSecrets } from "./checks/secret-rules.js";
import type { LoadOptions } from "./load-options.js";
import { LoadRun } from "./load-run.js";
import type { Manifest } from "./manifest.js";
import { adoptedId } from "./parsed-manifest.js";
import { readFiles } from "./read-files.js";
import { toManifest } from "./to-manifest.js";

/** The valid manifests, and every problem. With any error, nothing may be planned. */
export interface LoadedManifests {
  /** Sorted by kind (the order of `kindNames`), then by name. */
  readonly manifests: readonly Manifest[];
  /** Sorted by file, line and column; at most a thousand of each severity, the rest is counted. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads and checks manifests: patterns, YAML, variables, schemas, files and secrets, then the rules that no schema can
 * state. Finds all problems of all files in one run, and throws none of them.
 * @throws EdgewiseError only when the file tree as a whole can't be read
 */
export async function loadManifests(options: LoadOptions): Promise<LoadedManifests> {
  const run = new LoadRun(options);
  const { complete, parsed } = await readFiles(run);
  const tracked = await trackedSecrets(parsed, options);
  await checkStack(parsed, { ...options, complete, tracked }, run.problems);
  await run.keepTexts();
  const manifests = parsed
    .filter(({ valid }) => valid)
    .map((manifest) => toManifest(manifest, adoptedId(options.adopt, manifest.address)));
  return { manifests: manifests.sort(compareManifests), diagnostics: run.problems.diagnostics(run.texts) };
}
