import { isUtf8 } from "node:buffer";
import { type Stats, closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";

/** The message ends a sentence that names the file. */
export class NotReadable extends Error {
  override readonly name = "NotReadable";

  constructor(
    message: string,
    readonly isTooLarge = false,
  ) {
    super(message);
  }
}

export type Bounds = Readonly<{
  most: number;
  /** Allows a pipe, like `<(pass show key)`. */
  pipe?: true;
  check?: (stats: Stats) => void;
}>;

// Opening a pipe without a writer would never return.
const flags = constants.O_RDONLY | constants.O_NONBLOCK;

export function readBounded(path: string, { most, pipe, check }: Bounds): Buffer {
  // The shell holds such a pipe open; a named one would be waited for.
  const isPipe = pipe === true && /^\/dev\/(?:fd\/\d+|stdin)$/.test(path) && statSync(path).isFIFO();
  const file = openSync(path, isPipe ? "r" : flags);
  try {
    const stats = fstatSync(file);
    check?.(stats);
    if (!isPipe) refuse(stats, most);
    const chunks: Buffer[] = [];
    for (let length = 0; ;) {
      const buffer = Buffer.allocUnsafe(Math.max(stats.size - length + 1, 4096));
      const bytesRead = readSync(file, buffer);
      if (bytesRead === 0) return Buffer.concat(chunks);
      length += bytesRead;
      if (length > most) throw tooLarge(most);
      chunks.push(buffer.subarray(0, bytesRead));
    }
  } finally {
    closeSync(file);
  }
}

function refuse(stats: Stats, most: number): void {
  if (stats.isDirectory()) throw new NotReadable("it is a directory");
  if (stats.isFIFO()) throw new NotReadable("it is a pipe");
  if (!stats.isFile()) throw new NotReadable("it is a device or socket, not a file");
  if (stats.size > most) throw tooLarge(most);
}

function tooLarge(most: number): NotReadable {
  return new NotReadable(`it has more than ${most} bytes`, true);
}

/** Without a byte order mark; null = not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  if (!isUtf8(bytes)) return null;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}
