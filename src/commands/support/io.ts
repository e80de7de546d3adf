import { Redactor } from "../../redact.js";

/**
 * Everything of the process that a command may use. The program (or a test) passes it in, so that commands can run in
 * memory.
 */
export interface Io {
  /** Writes a part of the result, unchanged. Only results go here. */
  stdout(text: string): void;
  /** Writes progress, warnings and errors for people, unchanged; the text includes its newline. */
  stderr(text: string): void;
  readonly env: { readonly [name: string]: string | undefined };
  /** Absolute. */
  readonly cwd: string;
  /** Absolute: the configuration's directory; absent until a configuration is loaded. */
  readonly root?: string;
  readonly stdinIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  /** Whether the result on stdout may be coloured. */
  readonly color: boolean;
  /** Whether stderr may be coloured. */
  readonly stderrColor: boolean;
  /** The width of the terminal that shows the result; absent without a terminal. */
  readonly columns?: number;
  /** The width of the terminal that stderr is, now; undefined when it is none, or doesn't say. */
  stderrColumns?(): number | undefined;
  /** Calls `handler` before the program is suspended (Ctrl-Z), until the returned function is called. */
  onSuspend?(handler: () => void): () => void;
  /** Asks on the terminal and returns the typed line without its newline; "" at the end of input. */
  ask(question: string): Promise<string>;
  /** Calls `handler` for every SIGINT and SIGTERM until the returned function is called. */
  onSignal(handler: (signal: "SIGINT" | "SIGTERM") => void): () => void;
  /** The same for every SIGHUP, which ends the program when nobody listens. */
  onHangup(handler: () => void): () => void;
  /** Milliseconds since 1970. */
  now(): number;
}

/** An {@link Io} that knows the secrets of this run, to mask them in what others say. */
export interface GuardedIo extends Io {
  readonly redactor: Redactor;
}

/** Knows the environment's API key from the start. Called once, where the program begins. */
export function guarded(io: Io): GuardedIo {
  const redactor = new Redactor();
  redactor.addKey(io.env["EDGEWISE_API_KEY"]?.trim() ?? "");
  return { ...io, redactor };
}
