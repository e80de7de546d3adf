import { join } from "node:path";
import { decodeUtf8 } from "../files/read-bounded.js";
import { parseFile } from "../yaml/parse-file.js";
import type { ParsedFile } from "../yaml/parsed-file.js";
import { FileProblem, type FileTree, isLfsPointer } from "./file-tree.js";
import { realOrItself } from "./read-secret-file.js";

export type FileText = { readonly text: string } | { readonly problem: FileProblem };

/** What a {@link FileCache} needs. */
export interface FileCacheOptions {
  readonly tree: FileTree;
  /** Absolute; this file is refused. */
  readonly apiKeyFile: string | null;
  holdsApiKey(text: string): boolean;
}

/** Reads the files of one run as text, each once. */
export class FileCache {
  readonly #texts = new Map<string, Promise<FileText>>();
  readonly #contents = new Set<string>();
  readonly #parsed = new Map<string, ParsedFile>();

  constructor(private readonly options: FileCacheOptions) {}

  /** The text of a file of the tree, or why it can't be used. */
  async text(path: string): Promise<FileText> {
    let text = this.#texts.get(path);
    if (text === undefined) {
      text = this.#read(path);
      this.#texts.set(path, text);
    }
    return text;
  }

  /** The text of a file that a manifest names as the content of a field. */
  async content(path: string): Promise<FileText> {
    this.#contents.add(path);
    return this.text(path);
  }

  /** The YAML documents of a content file. Many manifests may name one file: it is parsed once. */
  parsed(path: string, text: string): ParsedFile {
    let parsed = this.#parsed.get(path);
    if (parsed === undefined) {
      parsed = parseFile(text);
      this.#parsed.set(path, parsed);
    }
    return parsed;
  }

  /** Whether a manifest that was already read names this file as content. */
  isContent(path: string): boolean {
    return this.#contents.has(path);
  }

  #realKeyFile: string | undefined;

  #isKeyFile(path: string): boolean {
    const { apiKeyFile, tree } = this.options;
    if (apiKeyFile === null) return false;
    // Looked up once: there may be a hundred thousand files to compare it with.
    this.#realKeyFile ??= realOrItself(apiKeyFile);
    const file = join(tree.root, path);
    return file === apiKeyFile || realOrItself(file) === this.#realKeyFile;
  }

  async #read(path: string): Promise<FileText> {
    try {
      if (this.#isKeyFile(path)) {
        return { problem: new FileProblem("file-is-api-key", `"${path}" is the file that holds the API key`) };
      }
      const read = decode(path, await this.options.tree.read(path));
      // A copy of the key under another name, or pasted into a manifest, would be sent and shown to everybody.
      if ("text" in read && this.options.holdsApiKey(read.text)) {
        return { problem: new FileProblem("file-is-api-key", `"${path}" holds the API key`) };
      }
      return read;
    } catch (error) {
      if (error instanceof FileProblem) return { problem: error };
      throw error;
    }
  }
}

function notText(path: string, bytes: Uint8Array): FileProblem {
  const [first, second = 0] = bytes;
  if (first === 0x30 && second >= 0x81 && second <= 0x84) {
    return new FileProblem("file-encoding", `"${path}" is binary (DER), not text`, {
      remedy: "Convert a certificate to PEM with `openssl x509 -inform der -in FILE -out FILE.pem`.",
    });
  }
  const line = lineOfBadByte(bytes);
  return new FileProblem(
    "file-encoding",
    `"${path}" is not UTF-8 text: line ${line} has a byte that UTF-8 doesn't allow`,
  );
}

function lineOfBadByte(bytes: Uint8Array): number {
  const text = new TextDecoder().decode(bytes);
  return text.slice(0, text.indexOf("\ufffd")).split("\n").length;
}

/** UTF-8, with or without byte order mark. */
function decode(path: string, bytes: Uint8Array): FileText {
  const first = bytes[0];
  const second = bytes[1];
  const utf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (utf16) return { problem: new FileProblem("file-encoding", `"${path}" is UTF-16, not UTF-8`) };
  const text = decodeUtf8(bytes);
  if (text === null) return { problem: notText(path, bytes) };
  if (isLfsPointer(text)) {
    return { problem: new FileProblem("file-lfs-pointer", `"${path}" is a pointer of Git LFS, not the file itself`) };
  }
  if (text.includes("\0")) return { problem: new FileProblem("file-encoding", `"${path}" contains NUL characters`) };
  return { text };
}
