/**
 * Everything that a command may touch of the process. Commands get it from the program (or a test) and use nothing else,
 * so that a command can be run in memory.
 */
export interface Io {
  /** Writes a part of the result, as it stands. Nothing but results goes here. */
  stdout(text: string): void;
  /** Writes to people: progress, warnings, errors. As it stands, newline included. */
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
  /** Whether what goes to stderr may be coloured. */
  readonly stderrColor: boolean;
  /** The width of the terminal that shows the result; absent when it is none. */
  readonly columns?: number;
  /** Asks on the terminal and returns the line that was typed, without its newline; "" at the end of input. */
  ask(question: string): Promise<string>;
  /** Calls `handler` for every SIGINT and SIGTERM until the returned function is called. */
  onSignal(handler: (signal: "SIGINT" | "SIGTERM") => void): () => void;
  /** Milliseconds since 1970. */
  now(): number;
}
