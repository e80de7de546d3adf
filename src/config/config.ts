import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { EdgewiseError } from "../errors.js";
import type { Json } from "../json.js";

/** What {@link loadConfig} reads: nothing of the process itself. Flags are as they were typed. */
export interface ConfigInput {
  /** Absolute. */
  readonly cwd: string;
  readonly env: { readonly [name: string]: string | undefined };
  readonly flags: ConfigFlags;
  /** The text of the configuration file in place of what is on disk: for another commit's. */
  readonly text?: string;
}

/** The flags that configuration concerns. Absent = not given. */
interface ConfigFlags {
  readonly config?: string;
  readonly environment?: string;
  readonly stack?: string;
  readonly file?: readonly string[];
  /** `NAME=VALUE` each. */
  readonly var?: readonly string[];
  readonly baseUrl?: string;
  readonly versionHeader?: string;
  readonly apiKeyFile?: string;
  readonly allowInsecureHttp?: boolean;
  readonly allow?: readonly string[];
  /** `5` or `25%`. */
  readonly maxDeletes?: string;
}

/** How many deletions one plan may hold: a number, or a percentage (0–100) of what the stack owns. */
export type MaxDeletes = { readonly count: number } | { readonly percent: number };

/** `5` or `25%`; null for what is neither, and for more than 100%. */
export function parseMaxDeletes(value: string | number): MaxDeletes | null {
  const [, digits, percent] = /^(\d{1,9})(%?)$/.exec(String(value)) ?? [];
  if (digits === undefined) return null;
  const number = Number(digits);
  if (percent === "") return { count: number };
  return number <= 100 ? { percent: number } : null;
}

/** Flags, environment, file and defaults, laid over one another in this order. */
export interface Config {
  /** Absolute path of the configuration file; null when there is none. */
  readonly file: string | null;
  /** Absolute. The file's directory, or the working directory without one. */
  readonly root: string;
  readonly environment: string | null;
  readonly stack: string | null;
  /** Files, directories and globs, of the configuration or of `-f`. */
  readonly patterns: readonly string[];
  /** Absolute; what `patterns` are relative to. */
  readonly patternBase: string;
  /** The patterns are those of `-f`: then nothing is pruned. */
  readonly fromFlags: boolean;
  readonly api: ApiConfig;
  readonly variables: { readonly [name: string]: Json };
  /** The names of those that came as text, from `--var`: a flag has no types. */
  readonly untyped: ReadonlySet<string>;
  readonly guards: {
    readonly maxDeletes: MaxDeletes | null;
    /** The configuration's addresses, then those of the flags, each once. */
    readonly allow: readonly string[];
  };
  /** Ids by address. */
  readonly adopt: { readonly [address: string]: string };
  readonly previousStacks: readonly string[];
  readonly warnings: readonly Diagnostic[];
}

export interface ApiConfig {
  /** Without a slash at its end. */
  readonly baseUrl: string | null;
  readonly versionHeader: string;
  /** Null = no ceiling. */
  readonly requestsPerMinute: number | null;
  /** Of one request. */
  readonly timeoutMs: number;
  /** Of the whole run. */
  readonly deadlineMs: number;
  readonly moduleEndpoints: readonly string[];
}

/** A configuration file with errors. `diagnostics` say what and where; the message only sums up. */
export class ConfigProblems extends EdgewiseError {
  override readonly name = "ConfigProblems";

  /** @param file how the file is called in messages */
  constructor(
    file: string,
    readonly diagnostics: readonly Diagnostic[],
  ) {
    const count = diagnostics.length;
    super("config", `${file} has ${count === 1 ? "an error" : `${count} errors`}`);
  }
}
