import type { Impact } from "../../kinds/impact.js";

/** The flags that every command shares, as the program parsed them. Absent = not given. */
export interface CommonFlags {
  readonly config?: string;
  readonly environment?: string;
  readonly stack?: string;
  readonly file?: readonly string[];
  /** `NAME=VALUE`, unparsed. */
  readonly var?: readonly string[];
  readonly baseUrl?: string;
  readonly versionHeader?: string;
  /** One of the command's formats; absent = the command's first. */
  readonly output?: string;
  readonly outputFile?: string;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly logFormat?: "text" | "json";
  readonly apiKeyFile?: string;
  readonly allowInsecureHttp?: boolean;
  readonly allowInlineSecrets?: boolean;
}

/** What every command takes that makes a plan. Absent = not given. */
export interface PlanningFlags extends CommonFlags {
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
  readonly concurrency?: number;
  readonly base?: string;
  readonly out?: string;
  readonly failOn?: Impact;
  readonly detailedExitcode?: boolean;
}

export type PlanFlags = PlanningFlags;

/** What the commands take that write. */
interface WritingFlags {
  readonly autoApprove?: boolean;
  readonly journal?: string;
  /** False with `--no-verify`. */
  readonly verify?: boolean;
  readonly failFast?: boolean;
}

export interface ApplyFlags extends PlanningFlags, WritingFlags {
  /** The hash of the saved plan that was approved, `sha256:…`. */
  readonly approved?: string;
  /** The saved plan deletes everything, and may. */
  readonly destroy?: boolean;
}

export interface DestroyFlags extends PlanningFlags, WritingFlags {}

export type ShowFlags = CommonFlags;

export interface DriftFlags extends PlanningFlags {
  readonly unmanaged?: boolean;
  /** Milliseconds. */
  readonly expiresWithin?: number;
}
