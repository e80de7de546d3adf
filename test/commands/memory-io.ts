import { type GuardedIo, guarded } from "../../src/commands/support/command-io.ts";

export interface MemoryIo extends GuardedIo {
  readonly out: () => string;
  readonly err: () => string;
  readonly signal: (signal: "SIGINT" | "SIGTERM") => boolean;
  readonly hangUp: () => boolean;
  readonly questions: readonly string[];
}

export interface MemoryIoOptions {
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: string };
  readonly terminal?: boolean;
  readonly answer?: (question: string) => string | Promise<string>;
  readonly color?: boolean;
  readonly columns?: number;
  readonly onStderr?: (text: string) => void;
}

export function memoryIo(options: MemoryIoOptions = {}): MemoryIo {
  const out: string[] = [];
  const err: string[] = [];
  const questions: string[] = [];
  const handlers = new Set<(signal: "SIGINT" | "SIGTERM") => void>();
  const hangupHandlers = new Set<() => void>();
  const terminal = options.terminal === true;
  const io = guarded({
    stdout: (text) => void out.push(text),
    stderr: (text) => {
      err.push(text);
      options.onStderr?.(text);
    },
    env: options.env ?? {},
    cwd: options.cwd ?? "/",
    stdinIsTerminal: terminal,
    stderrIsTerminal: terminal,
    color: options.color === true,
    ...(options.columns === undefined ? {} : { columns: options.columns }),
    stderrColor: options.color === true,
    ask: async (question) => {
      questions.push(question);
      return (await options.answer?.(question)) ?? "";
    },
    onSignal: (handler) => {
      handlers.add(handler);
      return () => void handlers.delete(handler);
    },
    onHangup: (handler) => {
      hangupHandlers.add(handler);
      return () => void hangupHandlers.delete(handler);
    },
    now: () => 1_700_000_000_000,
  });
  return {
    ...io,
    out: () => out.join(""),
    err: () => err.join(""),
    signal: (signal) => {
      for (const handler of handlers) handler(signal);
      return handlers.size > 0;
    },
    hangUp: () => {
      for (const handler of hangupHandlers) handler();
      return hangupHandlers.size > 0;
    },
    questions,
  };
}
