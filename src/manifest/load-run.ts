import { join } from "node:path";
import type { Json } from "../core/json.js";
import { limits } from "../core/limits.js";
import type { Secret } from "../core/secret.js";
import type { Problem } from "../diagnostics/diagnostic.js";
import { Problems } from "../diagnostics/problems.js";
import { decodeUtf8 } from "../files/read-bounded.js";
import { FileProblem, isLfsPointer } from "./file-tree.js";
import type { LoadOptions } from "./load-options.js";
import type { ReportProblem } from "./parsed-manifest.js";
import { realOrItself } from "../files/real-path.js";

export type FileText = { readonly text: string } | { readonly problem: FileProblem };

/** The limits that all manifests of a run share, in words. */
const budgets = {
  manifestFiles: "there are more than LIMIT manifest files",
  manifestBytes: "the manifests together have more than LIMIT bytes",
  documents: "the manifests together have more than LIMIT documents",
  contentBytes:
    "the files that fields name with {file} together have more than LIMIT bytes, each counted as often as it is named",
  substituted: "variables put more than LIMIT characters into the manifests",
  secretCharacters: "the secrets that the manifests name have more than LIMIT characters together",
} as const;

/** What all files and documents of one load share: each file is read once, and no amount exceeds its limit. */
export class LoadRun {
  readonly problems = new Problems();
  /** The text of every file that may have a problem, for excerpts. */
  readonly texts = new Map<string, string>();
  readonly #spent = new Map<keyof typeof budgets, number>();
  readonly #files = new Map<string, Promise<FileText>>();
  /** The files that manifests name as the content of fields. */
  readonly contents = new Set<string>();
  readonly #secrets = new Set<string>();
  #apiKeys: readonly string[] | undefined;

  constructor(readonly options: LoadOptions) {}

  /** Adds to an amount. @returns the problem, in words, once it exceeds its limit; otherwise null */
  spend(item: keyof typeof budgets, count: number): string | null {
    const spent = (this.#spent.get(item) ?? 0) + count;
    this.#spent.set(item, spent);
    return spent > limits[item] ? budgets[item].replace("LIMIT", String(limits[item])) : null;
  }

  /** Counts a variable's value that is put into a manifest, until there is too much of them. */
  spendVariable(value: Json): string | null {
    const isSpent = (this.#spent.get("substituted") ?? 0) > limits.substituted;
    return this.spend("substituted", isSpent ? 0 : JSON.stringify(value).length);
  }

  /** The text of a file of the tree, or why it can't be used. */
  async text(path: string): Promise<FileText> {
    const text = this.#files.get(path) ?? this.#read(path);
    this.#files.set(path, text);
    return text;
  }

  /** The text of a file that a manifest names as the content of a field. */
  async content(path: string): Promise<FileText> {
    this.contents.add(path);
    return this.text(path);
  }

  /** Keeps the texts of the files that manifests name, when problems in them are to be shown. */
  async keepTexts(): Promise<void> {
    for (const file of this.problems.files) {
      if (this.texts.has(file) || !this.contents.has(file)) continue;
      const read = await this.text(file);
      this.texts.set(file, "text" in read ? read.text : "");
    }
  }

  /** Whether an absolute path leads to the API key's own file. */
  isApiKeyFile(path: string): boolean {
    const { apiKeyFile } = this.options;
    return apiKeyFile !== null && realOrItself(path) === realOrItself(apiKeyFile);
  }

  /** Whether a text contains an API key that is available here. */
  holdsApiKey(text: string): boolean {
    this.#apiKeys ??= this.#findApiKeys();
    return this.#apiKeys.some((key) => text.includes(key));
  }

  /**
   * Masks a secret in foreign text from now on, if it is available: a service may send back what it was sent once.
   * @returns a problem, in words, when the secrets together are too large
   */
  register(secret: Secret): string | null {
    const { redactor } = this.options;
    if (redactor === undefined || secret.missing !== null) return null;
    const text = secret.reveal();
    if (this.#secrets.has(text)) return null;
    const excess = this.spend("secretCharacters", text.length);
    if (excess !== null) return excess;
    this.#secrets.add(text);
    redactor.addSecret(text);
    return null;
  }

  #findApiKeys(): readonly string[] {
    const { apiKeyFile, env, tree } = this.options;
    const inFile = apiKeyFile === null ? null : tree.readSecret(apiKeyFile);
    const found = [env["EDGEWISE_API_KEY"] ?? "", inFile?.available === true ? inFile.text : ""];
    return found.map((key) => key.trim()).filter((key) => key.length >= 8);
  }

  async #read(path: string): Promise<FileText> {
    const { tree } = this.options;
    try {
      if (this.isApiKeyFile(join(tree.root, path)))
        throw new FileProblem("file-is-api-key", `"${path}" is the file that holds the API key`);
      const text = decode(path, await tree.read(path));
      // A copy of the key under another name, or pasted into a manifest, would be sent and shown to everybody.
      if (this.holdsApiKey(text)) throw new FileProblem("file-is-api-key", `"${path}" holds the API key`);
      return { text };
    } catch (error) {
      if (error instanceof FileProblem) return { problem: error };
      throw error;
    }
  }
}

function decode(path: string, bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  if (text === null) throw new FileProblem("file-encoding", `"${path}" is not UTF-8 text`);
  if (isLfsPointer(text))
    throw new FileProblem("file-lfs-pointer", `"${path}" is a pointer of Git LFS, not the file itself`);
  if (text.includes("\0")) throw new FileProblem("file-encoding", `"${path}" contains NUL characters`);
  return text;
}

/** The manifest whose spec is being resolved. */
export interface SpecContext {
  readonly run: LoadRun;
  /** The manifest's file, relative to the root. */
  readonly file: string;
  readonly report: ReportProblem;
  /** Takes the problems inside the files that it names. */
  readonly fileProblems: Problem[];
}
