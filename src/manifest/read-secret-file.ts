import { realpathSync, statSync } from "node:fs";
import { ownUid, secretFileAccess } from "../files/others-access.js";
import { NotReadable, readBoundedSync } from "../files/read-bounded.js";
import { limits } from "../limits.js";
import type { SecretValue } from "../secret.js";
import type { SecretAccess } from "./file-tree.js";

/** Where the system shows its own state, the environment of this process among it. */
const systemPlaces = ["/proc/", "/sys/", "/dev/"];

/**
 * Reads a secret file, wherever it lies. Synchronous, as a secret is read when it is first needed.
 * @param path absolute
 * @param apiKeyFile absolute path of the API key's file, refused here
 */
export function readSecretFile(path: string, apiKeyFile: string | null): SecretValue {
  try {
    const file = realpathSync(path);
    if (apiKeyFile !== null && file === realOrItself(apiKeyFile))
      return missing("it is the file that holds the API key");
    if (systemPlaces.some((place) => file.startsWith(place))) return missing("it is not an ordinary file");
    const bytes = readBoundedSync(file, limits.secretBytes);
    return { available: true, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch (error) {
    if (error instanceof NotReadable) return missing(error.message);
    if (error instanceof TypeError) return missing("it is not UTF-8 text");
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    return missing(code === "ENOENT" ? "there is no such file" : `it can't be read (${code})`);
  }
}

/** What others can do to a secret file; nothing for one that is not there, which is reported when it is read. */
export function secretFileAccessAt(path: string): SecretAccess {
  try {
    const found = statSync(path);
    if (found.isFile()) return secretFileAccess(found, ownUid());
  } catch {
    // As said above.
  }
  return { error: null, warning: null };
}

function missing(reason: string): SecretValue {
  return { available: false, reason };
}

/** Whether two absolute paths lead to one file, links followed. */
export function isSameFile(a: string, b: string): boolean {
  return a === b || realOrItself(a) === realOrItself(b);
}

/** The path behind all links; the path itself when nothing is there. */
function realOrItself(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
