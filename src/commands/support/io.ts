import { withMask } from "../../redact/mask-text.js";
import { partLength } from "../../redact/part-index.js";
import { Redactor } from "../../redact/redactor.js";

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

/** An {@link Io} whose every output is masked: the one place that text passes on its way out of the process. */
export interface GuardedIo extends Io {
  /** Knows the secrets of this run. */
  readonly redactor: Redactor;
  /** Masks what is written elsewhere than to stdout and stderr: files. */
  mask(text: string): string;
  /** Keeps what is written to stderr until {@link release}, as secrets that it may hold are about to become known. */
  hold(): void;
  release(): void;
}

/**
 * The same Io, with every secret masked in whatever is written, from the environment's API key on. Whoever learns of
 * another secret adds it to the redactor. One that is guarded already is returned as it is.
 */
export function guarded(io: Io): GuardedIo {
  if (isGuarded(io)) return io;
  const redactor = new Redactor();
  const key = io.env["EDGEWISE_API_KEY"]?.trim() ?? "";
  if (key !== "") redactor.addKey(key);
  const stderr = masking((text) => io.stderr(text), redactor);
  const held: string[] = [];
  let holds = 0;
  return {
    ...io,
    redactor,
    stdout: masking((text) => io.stdout(text), redactor),
    stderr: (text) => (holds > 0 ? void held.push(text) : stderr(text)),
    ask: async (question) => io.ask(redactor.redact(question)),
    mask: (text) => redactor.redact(text),
    hold: () => {
      holds += 1;
    },
    release: () => {
      holds = Math.max(0, holds - 1);
      if (holds === 0) for (const text of held.splice(0)) stderr(text);
    },
  };
}

function isGuarded(io: Io): io is GuardedIo {
  return "redactor" in io;
}

/** Masks what is written piece by piece, also a secret that begins in one piece and goes on in the next. */
function masking(write: (text: string) => void, redactor: Redactor): (text: string) => void {
  // The end of an unfinished line: too short to give anything away, but maybe the beginning of a secret.
  let before = "";
  return (text) => {
    const whole = before + text;
    if (before === "") write(redactor.redact(text));
    else {
      const from = before.length;
      const spans = redactor.spans(whole).filter(({ end }) => end > from);
      write(
        withMask(
          text,
          spans.map(({ start, end }) => ({ start: Math.max(0, start - from), end: end - from })),
        ),
      );
    }
    before = whole.slice(Math.max(whole.lastIndexOf("\n") + 1, whole.length - partLength + 1));
  };
}
