import { resolve } from "node:path";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { diskTree } from "../manifest/disk-tree.js";
import { loadManifests as load } from "../manifest/load-manifests.js";
import type { LoadOptions } from "../manifest/load-options.js";
import type { Manifest } from "../manifest/manifest.js";

/** What to load; everything but the first two has a default. */
export interface LoadManifestsOptions extends Partial<Omit<LoadOptions, "tree" | "patterns" | "patternBase">> {
  /** The directory that patterns and files are relative to and confined in. */
  readonly root: string;
  /** Files, directories and globs. */
  readonly patterns: readonly string[];
}

/**
 * Reads, checks and resolves manifests. Any diagnostic of severity `error` means that `manifests` is not to be used.
 * Process variables are read only from `env`, which is empty unless given.
 */
export async function loadManifests(
  options: LoadManifestsOptions,
): Promise<{ readonly manifests: readonly Manifest[]; readonly diagnostics: readonly Diagnostic[] }> {
  const { root, ...rest } = options;
  return load({
    tree: diskTree(resolve(root)),
    patternBase: resolve(root),
    variables: {},
    env: {},
    adopt: {},
    stack: null,
    allowInlineSecrets: false,
    apiKeyFile: null,
    complete: true,
    deep: false,
    ...rest,
  });
}
