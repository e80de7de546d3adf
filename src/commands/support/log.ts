import { renderDiagnosticsText } from "../../report/diagnostics-report.js";
import { palette } from "../../report/styles.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { safeJsonLine, guardRunner, visible } from "../../core/visible.js";
import type { CommonFlags } from "./command-options.js";
import type { GuardedIo, Io } from "./io.js";

/** Messages on stderr: for people, or with `--log-format json` one JSON object per line. */
export interface Log {
  readonly format: "text" | "json";
  readonly quiet: boolean;
  /** Something to know that stops nothing. Silent with `--quiet`. */
  warning(message: string, details?: LogDetails): void;
  /** What is being done. Silent with `--quiet`. */
  info(message: string, details?: LogDetails): void;
  /** Why the command fails, and what to do about it. Never silent. */
  error(message: string, remedy: string | null, details?: LogDetails): void;
}

/** Further members of a JSON line; not shown as text. */
interface LogDetails {
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
        `${paint.alarm("error:")} ${indented(message)}\n${remedy === null ? "" : `${indented(sentence(remedy))}\n`}`,
      ),
  };
}

/** Messages quote texts of others: nothing in them may control a terminal or a CI runner. */
function harmless(text: string): string {
  return guardRunner(visible(text));
}

/** No word that an error quotes begins a line that looks like one of this program's. */
function indented(text: string): string {
  return harmless(text).replaceAll("\n", "\n  ");
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Shows problems on stderr, each with its place and a caret. With `--quiet` warnings are left out. */
export async function showDiagnostics(diagnostics: readonly Diagnostic[], log: Log, io: GuardedIo): Promise<void> {
  const shown = log.quiet ? diagnostics.filter(({ severity }) => severity === "error") : diagnostics;
  if (shown.length === 0) return;
  if (log.format === "json") {
    for (const { severity, message, remedy, code, file, line, column, address } of shown) {
      const details = { code, file, line, column, address };
      if (severity === "error") log.error(message, remedy, details);
      else log.warning(message, remedy === null ? details : { ...details, remedy });
    }
    return;
  }
  io.stderr(renderDiagnosticsText(shown, { color: io.stderrColor }));
}

/** A line at the bottom of a terminal that shows the current activity. */
export interface StatusLine {
  /** Whether there is a terminal to show it on. */
  readonly isLive: boolean;
  /** Shows a text until something else is written. */
  show(text: string): void;
  /** Shows a text that stays below everything else until it is cleared. */
  pin(text: string): void;
  clear(): void;
  /** Whether a text is pinned. */
  isPinned(): boolean;
}

/** What there is without a terminal. */
const noStatus: StatusLine = {
  isLive: false,
  show: () => {},
  pin: () => {},
  clear: () => {},
  isPinned: () => false,
};

/**
 * A status line on stderr, and an Io that clears it before anything else is written.
 * @param wanted whether to show one; without a terminal that can erase lines there never is one
 */
export function withStatusLine<T extends Io>(io: T, wanted: boolean): { readonly io: T; readonly status: StatusLine } {
  if (!wanted || !io.stderrIsTerminal || io.env["TERM"] === "dumb") return { io, status: noStatus };
  let shown = false;
  let pinned: string | null = null;
  const erase = (): void => {
    if (shown) io.stderr("\r\u001b[K");
    shown = false;
  };
  const clear = (): void => {
    pinned = null;
    erase();
  };
  const show = (text: string): void => {
    erase();
    io.stderr(text);
    shown = true;
  };
  const cleared = {
    ...io,
    stdout: (text: string): void => {
      clear();
      io.stdout(text);
    },
    stderr: (text: string): void => {
      erase();
      io.stderr(text);
      // Otherwise it would follow an unfinished line.
      if (pinned !== null && text.endsWith("\n")) show(pinned);
    },
    ask: async (question: string): Promise<string> => {
      clear();
      return io.ask(question);
    },
  };
  const status: StatusLine = {
    isLive: true,
    show,
    pin: (text) => {
      if (shown && text === pinned) return;
      pinned = text;
      show(text);
    },
    clear,
    isPinned: () => pinned !== null,
  };
  return { io: cleared, status };
}

/** Shows a text on the status line while work goes on. */
export async function during<T>(status: StatusLine, text: string, work: () => Promise<T>): Promise<T> {
  status.show(text);
  try {
    return await work();
  } finally {
    status.clear();
  }
}
