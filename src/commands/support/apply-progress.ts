import type { ApplyEvent } from "../../apply/events.js";
import { type OperationWords, operationWords } from "../../plan/operation-words.js";
import type { Plan } from "../../plan/plan-format.js";
import { palette } from "../../text/palette.js";
import { safeJsonLine } from "../../text/safe-json.js";
import { guardRunner, visibleLine } from "../../text/visible.js";
import type { CommandContext } from "./command-context.js";
import type { Io } from "./io.js";
import type { StatusLine } from "./log.js";

/**
 * Shows the progress of an apply: a line for each start and end, and on a terminal a status line below; JSON lines with
 * `--log-format json`; nothing with `--quiet`.
 * @param plan what is applied
 * @param estimateMs how long the writes take at least
 */
export function createProgress(
  { io, log, status }: CommandContext,
  plan: Plan,
  estimateMs: number,
): (event: ApplyEvent) => void {
  if (log.quiet) return () => {};
  if (log.format === "json") return (event) => io.stderr(jsonLine(event));
  const live = liveLine(io, status, estimateMs);
  const line = lineFor(operationWords(plan), io.stderrColor, io.stderrIsTerminal);
  return (event) => {
    const text = line(event);
    if (text !== null) io.stderr(`${guardRunner(text)}\n`);
    live(event);
  };
}

function jsonLine({ time, ...rest }: ApplyEvent): string {
  return safeJsonLine({ time, level: "progress", ...rest });
}

const unknownWords = { doing: "changing", done: "changed" };

function lineFor(
  words: ReadonlyMap<string, OperationWords>,
  color: boolean,
  terminal: boolean,
): (event: ApplyEvent) => string | null {
  const paint = palette(color);
  const wordsOf = (op: string): Pick<OperationWords, "doing" | "done"> => words.get(op) ?? unknownWords;
  return (event) => {
    switch (event.event) {
      case "operation-started":
        // Without a terminal, the line for the end is enough.
        return terminal ? paint.dim(`${event.op}  ${wordsOf(event.op).doing} ${visibleLine(event.address)} …`) : null;
      case "operation-ended": {
        const { doing, done } = wordsOf(event.op);
        const id = event.resourceId === null ? "" : ` (${visibleLine(event.resourceId)})`;
        if (event.status === "done") return `${event.op}  ${done} ${visibleLine(event.address)}${id}`;
        const why = event.error === null ? "" : `: ${visibleLine(event.error)}`;
        return `${event.op}  ${paint.alarm(event.status)}: ${doing} ${visibleLine(event.address)}${why}`;
      }
      case "waiting": {
        const why =
          event.reason === "settling"
            ? "waiting for the service to become consistent"
            : "checking whether it was created";
        return paint.dim(
          `${event.op}  ${visibleLine(event.address)}: ${why}, again in ${Math.round(event.milliseconds)} ms`,
        );
      }
      case "restored":
        return event.restored
          ? `${event.op}  restored what ${visibleLine(event.address)} had released`
          : `${event.op}  ${paint.alarm("could not restore")} what ${visibleLine(event.address)} had released: ${visibleLine(event.error ?? "")}`;
      case "stopping":
        return paint.change(`stopping: ${visibleLine(event.message)}`);
      default:
        return null;
    }
  };
}

/** Updates the status line after each event. */
function liveLine(io: Io, status: StatusLine, estimateMs: number): (event: ApplyEvent) => void {
  const began = io.now();
  let total = 0;
  let running = 0;
  let done = 0;
  let failed = 0;
  return (event) => {
    if (event.event === "run-started") total = event.operations;
    else if (event.event === "operation-started") running += 1;
    else if (event.event === "operation-ended") {
      // Skipped operations were never started.
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

/** Where a run stands. Times in milliseconds; `estimateMs` is the time left, null when unknown. */
interface RunProgress {
  readonly done: number;
  readonly total: number;
  readonly running: number;
  readonly failed: number;
  readonly elapsedMs: number;
  readonly estimateMs: number | null;
}

/** `Applying 12/40, 8 running, 1 failed, 14s, about 30s left` */
export function progressLine(progress: RunProgress): string {
  const parts = [
    `Applying ${progress.done}/${progress.total}`,
    ...(progress.running > 0 ? [`${progress.running} running`] : []),
    ...(progress.failed > 0 ? [`${progress.failed} failed`] : []),
    formatDuration(progress.elapsedMs),
    ...(progress.estimateMs === null ? [] : [`about ${formatDuration(progress.estimateMs)} left`]),
  ];
  return parts.join(", ");
}

/** A duration in milliseconds as people write it: `0.4s`, `14s`, `3m 05s`, `1h 02m`. */
export function formatDuration(ms: number): string {
  const tenths = Math.max(0, Math.round(ms / 100));
  if (tenths < 100) return `${(tenths / 10).toFixed(1).replace(/\.0$/, "")}s`;
  const seconds = Math.round(tenths / 10);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${String(seconds % 60).padStart(2, "0")}s`;
  return `${Math.floor(minutes / 60)}h ${String(minutes % 60).padStart(2, "0")}m`;
}
