import { EdgewiseError } from "../core/errors.js";
import { decodeUtf8 } from "../files/read-bounded.js";
import { limits } from "../core/limits.js";
import { isLfsPointer } from "../manifest/file-tree.js";
import type { BlobContent } from "./read-blobs.js";

/**
 * The text of a configuration that a commit holds.
 * @throws EdgewiseError `config` when it can't be a configuration
 */
export function configText(bytes: BlobContent | undefined, path: string, commit: string): string {
  const isTooLarge = bytes === undefined || !("byteLength" in bytes) || bytes.byteLength > limits.configBytes;
  const text = isTooLarge ? null : decodeUtf8(bytes);
  if (text !== null && !isLfsPointer(text)) return text;
  const why = isTooLarge
    ? `it has more than ${limits.configBytes} bytes`
    : text === null
      ? "it is not UTF-8 text"
      : "it is a pointer of Git LFS, not the file itself";
  throw new EdgewiseError("config", `${path} of commit ${commit.slice(0, 12)} can't be read: ${why}`, {
    remedy: "Name a commit that holds the configuration as a text.",
  });
}
