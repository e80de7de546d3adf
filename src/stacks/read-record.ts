import type { Config } from "../config/config.js";
import type { FileTree } from "../manifest/file-tree.js";
import { loadManifests } from "../manifest/load-manifests.js";
import { createHash } from "node:crypto";

export interface ReadRecord {
  /** Checksums of manifests and content files, by their path from the root. */
  readonly files: ReadonlyMap<string, string>;
  /** The absolute paths of secret files, which are not read. */
  readonly secrets: ReadonlySet<string>;
  /** Whether these are all: a manifest with an error may name more. */
  readonly complete: boolean;
}

export async function recordReads(
  tree: FileTree,
  config: Config,
  env: { readonly [name: string]: string | undefined },
): Promise<ReadRecord> {
  const files = new Map<string, string>();
  const secrets = new Set<string>();
  const recording: FileTree = {
    root: tree.root,
    stat: async (path) => tree.stat(path),
    list: async (directory) => tree.list(directory),
    identity: async (path) => tree.identity(path),
    read: async (path) => {
      const bytes = await tree.read(path);
      files.set(path, createHash("sha256").update(bytes).digest("hex"));
      return bytes;
    },
    readSecret: () => ({ available: false, reason: "only what changed is looked for" }),
    // Asked for every secret file that a manifest names.
    secretAccess: (path) => {
      secrets.add(path);
      return { error: null, warning: null };
    },
  };
  const { diagnostics } = await loadManifests({
    tree: recording,
    patterns: config.patterns,
    patternBase: config.patternBase,
    variables: config.variables,
    untyped: config.untyped,
    env,
    adopt: config.adopt,
    stack: config.stack,
    allowInlineSecrets: true,
    apiKeyFile: null,
    complete: false,
    deep: false,
    plansUnavailable: true,
  });
  // A pattern that matches nothing names nothing.
  const errors = diagnostics.filter(({ severity, code }) => severity === "error" && code !== "pattern-no-match");
  return { files, secrets, complete: errors.length === 0 };
}
