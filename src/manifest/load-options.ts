import type { Json } from "../json.js";
import type { FileTree } from "./file-tree.js";

/** What is told, while manifests are read, of what an output may show. */
export interface SecretListener {
  /** A secret that a manifest names. @param inManifest whether it is written there itself */
  add(secret: string, inManifest: boolean): void;
  /** Something that everybody may read: a text, or a value with texts in it. */
  reveal(value: unknown): void;
  /** What an output must be able to name: an address, a file, a variable. */
  name(text: string): void;
}

/** What {@link loadManifests} needs to know. It reads nothing of the process itself. */
export interface LoadOptions {
  readonly tree: FileTree;
  /** Files, directories and globs. */
  readonly patterns: readonly string[];
  /** Absolute; what the patterns are relative to. */
  readonly patternBase: string;
  readonly variables: { readonly [name: string]: Json };
  /** The names of variables that came as text and have no type of their own; absent = none. */
  readonly untyped?: ReadonlySet<string>;
  readonly env: { readonly [name: string]: string | undefined };
  /** Ids of existing resources by address, as if the manifests had them as `metadata.id`. */
  readonly adopt: { readonly [address: string]: string };
  /** For the size of the metadata on the wire; null = not known. */
  readonly stack: string | null;
  readonly allowInlineSecrets: boolean;
  /** Absolute path of the API key's own file, which no manifest may name. */
  readonly apiKeyFile: string | null;
  /** Whether these are all manifests of the stack; otherwise names that are missing are left to the planner. */
  readonly complete: boolean;
  /** Whether secrets are read and checked too. */
  readonly deep: boolean;
  /** Called once when 250 documents were read without a mistake: time for something else. */
  readonly onMany?: () => void;
  /** Told of secrets, so that no output shows them. Absent = nobody asks. */
  readonly secrecy?: SecretListener;
  /** The time for the validity of certificates, milliseconds since 1970; absent = not checked. */
  readonly now?: number;
}
