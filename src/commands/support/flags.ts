import type { ConfigFlags } from "../../config/config.js";
import type { Impact } from "../../kinds/impact.js";

/** The flags that commands share, as the program parsed them. Absent = not given. */
export interface CommonFlags extends Pick<
  ConfigFlags,
  "config" | "environment" | "stack" | "file" | "var" | "baseUrl" | "versionHeader" | "apiKeyFile" | "allowInsecureHttp"
> {
  /** One of the command's formats; absent = the command's first. */
  readonly output?: string;
  readonly outputFile?: string;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly logFormat?: "text" | "json";
  readonly allowInlineSecrets?: boolean;
  /** The commit whose configuration and manifests are read, instead of those on disk. */
  readonly ref?: string;
}

/** The flags of commands that list stacks. */
export interface StacksFlags extends Pick<CommonFlags, "output" | "outputFile" | "quiet" | "verbose" | "logFormat"> {
  /** A branch, tag or commit: only stacks that changed since HEAD left it. */
  readonly changedSince?: string;
}

/** The flags of commands that run for every stack. */
export interface AllFlags {
  /** For every stack below the working directory. */
  readonly all?: boolean;
  /** Only for stacks that changed since HEAD left this branch, tag or commit. */
  readonly changedSince?: string | undefined;
  /** The origins that may get the API key. */
  readonly allowOrigin?: readonly string[] | undefined;
}

/** The flags of commands that call the service. */
export interface ConnectFlags extends CommonFlags {
  readonly concurrency?: number;
  /** The file that remembers where the pages of lists were. */
  readonly pageCache?: string;
}

/** The flags of commands that make a plan. */
export interface PlanFlags extends ConnectFlags {
  readonly only?: readonly string[];
  /** `name=value`; a manifest must have all of them. */
  readonly label?: readonly string[];
  readonly allow?: readonly string[];
  /** `5` or `25%`. */
  readonly maxDeletes?: string;
  readonly allowEmpty?: boolean;
  readonly takeOver?: boolean;
  /** False with `--no-prune`. */
  readonly prune?: boolean;
  readonly base?: string;
  readonly out?: string;
  /** One line for each change, in text. */
  readonly compact?: boolean;
  readonly failOn?: Impact;
  readonly detailedExitcode?: boolean;
}

export interface ApplyFlags extends PlanFlags {
  readonly autoApprove?: boolean;
  readonly journal?: string;
  /** False with `--no-verify`. */
  readonly verify?: boolean;
  readonly failFast?: boolean;
  /** The hash of the saved plan that was approved, `sha256:…`. */
  readonly approved?: string;
  /** Takes the account's lock before anything is written. */
  readonly lock?: boolean;
  /** How long to wait for the account's lock, in milliseconds. */
  readonly lockTimeout?: number;
  /** Accepts a saved plan that deletes everything. */
  readonly destroy?: boolean;
}

export type DestroyFlags = Omit<ApplyFlags, "approved" | "destroy">;

export interface DriftFlags extends PlanFlags {
  readonly unmanaged?: boolean;
  /** Milliseconds. */
  readonly expiresWithin?: number;
}

export interface UnlockFlags extends ConnectFlags {
  readonly autoApprove?: boolean;
}
