import type { TraceEvent } from "../api/client.js";
import { safeJsonLine } from "../report/safe-json.js";
import type { Io } from "./io.js";
import type { Log } from "./log.js";

/** From here on people wonder, in milliseconds. */
const longWaitMs = 3000;

/** Shows what the client does (`--verbose`): a line for each request, answer, failure and wait. */
export function traceTo(log: Log, io: Io): (event: TraceEvent) => void {
  if (log.format === "json") {
    return (event) => io.stderr(safeJsonLine({ time: new Date(io.now()).toISOString(), level: "trace", ...event }));
  }
  return (event) => io.stderr(`${traceLine(event)}\n`);
}

/** Tells of the trace only what explains why it takes long: that the service limits the rate, and long waits. */
export function noticesTo(log: Log): (event: TraceEvent) => void {
  return (event) => {
    if (event.type === "limited" || (event.type === "wait" && event.ms >= longWaitMs))
      log.info(traceLine(event).trim());
  };
}

function traceLine(event: TraceEvent): string {
  if (event.type === "limited") {
    const most = event.requestsPerMinute === null ? "" : `, at most ${event.requestsPerMinute} requests a minute`;
    return `  the service limits the rate: ${event.pauseMs} ms pause, then ${event.concurrency} at a time${most}`;
  }
  const again = event.attempt > 1 ? ` (attempt ${event.attempt})` : "";
  const subject = `#${event.request} ${event.method} ${event.path}${again}`;
  switch (event.type) {
    case "request":
      return `> ${subject}`;
    case "answer":
      return `< ${subject}: ${event.status}, ${Math.round(event.ms)} ms, ${event.bytes} bytes`;
    case "failure":
      return `! ${subject}: ${event.message}, ${Math.round(event.ms)} ms`;
    case "wait":
      return `  ${subject}: again in ${Math.round(event.ms)} ms, ${event.reason}`;
  }
}
