import { constants, lstatSync } from "node:fs";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { hasCode, unwritableBecause } from "../../files/file-errors.js";

/** A file that is being written. */
export interface DiskFile {
  /** Adds bytes at its end. */
  append(bytes: Uint8Array): Promise<void>;
  /** Resolves when its content would survive a power cut. */
  sync(): Promise<void>;
  /** Bytes. */
  size(): Promise<number>;
  read(length: number, position: number): Promise<Buffer>;
  truncate(size: number): Promise<void>;
  close(): Promise<void>;
}

/** How the store changes files: a test can end it at any byte. */
export interface Disk {
  /** Opens a file to append to it, readable by its owner alone; `fresh`: it is empty, whatever was there. */
  open(path: string, fresh: boolean): Promise<DiskFile>;
  rename(from: string, to: string): Promise<void>;
  /** Nothing happens when it isn't there. */
  remove(path: string): Promise<void>;
  /** Nothing happens when it is there. For its owner alone. */
  makeDirectory(path: string): Promise<void>;
  /** Resolves when the names in a directory would survive a power cut. */
  syncDirectory(path: string): Promise<void>;
}

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR, O_TRUNC } = constants;

export const systemDisk: Disk = {
  open: async (path, fresh) =>
    diskFile(await open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | (fresh ? O_TRUNC : 0), 0o600)),
  rename,
  remove: (path) => rm(path, { force: true, recursive: true }),
  makeDirectory: async (path) => {
    await mkdir(path, { mode: 0o700 }).catch((cause: unknown) => {
      if (!hasCode(cause, "EEXIST")) throw cause;
    });
  },
  syncDirectory: async (path) => {
    const directory = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      await directory.sync();
    } catch (cause) {
      // Some file systems of networks can't.
      if (!hasCode(cause, "EINVAL") && !hasCode(cause, "ENOTSUP")) throw cause;
    } finally {
      await directory.close();
    }
  },
};

function diskFile(handle: FileHandle): DiskFile {
  return {
    append: (bytes) => handle.appendFile(bytes),
    sync: () => handle.datasync(),
    size: async () => (await handle.stat()).size,
    read: async (length, position) => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
      return buffer.subarray(0, bytesRead);
    },
    truncate: (size) => handle.truncate(size),
    close: () => handle.close(),
  };
}

/**
 * Gives a file another content in one step: whenever the process or the power ends, it has the old or the new one.
 * @param token tells the temporary files of this process apart from those of any other
 * @throws EdgewiseError `io`
 */
export async function replaceFile(disk: Disk, path: string, bytes: Uint8Array, token: string): Promise<void> {
  const temporary = `${path}.${token}.tmp`;
  try {
    const file = await disk.open(temporary, true);
    try {
      await file.append(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await disk.rename(temporary, path);
    await disk.syncDirectory(dirname(path));
  } catch (cause) {
    await disk.remove(temporary).catch(() => {});
    throw unwritableBecause(path, cause);
  }
}

/** Removes a file if it is there; it stays removed after a power cut. @throws EdgewiseError `io` */
export async function removeFile(disk: Disk, path: string): Promise<void> {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  try {
    await disk.remove(path);
    await disk.syncDirectory(dirname(path));
  } catch (cause) {
    throw unwritableBecause(path, cause);
  }
}

/**
 * Lets jobs about the same thing run one after the other, in the order of the calls; a failed one stops none.
 */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  run(about: string, job: () => Promise<void>): Promise<void> {
    const before = this.#last.get(about) ?? Promise.resolve();
    const mine = before.catch(() => {}).then(job);
    this.#last.set(about, mine);
    void this.#forget(about, mine);
    return mine;
  }

  async #forget(about: string, job: Promise<void>): Promise<void> {
    await Promise.allSettled([job]);
    if (this.#last.get(about) === job) this.#last.delete(about);
  }

  /** Resolves when every job has ended, however it did. */
  async idle(): Promise<void> {
    while (this.#last.size > 0) await Promise.allSettled(this.#last.values());
  }
}
