import { isAbsolute, join, resolve, sep } from "node:path";
import { EdgewiseError } from "../core/errors.js";
import { limits } from "../core/limits.js";
import type { SecretValue } from "../core/secret.js";
import { type Code, remedies } from "../diagnostics/codes.js";
import type { Problem } from "../diagnostics/diagnostic.js";
import { slashedWay } from "../files/real-path.js";
import { type Stats, realpathSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { ownUid, secretFileAccess } from "../files/others-access.js";
import { NotReadable, decodeUtf8, readBounded } from "../files/read-bounded.js";

/** Paths are absolute. */
export interface SecretFiles {
  readSecret(path: string): SecretValue;
  /** What others can do to it. Absent in a commit. */
  secretAccess?(path: string): Readonly<{ error: string | null; warning: string | null }>;
}

/** On disk or in a commit. Links must stay inside the root. */
export interface FileTree extends SecretFiles {
  readonly root: string;
  /** "" is the root itself. */
  stat(path: string): Promise<"file" | "directory" | null>;
  /** Sorted, without hidden ones. */
  list(directory: string): Promise<readonly string[]>;
  /** The same for all paths to one file. */
  identity(path: string): Promise<string>;
  read(path: string): Promise<Uint8Array>;
}

export class FileProblem extends EdgewiseError {
  override readonly name = "FileProblem";

  constructor(
    readonly reason: Extract<Code, `file-${string}` | "pattern-too-large">,
    message: string,
    options: Readonly<{ remedy?: string; cause?: unknown }> = {},
  ) {
    super("io", message, { remedy: remedies[reason], ...options });
  }

  toProblem(): Pick<Problem, "code" | "message" | "remedy"> {
    return { code: this.reason, message: this.message, remedy: this.remedy };
  }
}

export function treePath(root: string, directory: string, written: string): string {
  const shown = JSON.stringify(written);
  if (written.includes("\0")) throw new FileProblem("file-missing", `${shown} is not a valid file name`);
  const path = slashedWay(root, resolve(root, directory, written));
  if (leavesRoot(path)) throw new FileProblem("file-outside", `${shown} leads out of the root directory`);
  refuseHidden(path, written);
  return path;
}

function leavesRoot(path: string): boolean {
  return path === ".." || path.startsWith("../") || isAbsolute(path);
}

export function refuseHidden(path: string, shown: string): void {
  if (!path.split("/").some((part) => part.startsWith("."))) return;
  const message = `${JSON.stringify(shown)} has a part that begins with a dot; such files are never read`;
  throw new FileProblem("file-hidden", message);
}

export type DirectoryEntry = Readonly<{
  name: string;
  kind: "file" | "directory" | "link" | "other";
}>;

type Walkable = Readonly<{
  real: (path: string) => string;
  entries: (real: string, path: string) => Promise<readonly DirectoryEntry[]>;
  /** Null when reading it would report a problem. */
  follow: (link: string) => "file" | "directory" | "other" | null;
}>;

/** Each directory is read once, linked ones last: links may form loops. */
export async function walkFiles(start: string, tree: Walkable): Promise<readonly string[]> {
  const found: string[] = [];
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
        throw new FileProblem("file-too-many", message);
      }
      if (name.startsWith(".")) continue;
      const path = next === "" ? name : `${next}/${name}`;
      const target = kind === "link" ? tree.follow(path) : kind;
      if (target === "directory") (kind === "link" ? linked : pending).push(path);
      else if (target !== "other") found.push(path);
    }
  }
  return found.sort();
}

export function isLfsPointer(text: string): boolean {
  return text.startsWith("version https://git-lfs.github.com/spec/");
}

export function diskTree(root: string): FileTree {
  let realRoot: string | undefined;

  /** The real path, with `/`. Every access to a file goes through it. */
  const confined = (path: string): string => {
    realRoot ??= real(root, root);
    const found = real(join(root, path), path);
    const inside = slashedWay(realRoot, found);
    if (leavesRoot(inside))
      throw new FileProblem("file-outside", `"${path}" is a link that leads out of the root directory`);
    refuseHidden(inside, path);
    return found.split(sep).join("/");
  };

  const kindAt = (path: string) => kindOf(statsOf(join(root, path)));

  return {
    root,
    async stat(path) {
      const kind = kindAt(path);
      if (kind === null) return null;
      confined(path);
      return kind === "directory" ? kind : "file";
    },
    list: async (directory) => walkFiles(directory, { real: confined, entries, follow: kindAt }),
    identity: async (path) => confined(path),
    async read(path) {
      try {
        return readBounded(confined(path), { most: limits.fileBytes });
      } catch (cause) {
        if (!(cause instanceof NotReadable)) throw cause instanceof FileProblem ? cause : unreadable(path, cause);
        throw new FileProblem(
          cause.isTooLarge ? "file-too-large" : "file-missing",
          `"${path}" can't be read: ${cause.message}`,
        );
      }
    },
    ...diskSecrets,
  };
}

function statsOf(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

function kindOf(stats: Pick<Stats, "isDirectory" | "isFile"> | null): "file" | "directory" | "other" | null {
  if (stats === null) return null;
  return stats.isDirectory() ? "directory" : stats.isFile() ? "file" : "other";
}

async function entries(directory: string, shown: string) {
  const found = await readdir(directory, { withFileTypes: true }).catch((cause: unknown) => {
    throw unreadable(shown, cause);
  });
  return found.map((entry) => ({
    name: entry.name,
    kind: entry.isSymbolicLink() ? ("link" as const) : (kindOf(entry) ?? "other"),
  }));
}

function real(path: string, shown: string): string {
  try {
    return realpathSync.native(path);
  } catch (cause) {
    throw unreadable(shown, cause);
  }
}

function unreadable(path: string, cause: unknown): FileProblem {
  const code = cause instanceof Error && "code" in cause ? cause.code : "";
  if (code === "ENOENT" || code === "ENOTDIR")
    return new FileProblem("file-missing", `there is no file "${path}"`, {
      remedy: "Put it there, or correct the path, which is relative to the manifest.",
    });
  return new FileProblem("file-unreadable", `"${path}" can't be read (${String(code)})`, { cause });
}

/** They show the environment of this process, too. */
const systemDirectories = ["/proc/", "/sys/", "/dev/"];

/** Synchronous: a secret is read when it is first needed. */
export const diskSecrets: SecretFiles = {
  readSecret(path) {
    const missing = (reason: string): SecretValue => ({ available: false, reason });
    try {
      const file = realpathSync(path);
      if (systemDirectories.some((directory) => file.startsWith(directory))) return missing("it is not a regular file");
      const text = decodeUtf8(readBounded(file, { most: limits.secretBytes }));
      return text === null ? missing("it is not UTF-8 text") : { available: true, text };
    } catch (error) {
      if (error instanceof NotReadable) return missing(error.message);
      const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
      return missing(code === "ENOENT" ? "there is no such file" : `it can't be read (${code})`);
    }
  },
  secretAccess(path) {
    const stats = statsOf(path);
    return stats?.isFile() === true ? secretFileAccess(stats, ownUid()) : { error: null, warning: null };
  },
};
