import { isAbsolute, resolve } from "node:path";
import { EdgewiseError } from "../core/errors.js";
import { limits } from "../core/limits.js";
import type { SecretValue } from "../core/secret.js";
import { type Code, remedies } from "../diagnostics/codes.js";
import type { Problem } from "../diagnostics/diagnostic.js";
import { slashedWay } from "../files/real-path.js";

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

export function leavesRoot(path: string): boolean {
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
