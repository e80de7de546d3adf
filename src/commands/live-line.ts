import type { ApplyEvent } from "../apply/events.js";
import { progressLine } from "../report/progress.js";
import type { Io } from "./io.js";

/** The line at the bottom of a terminal that says how far an apply is. */
export interface LiveLine {
  /** Takes an event into account, and shows the line anew. */
  count(event: ApplyEvent): void;
  clear(): void;
}

/** A live line on stderr; where that is no terminal, or there is no estimate, one that never shows. */
export function liveLine(io: Io, estimateMs: number | null): LiveLine {
  if (!io.stderrIsTerminal || estimateMs === null) return { count: () => {}, clear: () => {} };
  const began = io.now();
  let total = 0;
  let running = 0;
  let done = 0;
  let failed = 0;
  let shown = false;
  const clear = (): void => {
    if (shown) io.stderr("\r\u001b[K");
    shown = false;
  };
  const show = (): void => {
    clear();
    if (done >= total) return;
    const elapsedMs = io.now() - began;
    const left = done === 0 ? estimateMs : (elapsedMs / done) * (total - done);
    io.stderr(progressLine({ done, total, running, failed, elapsedMs, estimateMs: left }));
    shown = true;
  };
  return {
    count: (event) => {
      if (event.event === "run-started") total = event.operations;
      else if (event.event === "operation-started") running += 1;
      else if (event.event === "operation-ended") {
        // What is skipped was never started.
        if (event.status !== "skipped") running = Math.max(0, running - 1);
        if (event.status === "failed" || event.status === "unknown") failed += 1;
        done += 1;
      }
      show();
    },
    clear,
  };
}
