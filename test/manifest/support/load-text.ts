import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type FileTree, FileProblem, diskTree } from "../../../src/manifest/file-tree.ts";
import { loadManifests, type LoadedManifests } from "../../../src/manifest/load-manifests.ts";
import type { LoadOptions } from "../../../src/manifest/load-run.ts";

/** Files by path; a path that ends in `/` is an empty directory. */
export interface Files {
  readonly [path: string]: string | Uint8Array;
}

export async function withFiles<T>(files: Files, use: (root: string) => Promise<T>): Promise<T> {
  const root = await mkdtemp(join(tmpdir(), "edgewise-manifest-"));
  try {
    for (const [path, content] of Object.entries(files)) {
      if (path.endsWith("/")) {
        await mkdir(join(root, path), { recursive: true });
        continue;
      }
      await mkdir(dirname(join(root, path)), { recursive: true });
      // For their owner only: a secret that others can read is a warning of its own.
      await writeFile(join(root, path), content, { mode: 0o600 });
    }
    return await use(root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

export function memoryTree(files: { readonly [path: string]: string }): FileTree {
  const paths = Object.keys(files).toSorted();
  return {
    root: "/root",
    stat: async (path) => {
      if (Object.hasOwn(files, path)) return "file";
      return path === "" || paths.some((file) => file.startsWith(`${path}/`)) ? "directory" : null;
    },
    list: async (directory) => paths.filter((path) => directory === "" || path.startsWith(`${directory}/`)),
    identity: async (path) => path,
    read: async (path) => {
      const text = files[path];
      if (text === undefined) throw new FileProblem("file-missing", `there is no file "${path}"`);
      return new TextEncoder().encode(text);
    },
    readSecret: () => ({ available: false, reason: "there are no secrets here" }),
  };
}

export function optionsFor(root: string, changes: Partial<LoadOptions> = {}): LoadOptions {
  return {
    tree: diskTree(root),
    patterns: ["."],
    patternBase: root,
    variables: {},
    env: {},
    adopt: {},
    stack: "demo",
    allowInlineSecrets: false,
    apiKeyFile: null,
    complete: true,
    deep: true,
    ...changes,
  };
}

export async function load(files: Files, changes: Partial<LoadOptions> = {}): Promise<LoadedManifests> {
  return withFiles(files, (root) => loadManifests(optionsFor(root, changes)));
}

/** `code` at `file:line:column` of every diagnostic, in order. */
export function places({ diagnostics }: LoadedManifests): readonly string[] {
  return diagnostics.map(({ code, column, file, line }) => `${file}:${line}:${column} ${code}`);
}
