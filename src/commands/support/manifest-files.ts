import { statSync } from "node:fs";
import { join } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import { decodeUtf8 } from "../../files/read-bounded.js";
import { writeFile } from "../../files/write-file.js";
import type { FileTree } from "../../manifest/file-tree.js";
import type { GuardedIo } from "./io.js";
import { workplaceOf } from "./output-files.js";

/** A file of manifests as it is on disk. */
export interface ManifestFile {
  /** Relative to the root. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Without its byte order mark. */
  readonly text: string;
}

/** Reads files that were loaded a moment ago. @throws EdgewiseError `io` */
export async function readManifestFiles(tree: FileTree, paths: readonly string[]): Promise<readonly ManifestFile[]> {
  return Promise.all(
    paths.map(async (path) => {
      const bytes = await tree.read(path);
      return { path, bytes, text: decodeUtf8(bytes) ?? "" };
    }),
  );
}

/** The same files with other contents in some of them. */
export function overlaidTree(tree: FileTree, texts: ReadonlyMap<string, string>): FileTree {
  const encoder = new TextEncoder();
  return {
    ...tree,
    read: async (path) => {
      const text = texts.get(path);
      return text === undefined ? tree.read(path) : encoder.encode(text);
    },
  };
}

/** A file and its new text. */
export interface ManifestRewrite {
  readonly file: ManifestFile;
  readonly text: string;
}

/**
 * Throws if a file can't be written, or is no longer what it was when it was read.
 * @throws EdgewiseError `io`
 */
export async function checkRewrites(rewrites: readonly ManifestRewrite[], tree: FileTree): Promise<void> {
  for (const { file } of rewrites) {
    // Replacing a file needs no permission to write to it, but its owner meant something by that.
    if ((statSync(join(tree.root, file.path)).mode & 0o222) === 0) {
      throw new EdgewiseError("io", `${file.path} can't be written: it is read-only; no file was changed`, {
        remedy: "Make it writable (chmod u+w), or name the addresses of other files.",
      });
    }
    if (Buffer.compare(await tree.read(file.path), file.bytes) !== 0) {
      throw new EdgewiseError("io", `${file.path} was changed by something else meanwhile; no file was changed`, {
        remedy: "Run edgewise pull again.",
      });
    }
  }
}

/**
 * Writes the files one after the other, each as a whole and with the mode that it has. Says which ones are written when
 * one can't be.
 * @throws EdgewiseError `io`, with exit code 3 when some were written
 */
export async function writeRewrites(
  rewrites: readonly ManifestRewrite[],
  io: GuardedIo,
  tree: FileTree,
): Promise<void> {
  const written: string[] = [];
  for (const { file, text } of rewrites) {
    // What is written is what the file holds, and what is live outside of secrets: masking it would damage it.
    const mark = file.bytes[0] === 0xef && file.bytes[1] === 0xbb && file.bytes[2] === 0xbf ? "\ufeff" : "";
    try {
      await writeFile(join(tree.root, file.path), mark + text, workplaceOf(io), "ordinary");
    } catch (error) {
      if (!(error instanceof EdgewiseError) || written.length === 0) throw error;
      throw new EdgewiseError("io", `${error.message}; already written: ${written.join(", ")}`, {
        remedy: "Run edgewise pull again for the rest.",
        exit: 3,
        cause: error,
      });
    }
    written.push(file.path);
  }
}
