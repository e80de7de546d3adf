import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { EdgewiseError } from "../errors.js";

/**
 * Writes a file so that it is either as it was or complete. Directories on the way are made.
 * @param file absolute, or relative to `cwd`
 * @throws EdgewiseError `io`
 */
export async function writeFileAtomically(
  file: string,
  text: string,
  cwd: string,
  mode = 0o666,
): Promise<void> {
  const path = resolve(cwd, file);
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(temporary, text, { mode, flag: "wx" });
    await rename(temporary, path);
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => {});
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EdgewiseError("io", `${file} can't be written: ${why}`, {
      remedy: "Check that the directory may be written to, or name another file.",
      cause,
    });
  }
}
