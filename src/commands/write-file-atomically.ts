import { randomUUID } from "node:crypto";
import { mkdir, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { EdgewiseError } from "../errors.js";

/**
 * Writes a file so that it is either as it was or complete. Directories on the way are made, symbolic links followed;
 * what is no regular file (a device, a pipe) is written as it is.
 * @param file absolute, or relative to `cwd`
 * @throws EdgewiseError `io`
 */
export async function writeFileAtomically(file: string, text: string, cwd: string, mode = 0o666): Promise<void> {
  let temporary: string | null = null;
  try {
    const path = await realpath(resolve(cwd, file)).catch(() => resolve(cwd, file));
    const existing = await stat(path).catch(() => null);
    if (existing !== null && !existing.isFile() && !existing.isDirectory()) return await writeFile(path, text);
    await mkdir(dirname(path), { recursive: true });
    temporary = `${path}.${randomUUID()}.tmp`;
    await writeFile(temporary, text, { mode: existing === null ? mode : existing.mode & 0o777, flag: "wx" });
    await rename(temporary, path);
  } catch (cause) {
    if (temporary !== null) await rm(temporary, { force: true }).catch(() => {});
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EdgewiseError("io", `${file} can't be written: ${why}`, {
      remedy: "Check that the directory may be written to, or name another file.",
      cause,
    });
  }
}
