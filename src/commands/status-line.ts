import type { Io } from "./io.js";

/** One line at the bottom of a terminal that says what is going on, until something else is written. */
export interface StatusLine {
  show(text: string): void;
  clear(): void;
}

/**
 * A status line on stderr, and the Io that takes it away before anything else is written.
 * @param wanted whether there is to be one; without a terminal there never is
 */
export function withStatusLine<T extends Io>(io: T, wanted: boolean): { readonly io: T; readonly status: StatusLine } {
  if (!wanted || !io.stderrIsTerminal) return { io, status: { show: () => {}, clear: () => {} } };
  let shown = false;
  const clear = (): void => {
    if (shown) io.stderr("\r\u001b[K");
    shown = false;
  };
  const show = (text: string): void => {
    clear();
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
      clear();
      io.stderr(text);
    },
    ask: async (question: string): Promise<string> => {
      clear();
      return io.ask(question);
    },
  };
  return { io: cleared, status: { show, clear } };
}

/** Shows a text while work goes on, however it ends. */
export async function during<T>(status: StatusLine, text: string, work: () => Promise<T>): Promise<T> {
  status.show(text);
  try {
    return await work();
  } finally {
    status.clear();
  }
}
