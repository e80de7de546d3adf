import { EdgewiseError, misuse } from "../../core/errors.js";
import { guardRunner, safeJsonLine, visible, visibleLine } from "../../core/visible.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { Redactor } from "../../redact.js";
import { renderDiagnosticsText } from "../../report/diagnostics-report.js";
import { palette } from "../../report/styles.js";
import type { SharedAccounts } from "./shared-account.js";

export type Io = Readonly<{
  stdout(text: string): void;
  stderr(text: string): void;
  env: { readonly [name: string]: string | undefined };
  cwd: string;
  stdinIsTerminal: boolean;
  stderrIsTerminal: boolean;
  color: boolean;
  stderrColor: boolean;
  columns?: number;
  stderrColumns?(): number | undefined;
  ask(question: string): Promise<string>;
  onSignal(handler: (signal: "SIGINT" | "SIGTERM") => void): () => void;
  onHangup(handler: () => void): () => void;
  now(): number;
}>;

export type GuardedIo = Io &
  Readonly<{
    redactor: Redactor;
    accounts?: SharedAccounts;
  }>;

export function guarded(io: Io): GuardedIo {
  const redactor = new Redactor();
  redactor.addKey(io.env["EDGEWISE_API_KEY"]?.trim() ?? "");
  return { ...io, redactor };
}

export type OutputFlags = Readonly<{
  output?: string;
  outputFile?: string | undefined;
  color?: boolean;
  quiet?: boolean;
  verbose?: boolean;
  logFormat?: "text" | "json";
}>;

export type CommandIo = GuardedIo &
  Readonly<{
    format: string | undefined;
    outputFile: string | undefined;
    verbose: boolean;
    log: Log;
    status: StatusLine;
    /** Absolute: the configuration's directory, once that is loaded. */
    root?: string;
  }>;

export type Log = Readonly<{
  format: "text" | "json";
  quiet: boolean;
  warning(message: string, details?: LogDetails): void;
  info(message: string, details?: LogDetails): void;
  error(message: string, remedy: string | null, details?: LogDetails): void;
}>;

interface LogDetails {
  readonly [member: string]: string | number | boolean | null | undefined;
}

interface StatusLine {
  readonly isLive: boolean;
  show(text: string): void;
  clear(): void;
}

export function commandIo(io: GuardedIo, flags: OutputFlags): CommandIo {
  const { color = true, logFormat = "text", output, outputFile, quiet = false, verbose = false } = flags;
  const plain = color ? io : { ...io, color: false, stderrColor: false };
  const hasStatus = !quiet && logFormat === "text" && io.stderrIsTerminal && io.env["TERM"] !== "dumb";
  const { status, ...shown } = hasStatus ? withStatusLine(plain) : { ...plain, status: noStatus };
  return { ...shown, format: output, outputFile, verbose, log: createLog(shown, logFormat, quiet), status };
}

function createLog(io: GuardedIo, format: Log["format"], quiet: boolean): Log {
  const paint = palette(io.stderrColor);
  const json = (level: string, message: string, details: LogDetails): void =>
    io.stderr(safeJsonLine({ time: new Date(io.now()).toISOString(), level, message, ...details }));
  const say = (level: "info" | "warning", prefix: string, message: string, details: LogDetails = {}) => {
    if (quiet) return;
    if (format === "json") json(level, message, details);
    else io.stderr(`${prefix}${harmless(message)}\n`);
  };
  return {
    format,
    quiet,
    warning: (message, details) => say("warning", `${paint.change("warning:")} `, message, details),
    info: (message, details) => say("info", "", message, details),
    error: (message, remedy, details = {}) => {
      if (format === "json") return json("error", message, remedy === null ? details : { ...details, remedy });
      const advice = remedy === null ? "" : `${indented(remedy.charAt(0).toUpperCase() + remedy.slice(1))}\n`;
      io.stderr(`${paint.alarm("error:")} ${indented(message)}\n${advice}`);
    },
  };
}

/** No quoted text controls a terminal or a CI runner. */
function harmless(text: string): string {
  return guardRunner(visible(text));
}

/** No quoted word begins a line like one of this program's. */
function indented(text: string): string {
  return harmless(text).replaceAll("\n", "\n  ");
}

export async function showDiagnostics(
  diagnostics: readonly Diagnostic[],
  { log, stderr, stderrColor }: CommandIo,
): Promise<void> {
  const shown = log.quiet ? diagnostics.filter(({ severity }) => severity === "error") : diagnostics;
  if (shown.length === 0) return;
  if (log.format === "text") return stderr(renderDiagnosticsText(shown, { color: stderrColor }));
  for (const { severity, message, remedy, code, file, line, column, address } of shown) {
    const details = { code, file, line, column, address };
    if (severity === "error") log.error(message, remedy, details);
    else log.warning(message, remedy === null ? details : { ...details, remedy });
  }
}

const noStatus: StatusLine = { isLive: false, show: () => {}, clear: () => {} };

function withStatusLine(io: GuardedIo): GuardedIo & { readonly status: StatusLine } {
  let text: string | null = null;
  let isShown = false;
  const erase = () => {
    if (isShown) io.stderr("\r\u001b[K");
    isShown = false;
  };
  const draw = () => {
    erase();
    if (text !== null) io.stderr(text);
    isShown = text !== null;
  };
  return {
    ...io,
    stdout: (part) => {
      erase();
      io.stdout(part);
    },
    stderr: (part) => {
      erase();
      io.stderr(part);
      if (part.endsWith("\n")) draw();
    },
    ask: (question) => {
      erase();
      return io.ask(question);
    },
    status: {
      isLive: true,
      show: (next) => {
        if (isShown && text === next) return;
        text = next;
        draw();
      },
      clear: () => {
        text = null;
        erase();
      },
    },
  };
}

export async function during<T>({ status }: CommandIo, text: string, work: () => Promise<T>): Promise<T> {
  status.show(text);
  try {
    return await work();
  } finally {
    status.clear();
  }
}

export function requireApprover(
  { autoApprove }: { readonly autoApprove?: boolean },
  io: Io,
  what = "confirm the plan",
  remedy = "Give --auto-approve to apply without asking.",
): void {
  if (!autoApprove && !io.stdinIsTerminal) throw misuse(`there is no terminal on which to ${what}`, remedy);
}

export async function confirm(question: string, io: Io, purpose: string, signal?: AbortSignal): Promise<void> {
  const answer = await io.ask(`${palette(io.stderrColor).bold(visibleLine(question))} Type yes: `);
  if (signal !== undefined) stopIfInterrupted(signal);
  if (answer.trim() !== "yes") throw misuse("not approved: nothing was changed", `Type yes to ${purpose}.`);
}

export function stopIfInterrupted(signal: AbortSignal): void {
  if (signal.aborted) throw interrupted();
}

export function interrupted(): EdgewiseError {
  return new EdgewiseError("interrupted", "interrupted: nothing was changed", { exit: 130 });
}

export type Interrupts = Readonly<{
  soft: AbortSignal;
  hard: AbortSignal;
  /** From now on the first signal lets requests in flight finish. */
  writing(): void;
  end(): void;
}>;

export function takeInterrupts({ log, onSignal }: CommandIo): Interrupts {
  const soft = new AbortController();
  const hard = new AbortController();
  let writing = false;
  const end = onSignal((signal) => {
    if (!writing || soft.signal.aborted) hard.abort(signal);
    else log.warning(`${signal}: no more requests are started, those in flight finish. Another one cuts them off.`);
    soft.abort(signal);
  });
  return { soft: soft.signal, hard: hard.signal, writing: () => void (writing = true), end };
}
