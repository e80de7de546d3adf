import { guardRunner, visible } from "../report/escape.js";
import { safeJsonLine } from "../report/safe-json.js";
import { palette } from "../report/styles.js";
import type { CommonFlags } from "./flags.js";
import type { Io } from "./io.js";

/** What is told to people (or with `--log-format json` to machines, a JSON object a line) on stderr. */
export interface Log {
  readonly format: "text" | "json";
  readonly quiet: boolean;
  /** Something that should be known and stops nothing. Silent with `--quiet`. */
  warning(message: string, details?: LogDetails): void;
  /** What is being done. Silent with `--quiet`. */
  info(message: string, details?: LogDetails): void;
  /** Why the command fails, and what to do about it. Never silent. */
  error(message: string, remedy: string | null, details?: LogDetails): void;
}

/** Further members of a JSON line; not shown as text. */
export interface LogDetails {
  readonly [member: string]: string | number | boolean | null | undefined;
}

/** The log that the flags ask for. */
export function createLog(flags: Pick<CommonFlags, "logFormat" | "quiet">, io: Io): Log {
  const quiet = flags.quiet === true;
  const paint = palette(io.stderrColor);
  if (flags.logFormat === "json") {
    const line = (level: string, message: string, details: LogDetails | undefined): void => {
      const time = new Date(io.now()).toISOString();
      io.stderr(safeJsonLine({ time, level, message, ...details }));
    };
    return {
      format: "json",
      quiet,
      warning: (message, details) => (quiet ? undefined : line("warning", message, details)),
      info: (message, details) => (quiet ? undefined : line("info", message, details)),
      error: (message, remedy, details) => line("error", message, remedy === null ? details : { ...details, remedy }),
    };
  }
  return {
    format: "text",
    quiet,
    warning: (message) => (quiet ? undefined : io.stderr(`${paint.change("warning:")} ${harmless(message)}\n`)),
    info: (message) => (quiet ? undefined : io.stderr(`${harmless(message)}\n`)),
    error: (message, remedy) =>
      io.stderr(
        `${paint.alarm("error:")} ${harmless(message)}\n${remedy === null ? "" : `${harmless(sentence(remedy))}\n`}`,
      ),
  };
}

/** Messages quote what others wrote: nothing in them may act upon a terminal or a runner. */
function harmless(text: string): string {
  return guardRunner(visible(text));
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
