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
