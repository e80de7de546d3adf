import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { EdgewiseError } from "../core/errors.js";
import type { ManifestSource } from "../manifest/load-run.js";
import { isObject } from "../core/json.js";
import type { Tolerance } from "../plan/drift-findings.js";
import type { MaxDeletes } from "../plan/plan-context.js";
import type { Policy } from "../policies/plan-policy.js";

/** Everything that `loadConfig` reads besides files. Flags are as they were typed. */
export type ConfigInput = Readonly<{
  cwd: string;
  env: { readonly [name: string]: string | undefined };
  flags: ConfigFlags;
  /** Of a commit, instead of the file on disk: where it lies (absolute), and its text. Null = none. */
  committed?: Readonly<{ file: string; text: string }> | null;
  /** The service is not contacted, so a base URL may be elsewhere than `EDGEWISE_BASE_URL`. */
  offline?: boolean;
}>;

export type ConfigFlags = Readonly<{
  config?: string;
  environment?: string | undefined;
  stack?: string;
  file?: readonly string[];
  /** `NAME=VALUE` each. */
  var?: readonly string[];
  baseUrl?: string;
  versionHeader?: string;
  apiKeyFile?: string;
  allowInsecureHttp?: boolean;
  allow?: readonly string[];
  /** `5` or `25%`. */
  maxDeletes?: string;
}>;

/** Null when it is neither a number nor a percentage up to 100%. */
export function parseMaxDeletes(value: string | number): MaxDeletes | null {
  const [, digits, percent] = /^(\d{1,9})(%?)$/.exec(String(value)) ?? [];
  if (digits === undefined) return null;
  const number = Number(digits);
  if (percent === "") return { count: number };
  return number <= 100 ? { percent: number } : null;
}

/** The merged configuration. */
export type Config = ManifestSource &
  Readonly<{
    /** Absolute; null when there is none. */
    file: string | null;
    /** Absolute: the file's directory, or the working directory without a file. */
    root: string;
    environment: string | null;
    /** All that the file has. */
    environments: readonly string[];
    /** Whether the patterns come from `-f`; then nothing is pruned. */
    fromFlags: boolean;
    api: ApiConfig;
    guards: Readonly<{
      maxDeletes: MaxDeletes | null;
      /** The addresses of the configuration, then those of the flags, without duplicates. */
      allow: readonly string[];
    }>;
    previousStacks: readonly string[];
    lock: LockConfig;
    /** Those of the file, then those of the environment. */
    policies: readonly ConfiguredPolicy[];
    tolerate: readonly Tolerance[];
    notify: readonly NotifyConfig[];
  }>;

export interface ConfiguredPolicy extends Policy {
  readonly problem: (message: string, code?: "policy-expression" | "policy-name") => ConfigProblems;
}

export type NotifyConfig = Readonly<{
  url: string;
  type: "slack" | "json";
  secret: string | null;
  on: readonly ("applied" | "failed" | "drift")[];
}>;

export type LockConfig = Readonly<{
  wanted: boolean;
  /** How long a run waits between creating its lock and looking for others, in milliseconds. */
  settleMs: number;
}>;

export type ApiConfig = Readonly<{
  /** Without a trailing slash. */
  baseUrl: string | null;
  versionHeader: string;
  /** Null = no limit. */
  requestsPerMinute: number | null;
  /** Of one request. */
  timeoutMs: number;
  /** Of the whole run. */
  deadlineMs: number;
  /** How long lists may lag behind writes. */
  settleMs: number;
  moduleEndpoints: readonly string[];
  /** The file that remembers where the pages of lists were, absolute; null = none does. */
  pageCache: string | null;
}>;

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

export function mergeObjects(base: unknown, over: unknown): unknown {
  if (!isObject(base) || !isObject(over)) return over;
  const members = Object.entries(over).map(([name, value]) => [name, mergeObjects(base[name], value)] as const);
  return { ...base, ...Object.fromEntries(members) };
}
