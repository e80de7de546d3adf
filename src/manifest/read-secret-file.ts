import { realpathSync, statSync } from "node:fs";
import { ownUid, secretFileAccess } from "../files/others-access.js";
import { NotReadable, decodeUtf8, readBoundedSync } from "../files/read-bounded.js";
import { limits } from "../core/limits.js";
import type { SecretValue } from "../core/secret.js";
import type { SecretAccess } from "./file-tree.js";

/** Where the system shows its own state, including the environment of this process. */
const systemDirectories = ["/proc/", "/sys/", "/dev/"];

/**
 * Reads a secret file from anywhere. Synchronous, because a secret is read when it is first needed.
 * @param path absolute
 * @param apiKeyFile absolute path of the API key's file, refused here
 */
export function readSecretFile(path: string, apiKeyFile: string | null): SecretValue {
  try {
    const file = realpathSync(path);
    if (apiKeyFile !== null && file === realOrItself(apiKeyFile))
      return missing("it is the file that holds the API key");
    if (systemDirectories.some((directory) => file.startsWith(directory))) return missing("it is not a regular file");
    const text = decodeUtf8(readBoundedSync(file, limits.secretBytes));
    return text === null ? missing("it is not UTF-8 text") : { available: true, text };
  } catch (error) {
    if (error instanceof NotReadable) return missing(error.message);
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    return missing(code === "ENOENT" ? "there is no such file" : `it can't be read (${code})`);
  }
}

/** What others can do to a secret file. A missing file is reported when it is read, not here. */
export function secretFileAccessAt(path: string): SecretAccess {
  try {
    const found = statSync(path);
    if (found.isFile()) return secretFileAccess(found, ownUid());
  } catch {
    // The file is missing: see above.
  }
  return { error: null, warning: null };
}

function missing(reason: string): SecretValue {
  return { available: false, reason };
}

/** Whether two absolute paths lead to the same file, with links followed. */
export function isSameFile(a: string, b: string): boolean {
  return a === b || realOrItself(a) === realOrItself(b);
}

/** The path with all links resolved; the path itself when there is no such file. */
export function realOrItself(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
