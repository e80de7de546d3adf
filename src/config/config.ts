import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { EdgewiseError } from "../core/errors.js";
import type { ManifestSource } from "../manifest/load-run.js";
import { isObject } from "../core/json.js";
import type { Tolerance } from "../plan/drift-findings.js";
import type { MaxDeletes } from "../plan/plan-context.js";
import type { Policy } from "../policies/plan-policy.js";

/** Everything that `loadConfig` reads besides files. Flags are as they were typed. */
export interface ConfigInput {
  readonly cwd: string;
  readonly env: { readonly [name: string]: string | undefined };
  readonly flags: ConfigFlags;
  /** Of a commit, instead of the file on disk: where it lies (absolute), and its text. Null = none. */
  readonly committed?: { readonly file: string; readonly text: string } | null;
  /** The service is not contacted, so a base URL may be elsewhere than `EDGEWISE_BASE_URL`. */
  readonly offline?: boolean;
}

export interface ConfigFlags {
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

/** Null when it is neither a number nor a percentage up to 100%. */
export function parseMaxDeletes(value: string | number): MaxDeletes | null {
  const [, digits, percent] = /^(\d{1,9})(%?)$/.exec(String(value)) ?? [];
  if (digits === undefined) return null;
  const number = Number(digits);
  if (percent === "") return { count: number };
  return number <= 100 ? { percent: number } : null;
}

/** The merged configuration. */
export interface Config extends ManifestSource {
  /** Absolute; null when there is none. */
  readonly file: string | null;
  /** Absolute: the file's directory, or the working directory without a file. */
  readonly root: string;
  readonly environment: string | null;
  /** All that the file has. */
  readonly environments: readonly string[];
  /** Whether the patterns come from `-f`; then nothing is pruned. */
  readonly fromFlags: boolean;
  readonly api: ApiConfig;
  readonly guards: {
    readonly maxDeletes: MaxDeletes | null;
    /** The addresses of the configuration, then those of the flags, without duplicates. */
    readonly allow: readonly string[];
  };
  readonly previousStacks: readonly string[];
  readonly lock: LockConfig;
  /** Those of the file, then those of the environment. */
  readonly policies: readonly ConfiguredPolicy[];
  readonly tolerate: readonly Tolerance[];
  readonly notify: readonly NotifyConfig[];
  readonly warnings: readonly Diagnostic[];
}

export interface ConfiguredPolicy extends Policy {
  readonly problem: (message: string, code?: "policy-expression" | "policy-name") => ConfigProblems;
}

/** Names are those of variables. */
export interface NotifyConfig {
  readonly url: string;
  readonly type: "slack" | "json";
  readonly secret: string | null;
  readonly on: readonly ("applied" | "failed" | "drift")[];
}

export interface LockConfig {
  readonly wanted: boolean;
  /** How long a run waits between creating its lock and looking for others, in milliseconds. */
  readonly settleMs: number;
}

export interface ApiConfig {
  /** Without a trailing slash. */
  readonly baseUrl: string | null;
  /** Where it is written, for messages: `--base-url`, `EDGEWISE_BASE_URL`, `api.baseUrl in edgewise.yaml:5`. */
  readonly baseUrlFrom: () => string | null;
  readonly versionHeader: string;
  /** Null = no limit. */
  readonly requestsPerMinute: number | null;
  /** Of one request. */
  readonly timeoutMs: number;
  /** Of the whole run. */
  readonly deadlineMs: number;
  /** How long lists may lag behind writes. */
  readonly settleMs: number;
  readonly moduleEndpoints: readonly string[];
  /** The file that remembers where the pages of lists were, absolute; null = none does. */
  readonly pageCache: string | null;
}

/** A configuration file has errors. `diagnostics` show which and where; the message only counts them. */
export class ConfigProblems extends EdgewiseError {
  override readonly name = "ConfigProblems";

  constructor(
    file: string,
    readonly diagnostics: readonly Diagnostic[],
  ) {
    const count = diagnostics.length;
    super("config", `${file} has ${count === 1 ? "an error" : `${count} errors`}`);
  }
}

/** Merges objects member by member, recursively; everything else is replaced as a whole. */
export function mergeObjects(base: unknown, over: unknown): unknown {
  if (!isObject(base) || !isObject(over)) return over;
  const members = Object.entries(over).map(([name, value]) => [name, mergeObjects(base[name], value)] as const);
  return { ...base, ...Object.fromEntries(members) };
}
