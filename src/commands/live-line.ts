import type { ApplyEvent } from "../apply/events.js";
import { progressLine } from "../report/layout.js";
import type { Io } from "./io.js";
import type { StatusLine } from "./status-line.js";

/** Keeps the status line of an apply: takes each event into account, and shows the line anew. */
export function liveLine(io: Io, status: StatusLine, estimateMs: number): (event: ApplyEvent) => void {
  const began = io.now();
  let total = 0;
  let running = 0;
  let done = 0;
  let failed = 0;
  return (event) => {
    if (event.event === "run-started") total = event.operations;
    else if (event.event === "operation-started") running += 1;
    else if (event.event === "operation-ended") {
      // What is skipped was never started.
      if (event.status !== "skipped") running = Math.max(0, running - 1);
      if (event.status === "failed" || event.status === "unknown") failed += 1;
      done += 1;
    }
    if (done >= total) return status.clear();
    const elapsedMs = io.now() - began;
    const left = done === 0 ? estimateMs : (elapsedMs / done) * (total - done);
    status.show(progressLine({ done, total, running, failed, elapsedMs, estimateMs: left }));
  };
}
