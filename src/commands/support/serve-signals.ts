import { setMaxListeners } from "node:events";
import type { Clock } from "../../api/client.js";
import { guardRunner, safeJsonLine, visibleLine } from "../../core/visible.js";
import { palette } from "../../report/styles.js";
import type { StopSignals } from "../../serve/serve-deps.js";
import { type EventLevel, type ServeEvent, describeEvent } from "../../serve/serve-events.js";
import type { CommandIo, Io } from "./command-io.js";

export interface ServeSignals extends StopSignals {
  /** Done when the time that a stop may take is over. Never done without a signal. */
  readonly over: Promise<void>;
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
  io: Io,
  graceMs: number,
  clock: Clock,
  emit: (event: ServeEvent) => void,
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
    if (stop.signal.aborted) return hardStop.abort(signal);
    emit({ event: "stopping", signal });
    stop.abort(signal);
  });
  const end = (): void => {
    forget();
    ended.abort();
  };
  return { stop: stop.signal, hardStop: hardStop.signal, over, end };
}

/** From which level on events are shown. */
const ranks: { readonly [level in EventLevel]: number } = { debug: 0, info: 1, warning: 2, error: 3 };

/**
 * Writes each event of the loop to stderr: a line for people, or with `--log-format json` one JSON object. Looks and
 * fetches only with `--verbose`, nothing but errors with `--quiet`.
 */
export function createServeLog({ log, now, stderr, stderrColor, verbose }: CommandIo): (event: ServeEvent) => void {
  const least = log.quiet ? ranks.error : verbose ? ranks.debug : ranks.info;
  const paint = palette(stderrColor);
  const words = { debug: "", info: "", warning: `${paint.change("warning:")} `, error: `${paint.alarm("error:")} ` };
  return (event) => {
    const described = describeEvent(event);
    if (described === null || ranks[described.level] < least) return;
    const { level, message } = described;
    const time = new Date(now()).toISOString();
    // The event's own members stay as they are; `message` is the sentence for people.
    if (log.format === "json") return stderr(safeJsonLine({ time, level, ...event, message }));
    const short = paint.dim(time.replace(/\.\d+Z$/u, "Z"));
    stderr(`${short} ${words[level]}${guardRunner(visibleLine(message))}\n`);
  };
}
