import type { Io } from "./io.js";
import type { Log } from "./log.js";

/** How SIGINT and SIGTERM stop an apply, in two steps. */
export interface Interrupts {
  /** Aborted by the first signal: start nothing more, finish what is in flight. */
  readonly soft: AbortSignal;
  /** Aborted by the second signal, or by the first before anything is written: cut off everything. */
  readonly hard: AbortSignal;
  /** From here on the first signal lets requests in flight finish. */
  writing(): void;
  /** Stops listening for signals. */
  end(): void;
}

/** Listens for SIGINT and SIGTERM. */
export function takeInterrupts(io: Io, log: Log): Interrupts {
  const soft = new AbortController();
  const hard = new AbortController();
  let writing = false;
  const end = io.onSignal((signal) => {
    if (!soft.signal.aborted) {
      if (writing)
        log.warning(
          `${signal}: no more requests are started, and those in flight finish. Another signal cuts them off.`,
          {
            signal,
          },
        );
      soft.abort(signal);
      if (writing) return;
    }
    hard.abort(signal);
  });
  return {
    soft: soft.signal,
    hard: hard.signal,
    writing: () => {
      writing = true;
    },
    end,
  };
}
