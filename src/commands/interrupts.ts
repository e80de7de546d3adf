import type { Io } from "./io.js";
import type { Log } from "./log.js";

/** What SIGINT and SIGTERM did so far. */
export interface Interrupts {
  /** Aborted by the first signal: start nothing more, finish what is in flight. */
  readonly soft: AbortSignal;
  /** Aborted by the second signal, or by the first before anything is written: cut off everything. */
  readonly hard: AbortSignal;
  /** From here on the first signal lets requests in flight finish. */
  writing(): void;
  /** Signals are no longer taken. */
  end(): void;
}

/** Takes SIGINT and SIGTERM in the two steps of an apply. */
export function takeInterrupts(io: Io, log: Log): Interrupts {
  const soft = new AbortController();
  const hard = new AbortController();
  let written = false;
  const release = io.onSignal((signal) => {
    if (!soft.signal.aborted) {
      if (written)
        log.warning(`${signal}: nothing more is started; requests in flight finish. Once more cuts them off.`, {
          signal,
        });
      soft.abort(signal);
      if (written) return;
    }
    hard.abort(signal);
  });
  return {
    soft: soft.signal,
    hard: hard.signal,
    writing: () => {
      written = true;
    },
    end: release,
  };
}
