import type { Io } from "./io.js";

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

/**
 * What a command is: it writes its result through `io` and returns the exit code.
 * Expected failures are thrown as EdgewiseError and shown by the program.
 */
export type Command<Flags extends CommonFlags> = (flags: Flags, io: Io) => Promise<number>;
