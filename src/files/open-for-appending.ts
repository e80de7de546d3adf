import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { holdDirectory } from "./hold-directory.js";
import { isOpenFile } from "./open-files.js";
import { unwritable, unwritableBecause } from "./unwritable.js";
import { fileTarget, type Workplace } from "./write-target.js";

/**
 * Opens a file to read its end and to add to it. An ordinary file is made when there is none, and only its owner may
 * read it from then on. The directory must exist; links are followed as {@link writeTarget} says.
 * @throws EdgewiseError `io`
 */
export async function openForAppending(file: string, place: Workplace): Promise<FileHandle> {
  const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = constants;
  const target = fileTarget(file, place);
  if (isOpenFile(target.path)) return openHandle(file, target.path, O_RDWR | O_APPEND);
  const held = holdDirectory(file, target);
  try {
    const { existing } = held;
    if (existing === null) return await openHandle(file, held.file, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW);
    const handle = await openHandle(file, held.file, O_RDWR | O_APPEND | O_NOFOLLOW);
    try {
      const now = await handle.stat();
      // Whoever exchanged the file meanwhile has not passed the checks.
      if (now.ino !== existing.ino || now.dev !== existing.dev) {
        throw unwritable(file, "it was replaced by another file just now", "Name a file that nobody else writes.");
      }
      if (now.isFile() && (now.mode & 0o077) !== 0) await handle.chmod(0o600);
      return handle;
    } catch (cause) {
      await handle.close();
      throw unwritableBecause(file, cause);
    }
  } finally {
    held.close();
  }
}

async function openHandle(file: string, path: string, flags: number): Promise<FileHandle> {
  return open(path, flags, 0o600).catch((cause: unknown) => {
    throw unwritableBecause(file, cause);
  });
}
