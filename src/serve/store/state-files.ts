import { constants, readFileSync, readdirSync } from "node:fs";
import { mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import { hasCode, unwritableBecause } from "../../files/file-errors.js";

/** Whenever the process or the power ends, the file has the old content or the new one. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    await writeFile(temporary, text, { mode: 0o600, flush: true });
    await rename(temporary, path);
    await syncDirectory(dirname(path));
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw unwritableBecause(path, cause);
  }
}

export async function removeFile(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
    await syncDirectory(dirname(path));
  } catch (cause) {
    throw unwritableBecause(path, cause);
  }
}

async function syncDirectory(path: string): Promise<void> {
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

export function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) return null;
    throw unreadable(file, cause);
  }
}

export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch (cause) {
    throw unreadable(folder, cause);
  }
}

function unreadable(file: string, cause: unknown): EdgewiseError {
  const remedy = "Check the permissions of the state directory and its disk.";
  return new EdgewiseError("io", `${file} can't be read: ${cause instanceof Error ? cause.message : String(cause)}`, {
    remedy,
    cause,
  });
}

export async function someAtOnce<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < all.length; at += 8)
    for (const ended of await Promise.allSettled(all.slice(at, at + 8).map(work)))
      if (ended.status === "rejected") throw ended.reason;
}

export async function appendLines(path: string, lines: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { mode: 0o700, recursive: true });
  const file = await open(path, "a+", 0o600);
  try {
    const { size } = await file.stat();
    const last = size === 0 ? "\n" : (await file.read(Buffer.alloc(1), 0, 1, size - 1)).buffer.toString("latin1");
    // What a killed process left half written stays a line of its own.
    await file.appendFile(last === "\n" ? lines : `\n${lines}`);
    await file.datasync();
    if (size > 0) return;
  } finally {
    await file.close();
  }
  await syncDirectory(folder);
  await syncDirectory(dirname(folder));
}
