import { join } from "node:path";
import { limits } from "../limits.js";
import { parseFile } from "../yaml/parse-file.js";
import type { ParsedFile } from "../yaml/parsed-file.js";
import { FileProblem, type FileTree } from "./file-tree.js";
import { isSameFile } from "./read-secret-file.js";

export type FileText = { readonly text: string } | { readonly problem: FileProblem };

/** Reads the files of one run as text, each once. */
export class FileCache {
  readonly #texts = new Map<string, Promise<FileText>>();
  readonly #contents = new Set<string>();
  readonly #parsed = new Map<string, ParsedFile>();

  constructor(
    private readonly tree: FileTree,
    private readonly apiKeyFile: string | null,
    private readonly holdsApiKey: (text: string) => boolean,
    private readonly onText: (text: string) => void,
  ) {}

  /** The text of a file of the tree, or why it can't be had. */
  text(path: string): Promise<FileText> {
    let text = this.#texts.get(path);
    if (text === undefined) {
      text = this.#read(path);
      this.#texts.set(path, text);
    }
    return text;
  }

  /** The text of a file that a manifest names as the content of a field. */
  content(path: string): Promise<FileText> {
    this.#contents.add(path);
    return this.text(path);
  }

  /** What a content file holds as YAML. Many manifests may name one file: it is read once. */
  parsed(path: string, text: string): ParsedFile {
    let parsed = this.#parsed.get(path);
    if (parsed === undefined) {
      parsed = parseFile(text);
      this.#parsed.set(path, parsed);
    }
    return parsed;
  }

  /** Whether a manifest that was read so far names this file as content. */
  isContent(path: string): boolean {
    return this.#contents.has(path);
  }

  async #read(path: string): Promise<FileText> {
    try {
      if (this.apiKeyFile !== null && isSameFile(join(this.tree.root, path), this.apiKeyFile)) {
        return { problem: new FileProblem("file-is-api-key", `"${path}" is the file that holds the API key`) };
      }
      const read = decode(path, await this.tree.read(path));
      // Under another name, or pasted into a manifest: it would be sent, and shown to everybody.
      if ("text" in read && this.holdsApiKey(read.text)) {
        return { problem: new FileProblem("file-is-api-key", `"${path}" holds the API key`) };
      }
      if ("text" in read) this.onText(read.text);
      return read;
    } catch (error) {
      if (error instanceof FileProblem) return { problem: error };
      throw error;
    }
  }
}

/** UTF-8, with or without byte order mark. */
function decode(path: string, bytes: Uint8Array): FileText {
  const [first, second] = bytes;
  const utf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (utf16) return { problem: new FileProblem("file-encoding", `"${path}" is UTF-16, not UTF-8`) };
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { problem: new FileProblem("file-encoding", `"${path}" is not UTF-8 text`) };
  }
  return text.includes("\0")
    ? { problem: new FileProblem("file-encoding", `"${path}" holds NUL characters`) }
    : { text };
}

/** What all manifests of a run share: the names of their limits. */
export type BudgetItem =
  | "manifestFiles"
  | "manifestBytes"
  | "documents"
  | "contentBytes"
  | "substituted"
  | "secretCharacters";

const excessMessages: { readonly [A in BudgetItem]: (limit: number) => string } = {
  manifestFiles: (limit) => `there are more than ${limit} manifest files`,
  manifestBytes: (limit) => `the manifests together have more than ${limit} bytes`,
  documents: (limit) => `the manifests together have more than ${limit} documents`,
  contentBytes: (limit) =>
    `the files that fields name with {file} together have more than ${limit} bytes, each counted as often as it is named`,
  substituted: (limit) => `variables put more than ${limit} characters into the manifests`,
  secretCharacters: (limit) => `the secrets that the manifests name have more than ${limit} characters together`,
};

/** Counts what a run has read, so that many small files can't do what one large file may not. */
export class ReadBudget {
  readonly #spent: { [A in BudgetItem]: number } = {
    manifestFiles: 0,
    manifestBytes: 0,
    documents: 0,
    contentBytes: 0,
    substituted: 0,
    secretCharacters: 0,
  };

  /** Adds to an amount. @returns what is wrong once it is past its limit, else null */
  spend(amount: BudgetItem, count: number): string | null {
    this.#spent[amount] += count;
    return this.#spent[amount] > limits[amount] ? excessMessages[amount](limits[amount]) : null;
  }
}
