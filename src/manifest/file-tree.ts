import { isAbsolute, resolve } from "node:path";
import { EdgewiseError } from "../core/errors.js";
import { limits } from "../core/limits.js";
import type { SecretValue } from "../core/secret.js";
import type { Code } from "../diagnostics/codes.js";
import type { Problem } from "../diagnostics/diagnostic.js";
import { slashedWay } from "../files/real-path.js";

export interface TreeFile {
  /** Relative to the tree's root, with `/`. */
  readonly path: string;
  /** The same for two paths that lead to the same file. */
  readonly identity: string;
}

/** Paths are absolute. */
export interface SecretFiles {
  /** Never throws. */
  readSecret(path: string): SecretValue;
  /** What others can do to the file: an error is refused, a warning reported. Absent in a commit, where no file has an owner. */
  secretAccess?(path: string): { readonly error: string | null; readonly warning: string | null };
}

/** Below the configuration's root, on disk or in a commit. Links must stay inside; no component begins with a dot. */
export interface FileTree extends SecretFiles {
  readonly root: string;
  /** "" is the root itself. */
  stat(path: string): Promise<"file" | "directory" | null>;
  /** Sorted; names that begin with a dot are skipped. */
  list(directory: string): Promise<readonly TreeFile[]>;
  identity(path: string): Promise<string>;
  read(path: string): Promise<Uint8Array>;
}

/** Why a file can't be used. The message begins with the path. */
export class FileProblem extends EdgewiseError {
  override readonly name = "FileProblem";

  constructor(
    readonly reason: Extract<Code, `file-${string}` | "pattern-too-large">,
    message: string,
    options: { readonly remedy?: string; readonly cause?: unknown } = {},
  ) {
    super("io", message, options);
  }

  toProblem(): Pick<Problem, "code" | "message" | "remedy"> {
    const { message, reason, remedy } = this;
    return { code: reason, message, ...(remedy === null ? {} : { remedy }) };
  }
}

/** @param directory of the tree, which the written path is relative to */
export function treePath(root: string, directory: string, written: string): string {
  const shown = JSON.stringify(written);
  if (written.includes("\0")) throw new FileProblem("file-missing", `${shown} is not a valid file name`);
  const path = slashedWay(root, resolve(root, directory, written));
  if (leavesRoot(path))
    throw new FileProblem("file-outside", `${shown} leads out of the root directory`, {
      remedy: "Move the file below the root (the directory of edgewise.yaml, or the working directory without one).",
    });
  refuseHidden(path, written);
  return path;
}

export function leavesRoot(path: string): boolean {
  return path === ".." || path.startsWith("../") || isAbsolute(path);
}

/** @throws FileProblem when a component of `path` begins with a dot */
export function refuseHidden(path: string, shown: string): void {
  if (!path.split("/").some((part) => part.startsWith("."))) return;
  const message = `${JSON.stringify(shown)} has a part that begins with a dot; such files are never read`;
  const remedy = "Rename or move the file: dot files are for settings and keys, not manifests.";
  throw new FileProblem("file-hidden", message, { remedy });
}

interface Walkable {
  readonly real: (path: string) => string;
  readonly entries: (real: string, path: string) => Promise<readonly DirectoryEntry[]>;
  /** Where a link leads; null when reading it would report a problem. */
  readonly follow: (link: string) => "file" | "directory" | "other" | null;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: "file" | "directory" | "link" | "other";
}

/** Every file below a directory, sorted. Linked directories come last, and each directory once: links may form loops. */
export async function walkFiles(start: string, tree: Walkable): Promise<readonly TreeFile[]> {
  const found: TreeFile[] = [];
  const seen = new Set<string>();
  const pending = [start];
  const linked: string[] = [];
  let walked = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop() ?? linked.shift()) {
    const here = tree.real(next);
    if (seen.has(here)) continue;
    seen.add(here);
    for (const { name, kind } of await tree.entries(here, next)) {
      walked += 1;
      if (walked > limits.directoryEntries) {
        const message = `"${start || "."}" holds more than ${limits.directoryEntries} files and directories`;
        const remedy = "Name the directories of the manifests more precisely.";
        throw new FileProblem("file-too-many", message, { remedy });
      }
      if (name.startsWith(".")) continue;
      const path = below(next, name);
      const isLink = kind === "link";
      const target = isLink ? tree.follow(path) : kind;
      if (target === "directory") (isLink ? linked : pending).push(path);
      else if (target === null) found.push({ path, identity: path });
      else if (target === "file") found.push({ path, identity: isLink ? tree.real(path) : below(here, name) });
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

function below(directory: string, name: string): string {
  return directory === "" ? name : `${directory}/${name}`;
}

export function isLfsPointer(text: string): boolean {
  return text.startsWith("version https://git-lfs.github.com/spec/");
}
