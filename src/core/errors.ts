/** `2`, `3` and `130` are outcomes of commands, too. */
export type ErrorExit = 1 | 3 | 4 | 130;

/** The closed set of things that can go wrong in an expected way. docs/reference/codes.md explains each. */
export const errorCodes = [
  "usage", // the command line itself
  "config", // configuration file or environment
  "manifests", // manifests with errors; `diagnostics` tell them
  "secret-unavailable",
  "api", // the service answered with an error, or not at all
  "list-unbelievable", // a list that can't be trusted: no plan from it
  "plan-file", // a saved plan that can't be used
  "stale-plan",
  "refused", // a guard
  "locked", // the account's lock is another's, or was lost
  "git",
  "io",
  "interrupted",
] as const;

export type ErrorCode = (typeof errorCodes)[number];

type ErrorOptions = Readonly<{
  remedy?: string;
  exit?: ErrorExit;
  cause?: unknown;
}>;

/** An expected failure. Everything else that is thrown is a bug. */
export class EdgewiseError extends Error {
  override readonly name: string = "EdgewiseError";
  readonly options: ErrorOptions;

  /** @param more the remedy, or more than that */
  constructor(
    readonly code: ErrorCode,
    message: string,
    more: string | ErrorOptions = {},
  ) {
    const options = typeof more === "string" ? { remedy: more } : more;
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.options = options;
  }

  get exit(): ErrorExit {
    return this.options.exit ?? 1;
  }

  get remedy(): string | null {
    return this.options.remedy ?? null;
  }
}

export function misuse(message: string, remedy: string): EdgewiseError {
  return new EdgewiseError("usage", message, remedy);
}
