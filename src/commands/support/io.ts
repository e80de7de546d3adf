import { withMask } from "../../redact/mask-text.js";
import { partLength } from "../../redact/part-index.js";
import { Redactor } from "../../redact/redactor.js";

/**
 * Everything of the process that a command may use. The program (or a test) passes it in, so that commands can run in
 * memory.
 */
export interface Io {
  /** Writes a part of the result, unchanged. Only results go here. */
  stdout(text: string): void;
  /** Resolves when what was written to stdout is on its way, however slow its reader is; absent where nothing waits. */
  drained?(): Promise<void>;
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
  /**
   * Shows a result in the user's pager; false when it was not shown, because it is short or there is no pager. Absent where
   * results are not for a person to read.
   */
  page?(text: string): Promise<boolean>;
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

/** An {@link Io} that masks secrets in all output: the only way for text to leave the process. */
export interface GuardedIo extends Io {
  /**
   * Writes a part of the result.
   * @param state `masked`: it contains no secrets any more, and is a part of a JSON document, which masking could break
   */
  stdout(text: string, state?: "masked"): void;
  /** Knows the secrets of this run. */
  readonly redactor: Redactor;
  /** Masks text that is written to files. */
  mask(text: string): string;
  /** The same, masking no results: for the one that tells a program the key of the sandbox that it started. */
  readonly unmasked: () => GuardedIo;
  /** Holds stderr back until {@link release}, because secrets that it may contain are about to become known. */
  hold(): void;
  release(): void;
  /** Releases it however often it is held back: nobody else is going to. */
  releaseAll(): void;
}

/**
 * Masks every secret in whatever is written, from the environment's API key on. Whoever learns of another secret adds it
 * to the redactor. Called once, where the program begins.
 */
export function guarded(io: Io): GuardedIo {
  const redactor = new Redactor();
  const key = io.env["EDGEWISE_API_KEY"]?.trim() ?? "";
  if (key !== "") redactor.addKey(key);
  const stderr = masking((text) => io.stderr(text), redactor);
  const stdout = masking((text) => io.stdout(text), redactor);
  const held: string[] = [];
  let holds = 0;
  const guardedIo: GuardedIo = {
    ...io,
    redactor,
    unmasked: () => ({ ...guardedIo, stdout: (text) => io.stdout(text), mask: (text) => text }),
    stdout: (text, state) => (state === "masked" ? io.stdout(text) : stdout(text)),
    stderr: (text) => (holds > 0 ? void held.push(text) : stderr(text)),
    ...(io.page === undefined ? {} : { page: async (text) => (await io.page?.(redactor.redact(text))) ?? false }),
    ask: async (question) => io.ask(redactor.redact(question)),
    mask: (text) => redactor.redact(text),
    hold: () => {
      holds += 1;
    },
    release: () => {
      holds = Math.max(0, holds - 1);
      if (holds === 0) for (const text of held.splice(0)) stderr(text);
    },
    releaseAll: () => {
      holds = 0;
      for (const text of held.splice(0)) stderr(text);
    },
  };
  return guardedIo;
}

/** Masks text that is written in pieces, including a secret that starts in one piece and continues in the next. */
function masking(write: (text: string) => void, redactor: Redactor): (text: string) => void {
  // The end of an unfinished line: too short to reveal anything, but possibly the start of a secret.
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
