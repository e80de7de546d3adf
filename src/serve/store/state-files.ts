import { constants } from "node:fs";
import { open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import { hasCode, unwritableBecause } from "../../files/file-errors.js";
import { readBounded } from "../../files/read-bounded.js";

/** Bytes of one file: fingerprints of a hundred thousand resources have a quarter of this. */
const mostBytes = 64 * 1024 * 1024;

/** Gives a file another content in one step: whenever the process or the power ends, it has the old or the new one. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    const file = await open(temporary, "w", 0o600);
    try {
      await file.writeFile(text);
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    await syncDirectory(dirname(path));
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw unwritableBecause(path, cause);
  }
}

export async function removeFile(path: string): Promise<void> {
  try {
    await rm(path, { force: true });
    await syncDirectory(dirname(path));
  } catch (cause) {
    throw unwritableBecause(path, cause);
  }
}

/** Resolves when the names in a directory would survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await directory.sync();
  } catch (cause) {
    // Some file systems of networks can't.
    if (!hasCode(cause, "EINVAL") && !hasCode(cause, "ENOTSUP")) throw cause;
  } finally {
    await directory.close();
  }
}

export async function readIfThere(file: string): Promise<string | null> {
  try {
    return readBounded(file, { most: mostBytes }).toString("utf8");
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) return null;
    throw unreadable(file, cause);
  }
}

export async function namesIn(...path: readonly string[]): Promise<readonly string[]> {
  const folder = join(...path);
  return readdir(folder).catch((cause: unknown) => {
    throw unreadable(folder, cause);
  });
}

function unreadable(file: string, cause: unknown): EdgewiseError {
  const said = cause instanceof Error ? cause.message : String(cause);
  return new EdgewiseError("io", `${file} can't be read: ${hasCode(cause, "EACCES") ? "permission is denied" : said}`, {
    remedy: "Check the permissions of the state directory and its disk.",
    cause,
  });
}

/** Works on all, a few at a time. */
export async function sideBySide<T>(all: Iterable<T>, work: (one: T) => Promise<void>): Promise<void> {
  const pending = all[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = pending.next(); next.done !== true; next = pending.next()) await work(next.value);
  };
  for (const ended of await Promise.allSettled(Array.from({ length: 8 }, worker)))
    if (ended.status === "rejected") throw ended.reason;
}
