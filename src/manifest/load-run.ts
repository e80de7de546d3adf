import { join } from "node:path";
import type { Json } from "../core/json.js";
import { limits } from "../core/limits.js";
import type { Secret, SecretValue } from "../core/secret.js";
import type { Diagnostic, Problem, ProblemPlace } from "../diagnostics/diagnostic.js";
import { Problems } from "../diagnostics/problems.js";
import { decodeUtf8 } from "../files/read-bounded.js";
import { realOrItself } from "../files/real-path.js";
import type { Redactor } from "../redact.js";
import { FileProblem, type FileTree, isLfsPointer } from "./file-tree.js";

/** In place of this machine's environment and files: how to read a secret, or why no manifest may name it. */
export type ManifestSecrets = (
  from: "env" | "file",
  name: string,
) => (() => SecretValue) | Readonly<{ message: string; remedy: string }>;

export type PatternPlace = (index: number) => Readonly<{ place: ProblemPlace; text: string }> | null;

export type ManifestSource = Readonly<{
  /** Files, directories and globs, from the configuration or `-f`. */
  patterns: readonly string[];
  /** Absolute; the patterns are relative to it. */
  patternBase: string;
  /** Absent where the patterns don't come from a file. */
  patternPlace?: PatternPlace;
  variables: { readonly [name: string]: Json };
  /** The names of variables from `--var`, which are text: a flag has no types. */
  untyped?: ReadonlySet<string>;
  /** Used as if they were `metadata.id` of the manifests. */
  adopt: { readonly [address: string]: string };
  /** For the size of the metadata with its marker; null = not known. */
  stack: string | null;
}>;

/** Nothing is read from the process itself. */
export type LoadOptions = ManifestSource &
  Readonly<{
    tree: FileTree;
    env: { readonly [name: string]: string | undefined };
    /** The environments that could be chosen and are not, for messages. */
    environments?: readonly string[];
    /** Absent = secrets are in `env`, and in files that `tree` reads. */
    secrets?: ManifestSecrets;
    allowInlineSecrets: boolean;
    /** Which of some files, by absolute paths, Git tracks; absent = none is. */
    trackedFiles?: (paths: readonly string[]) => Promise<ReadonlySet<string>>;
    /** Absolute; no manifest may name it. */
    apiKeyFile: string | null;
    /** Whether these are all manifests of the stack; if not, the planner checks references instead. */
    complete: boolean;
    /** Whether to check secrets: not of another commit's manifests. */
    deep: boolean;
    /** Whether a secret that is not available is no warning, but unknown to the plan. */
    plansUnavailable?: boolean;
    redactor?: Redactor;
    /** For the validity of certificates, milliseconds since 1970; absent = not checked. */
    now?: number;
  }>;

/** All manifests of a stack, with every check. */
export const loadDefaults = {
  variables: {},
  env: {},
  adopt: {},
  stack: null,
  allowInlineSecrets: false,
  apiKeyFile: null,
  complete: true,
  deep: true,
} as const satisfies Partial<LoadOptions>;

type FileText = { readonly text: string } | { readonly problem: FileProblem };

/** Reads each file once, and all together up to a limit. */
export class LoadRun {
  readonly problems = new Problems();
  readonly contents = new Set<string>();
  #spent = 0;
  readonly #files = new Map<string, Promise<FileText>>();
  readonly #secrets = new Set<string>();
  #apiKeys: readonly string[] | undefined;

  constructor(readonly options: LoadOptions) {}

  /** @returns the problem, once it is too much altogether */
  spend(bytes: number): Pick<Problem, "code" | "message"> | null {
    this.#spent += bytes;
    if (this.#spent <= limits.inputBytes) return null;
    const message = `the manifests, with the files and variables in them, have more than ${limits.inputBytes} bytes`;
    return { code: "input-too-large", message };
  }

  text(path: string): Promise<FileText> {
    const text = this.#files.get(path) ?? this.#read(path);
    this.#files.set(path, text);
    return text;
  }

  content(path: string): Promise<FileText> {
    this.contents.add(path);
    return this.text(path);
  }

  async diagnostics(others: ReadonlyMap<string, string>): Promise<readonly Diagnostic[]> {
    const texts = new Map(others);
    for (const file of this.problems.files) {
      const read = await this.#files.get(file);
      if (read !== undefined && "text" in read) texts.set(file, read.text);
    }
    return this.problems.diagnostics(texts);
  }

  isApiKeyFile(path: string): boolean {
    const { apiKeyFile } = this.options;
    return apiKeyFile !== null && realOrItself(path) === realOrItself(apiKeyFile);
  }

  holdsApiKey(text: string): boolean {
    this.#apiKeys ??= this.#findApiKeys();
    return this.#apiKeys.some((key) => text.includes(key));
  }

  #findApiKeys(): readonly string[] {
    const { apiKeyFile, env, tree } = this.options;
    const inFile = apiKeyFile === null ? null : tree.readSecret(apiKeyFile);
    const found = [env["EDGEWISE_API_KEY"] ?? "", inFile?.available === true ? inFile.text : ""];
    return found.map((key) => key.trim()).filter((key) => key.length >= 8);
  }

  /** Outputs are searched for each secret, so it counts tenfold. */
  register(secret: Secret): Pick<Problem, "code" | "message"> | null {
    const { redactor } = this.options;
    if (redactor === undefined || secret.missing !== null) return null;
    const text = secret.reveal();
    if (this.#secrets.has(text)) return null;
    const excess = this.spend(10 * text.length);
    if (excess !== null) return excess;
    this.#secrets.add(text);
    redactor.addSecret(text);
    return null;
  }

  async #read(path: string): Promise<FileText> {
    const { tree } = this.options;
    const refuse = (reason: FileProblem["reason"], is: string): FileText => ({
      problem: new FileProblem(reason, `"${path}" ${is}`),
    });
    try {
      if (this.isApiKeyFile(join(tree.root, path)))
        return refuse("file-is-api-key", "is the file that holds the API key");
      const text = decodeUtf8(await tree.read(path));
      if (text === null) return refuse("file-encoding", "is not UTF-8 text");
      if (isLfsPointer(text)) return refuse("file-lfs-pointer", "is a pointer of Git LFS, not the file itself");
      if (text.includes("\0")) return refuse("file-encoding", "contains NUL characters");
      // It would be sent and shown to everybody.
      return this.holdsApiKey(text) ? refuse("file-is-api-key", "holds the API key") : { text };
    } catch (error) {
      if (error instanceof FileProblem) return { problem: error };
      throw error;
    }
  }
}
