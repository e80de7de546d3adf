import type { ApplyEvent } from "../apply/events.js";
import type { OperationKind } from "../plan/plan.js";
import { palette } from "../report/palette.js";
import type { Io } from "./io.js";
import { liveLine } from "./live-line.js";
import type { Log } from "./log.js";

/** Tells what an apply does while it does it. */
export interface ProgressTeller {
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

const silent: ProgressTeller = { tell: () => {}, end: () => {} };

/**
 * A line for each start and end, on a terminal with a live line below; JSON lines with `--log-format json`; nothing with
 * `--quiet`.
 * @param estimateMs how long the writes take at least; null = no live line, as others write to stderr too
 */
export function createProgress(io: Io, log: Log, estimateMs: number | null): ProgressTeller {
  if (log.quiet) return silent;
  if (log.format === "json") return { tell: (event) => io.stderr(json(event)), end: () => {} };
  const live = liveLine(io, estimateMs);
  const line = lineFor(io.stderrColor, io.stderrIsTerminal);
  return {
    tell: (event) => {
      const text = line(event);
      if (text !== null) {
        live.clear();
        io.stderr(`${text}\n`);
      }
      live.count(event);
    },
    end: live.clear,
  };
}

function json({ time, ...rest }: ApplyEvent): string {
  return `${JSON.stringify({ time, level: "progress", ...rest })}\n`;
}

function lineFor(color: boolean, terminal: boolean): (event: ApplyEvent) => string | null {
  const paint = palette(color);
  return (event) => {
    switch (event.event) {
      case "operation-started":
        // Elsewhere than on a terminal the end says it all.
        return terminal ? paint.dim(`${event.op}  ${words[event.kind][0]} ${event.address} …`) : null;
      case "operation-ended": {
        const [doing, done] = words[event.kind];
        const id = event.resourceId === null ? "" : ` (${event.resourceId})`;
        if (event.status === "done") return `${event.op}  ${done} ${event.address}${id}`;
        const why = event.error === null ? "" : `: ${event.error}`;
        return `${event.op}  ${paint.alarm(event.status)}: ${doing} ${event.address}${why}`;
      }
      case "waiting": {
        const why = event.reason === "settling" ? "the service needs a moment" : "looking whether it was made";
        return paint.dim(`${event.op}  ${event.address}: ${why}, again in ${Math.round(event.milliseconds)} ms`);
      }
      case "restored":
        return event.restored
          ? `${event.op}  gave ${event.address} back what it had let go`
          : `${event.op}  ${paint.alarm("could not give back")} what ${event.address} had let go: ${event.error ?? ""}`;
      case "stopping":
        return paint.change(`stopping: ${event.message}`);
      default:
        return null;
    }
  };
}
