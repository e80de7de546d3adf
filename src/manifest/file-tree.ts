import { isAbsolute, relative, resolve, sep } from "node:path";
import type { Code } from "../diagnostics/codes.js";
import type { Problem } from "../diagnostics/diagnostic.js";
import { EdgewiseError } from "../core/errors.js";
import { limits } from "../core/limits.js";
import type { SecretValue } from "../core/secret.js";

/** The largest manifest or content file that is read, in bytes. */
export const maxFileBytes = limits.fileBytes;

/** What others can do to a file that holds a secret, in words; null = nothing. */
export interface SecretAccess {
  /** Refused. */
  readonly error: string | null;
  /** Reported. */
  readonly warning: string | null;
}

/** A file of a tree. */
export interface TreeFile {
  /** Relative to the tree's root, with `/`. */
  readonly path: string;
  /** The same for two paths that lead to the same file. */
  readonly identity: string;
}

/**
 * The files below the configuration's root, on disk or in a commit. Links are resolved and must stay inside the root; no
 * component begins with a dot. Paths are relative to the root, with `/`.
 */
export interface FileTree {
  /** Absolute; for resolving paths in manifests, and for messages. */
  readonly root: string;
  /** What a path is; "" is the root itself. @throws {@link FileProblem} when access is refused */
  stat(path: string): Promise<"file" | "directory" | null>;
  /** All files below a directory, sorted; names that begin with a dot are skipped. @throws {@link FileProblem} */
  list(directory: string): Promise<readonly TreeFile[]>;
  /** The {@link TreeFile.identity} of a path. @throws {@link FileProblem} */
  identity(path: string): Promise<string>;
  /** A file's bytes. @throws {@link FileProblem} */
  read(path: string): Promise<Uint8Array>;
  /** Announces which secret files may be read next, by absolute paths, for a tree that can't wait when one is read. */
  prepareSecrets?(paths: readonly string[]): Promise<void>;
  /**
   * Reads a secret file, which may be anywhere; `path` is absolute. Never throws.
   * @param apiKeyFile absolute path of the API key's own file, which is never read
   */
  readSecret(path: string, apiKeyFile: string | null): SecretValue;
  /** What others can do to a secret file; absent where no file has an owner: in a commit. */
  secretAccess?(path: string): SecretAccess;
}

/** What a search for manifests needs of a tree. */
export type SearchedTree = Pick<FileTree, "root" | "stat" | "list" | "identity">;

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

  /** As a diagnostic, without its place. */
  toProblem(): Pick<Problem, "code" | "message" | "remedy"> {
    const { message, reason, remedy } = this;
    return { code: reason, message, ...(remedy === null ? {} : { remedy }) };
  }
}

/**
 * A written path as a path of the tree. It is relative to `directory`, which is relative to the root.
 * @throws FileProblem when it leaves the root, or a component begins with a dot
 */
export function treePath(root: string, directory: string, written: string): string {
  if (written.includes("\0"))
    throw new FileProblem("file-missing", `${JSON.stringify(written)} is not a valid file name`);
  const path = relative(root, resolve(root, directory, written))
    .split(sep)
    .join("/");
  if (path === ".." || path.startsWith("../") || isAbsolute(path)) {
    throw new FileProblem("file-outside", `${quote(written)} leads out of the root directory`, {
      remedy: "Move the file below the root (the directory of edgewise.yaml, or the working directory without one).",
    });
  }
  refuseHidden(path, written);
  return path;
}

/** @throws FileProblem when a component of `path` begins with a dot */
export function refuseHidden(path: string, shown: string): void {
  if (path.split("/").some((part) => part.startsWith("."))) {
    throw new FileProblem(
      "file-hidden",
      `${quote(shown)} has a part that begins with a dot; such files are never read`,
      {
        remedy: "Rename or move the file: dot files are for settings and keys, not manifests.",
      },
    );
  }
}

function quote(path: string): string {
  return JSON.stringify(path);
}

/** Whether a text is what Git LFS commits in place of a file. */
export function isLfsPointer(text: string): boolean {
  return text.startsWith("version https://git-lfs.github.com/spec/");
}
