import type { ApplyEvent } from "../apply/events.js";
import type { OperationKind, Plan } from "../plan/plan.js";
import { palette } from "../report/palette.js";
import type { Io } from "./io.js";
import type { Log } from "./log.js";

/** Tells what an apply does while it does it. */
export interface Progress {
  tell(event: ApplyEvent): void;
  /** Takes the live line away. */
  end(): void;
}

const words: { readonly [K in OperationKind]: readonly [doing: string, done: string] } = {
  create: ["creating", "created"],
  patch: ["updating", "updated"],
  "module-put": ["setting a module of", "set a module of"],
  "module-delete": ["removing a module of", "removed a module of"],
  delete: ["deleting", "deleted"],
};

/** A line for each start and end; on a terminal with a live line below; JSON lines with `--log-format json`; or nothing. */
export function createProgress(plan: Plan, io: Io, log: Log): Progress {
  if (log.format === "json")
    return { tell: (event) => (log.quiet ? undefined : io.stderr(`${json(event)}\n`)), end: () => {} };
  if (log.quiet) return { tell: () => {}, end: () => {} };
  const live = liveLine(plan, io);
  const paint = palette(io.stderrColor);
  const say = (text: string): void => live.above(`${text}\n`);
  const tell = (event: ApplyEvent): void => {
    switch (event.event) {
      case "operation-started":
        live.started();
        // Elsewhere than on a terminal the end says it all.
        if (io.stderrIsTerminal) say(paint.dim(`${event.op}  ${words[event.kind][0]} ${event.address} …`));
        break;
      case "operation-ended": {
        live.ended(event.status);
        const id = event.resourceId === null ? "" : ` (${event.resourceId})`;
        if (event.status === "done") say(`${event.op}  ${words[event.kind][1]} ${event.address}${id}`);
        else
          say(
            `${event.op}  ${paint.alarm(event.status)}: ${words[event.kind][0]} ${event.address}${event.error === null ? "" : `: ${event.error}`}`,
          );
        break;
      }
      case "waiting":
        say(
          paint.dim(
            `${event.op}  ${event.address}: ${event.reason === "settling" ? "the service needs a moment" : "looking whether it was made"}, again in ${Math.round(event.milliseconds)} ms`,
          ),
        );
        break;
      case "restored":
        say(
          event.restored
            ? `${event.op}  gave ${event.address} back what it had let go`
            : `${event.op}  ${paint.alarm("could not give back")} what ${event.address} had let go: ${event.error ?? ""}`,
        );
        break;
      case "stopping":
        say(paint.change(`stopping: ${event.message}`));
        break;
      default:
    }
    live.show();
  };
  return { tell, end: () => live.clear() };
}

function json(event: ApplyEvent): string {
  const { time, ...rest } = event;
  return JSON.stringify({ time, level: "progress", ...rest });
}

/** The line at the bottom of a terminal that says how far it is; elsewhere there is none. */
function liveLine(plan: Plan, io: Io) {
  const total = plan.operations.length;
  let running = 0;
  let ended = 0;
  let failed = 0;
  let shown = false;
  const clear = (): void => {
    if (shown) io.stderr("\r\u001b[K");
    shown = false;
  };
  return {
    started: (): void => void (running += 1),
    ended: (status: string): void => {
      // What is skipped was never started.
      if (status !== "skipped") running = Math.max(0, running - 1);
      if (status === "failed" || status === "unknown") failed += 1;
      ended += 1;
    },
    above: (text: string): void => {
      clear();
      io.stderr(text);
    },
    show: (): void => {
      if (!io.stderrIsTerminal || ended === total) return;
      clear();
      io.stderr(`${ended} of ${total} done, ${running} running${failed === 0 ? "" : `, ${failed} failed`}`);
      shown = true;
    },
    clear,
  };
}
