import { createHash } from "node:crypto";

/** With what is added to it, a name stays below the 255 bytes that file systems allow. */
const longest = 180;

/**
 * The name of a file for any name of a stack, an account or a source. Different names have different files, also where
 * file names ignore case or the form of accents; none leads out of a directory. Names of a usual length are readable.
 */
export function stateFileName(name: string): string {
  const encoded = Array.from(Buffer.from(name), (byte) =>
    isPlain(byte) ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, "0")}`,
  ).join("");
  const isReadable = encoded.length > 0 && encoded.length <= longest && Buffer.from(name).toString() === name;
  // A tilde is never plain, so no readable name looks like this.
  return isReadable ? encoded : `${encoded.slice(0, 100)}~${hashOf(name)}`;
}

/** Names a record of a sort among all that are kept. */
export function recordKey(sort: string, name: string): string {
  return `${sort} ${stateFileName(name)}`;
}

/** Small letters, digits, `-` and `_`. */
function isPlain(byte: number): boolean {
  return (byte >= 97 && byte <= 122) || (byte >= 48 && byte <= 57) || byte === 45 || byte === 95;
}

/** Of the code units, as two names that are not well-formed Unicode may have the same bytes. */
function hashOf(name: string): string {
  return createHash("sha256").update(Buffer.from(name, "utf16le")).digest("hex");
}
