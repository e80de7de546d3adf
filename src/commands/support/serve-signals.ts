import { setMaxListeners } from "node:events";
import type { Clock } from "../../api/client.js";
import type { StopSignals } from "../../serve/pass-due.js";
import type { ServeEvent } from "../../serve/serve-events.js";
import type { Io } from "./io.js";

/** How SIGINT and SIGTERM end the loop. */
export interface ServeSignals extends StopSignals {
  /** Done when the time that a stop may take is over. Never done without a signal. */
  readonly over: Promise<void>;
  /** Stops listening. */
  end(): void;
}

/** So much of the grace is kept for what follows a hard stop: closing, and saving what is known. */
const reserveMs = 5_000;

/**
 * The first signal begins nothing new, and what runs ends as an apply does. When the grace is nearly over, or at a second
 * signal, everything is cut off.
 * @param graceMs how long it may take in all, in milliseconds
 */
export function takeServeSignals(
  io: Pick<Io, "onSignal">,
  {
    graceMs,
    clock,
    emit,
  }: { readonly graceMs: number; readonly clock: Clock; readonly emit: (event: ServeEvent) => void },
): ServeSignals {
  const stop = new AbortController();
  const hardStop = new AbortController();
  // Each account that is passed listens while it is.
  setMaxListeners(0, stop.signal, hardStop.signal);
  const ended = new AbortController();
  const over = new Promise<void>((resolve) => {
    stop.signal.addEventListener("abort", () => {
      const reserve = Math.min(reserveMs, graceMs / 3);
      void clock
        .sleep(graceMs - reserve, ended.signal)
        .then(() => hardStop.abort())
        .then(() => clock.sleep(reserve, ended.signal))
        .then(resolve);
    });
  });
  const forget = io.onSignal((signal) => {
    if (stop.signal.aborted) {
      hardStop.abort(signal);
      return;
    }
    emit({ event: "stopping", signal });
    stop.abort(signal);
  });
  const end = (): void => {
    forget();
    ended.abort();
  };
  return { stop: stop.signal, hardStop: hardStop.signal, over, end };
}
