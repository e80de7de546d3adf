import type { ProblemPlace } from "../diagnostics/diagnostic.js";
import type { Json } from "../core/json.js";
import type { Redactor } from "../redact.js";
import type { SecretValue } from "../core/secret.js";
import type { FileTree } from "./file-tree.js";

/** A store of secrets that stands in for the environment and the files of this machine. */
export interface ManifestSecrets {
  /** The secret that a manifest names with `{env: NAME}` or `{file: NAME}`. Never throws. */
  read(from: "env" | "file", name: string): SecretValue;
  /** Why a manifest may not name it at all, and what to do; null = it may, whether it is there or not. */
  refusalOf(from: "env" | "file", name: string): { readonly message: string; readonly remedy: string } | null;
}

/** Where a pattern is written, and the text of that file; null for one that is written nowhere. */
export type PatternPlace = (index: number) => { readonly place: ProblemPlace; readonly text: string } | null;

/** The input of `loadManifests`, which reads nothing from the process itself. */
export interface LoadOptions {
  readonly tree: FileTree;
  /** Files, directories and globs. */
  readonly patterns: readonly string[];
  /** Absolute; the patterns are relative to it. */
  readonly patternBase: string;
  /** The flag that the patterns come from, for messages; absent = they come from the configuration. */
  readonly patternFlag?: string;
  readonly patternPlace?: PatternPlace;
  readonly variables: { readonly [name: string]: Json };
  /** The names of variables from flags, which have no type of their own; absent = none. */
  readonly untyped?: ReadonlySet<string>;
  readonly env: { readonly [name: string]: string | undefined };
  /** The environments that could be chosen and are not, for messages; absent = none. */
  readonly environments?: readonly string[];
  /** Where secrets are; absent = in `env`, and in files that `tree` reads. */
  readonly secrets?: ManifestSecrets;
  /** Ids of existing resources by address, used as if they were `metadata.id` of the manifests. */
  readonly adopt: { readonly [address: string]: string };
  /** For the size of the metadata with its marker; null = not known. */
  readonly stack: string | null;
  readonly allowInlineSecrets: boolean;
  /** Which of some files, by absolute paths, Git tracks; absent = none is. */
  readonly trackedFiles?: (paths: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Absolute path of the API key's file, which no manifest may name. */
  readonly apiKeyFile: string | null;
  /** Whether these are all manifests of the stack; if not, the planner checks references instead. */
  readonly complete: boolean;
  /** Whether to check secrets, too. Not for the manifests of another commit: the secrets are those of today. */
  readonly deep: boolean;
  /** Whether a secret that is not available is left to the plan, which treats it as unknown; absent = it is a warning. */
  readonly plansUnavailable?: boolean;
  /** Learns every secret that manifests name. Absent = nothing is read for it. */
  readonly redactor?: Redactor;
  /** The time for the validity of certificates, milliseconds since 1970; absent = not checked. */
  readonly now?: number;
}
