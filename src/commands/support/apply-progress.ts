import type { ApplyEvent } from "../../apply/events.js";
import { operationWords } from "../../plan/operation-words.js";
import type { Plan } from "../../plan/plan-format.js";
import { palette } from "../../report/styles.js";
import { guardRunner, safeJsonLine, visibleLine } from "../../core/visible.js";
import type { CommandIo } from "./command-io.js";

export interface Progress {
  show(event: ApplyEvent): void;
  end(): void;
}

/**
 * Shows the progress of an apply: a line for each operation that ended or waits, and on a terminal a bar with counts below
 * them; JSON lines with `--log-format json`; nothing with `--quiet`.
 */
export function createProgress(plan: Plan, settleMs: number, io: CommandIo): Progress {
  const { log, status } = io;
  if (log.quiet) return { show: () => {}, end: () => {} };
  if (log.format === "json") {
    return {
      show: ({ time, ...rest }) => io.stderr(safeJsonLine({ time, level: "progress", ...rest })),
      end: () => {},
    };
  }
  const lineOf = lines(plan, settleMs, io);
  const bar = status.isLive ? countsBar(io) : null;
  return {
    show: (event) => {
      const text = lineOf(event);
      if (text !== null) io.stderr(`${guardRunner(text)}\n`);
      bar?.show(event);
    },
    end: () => bar?.end(),
  };
}

function lines(plan: Plan, settleMs: number, io: CommandIo): (event: ApplyEvent) => string | null {
  const words = operationWords(plan);
  const paint = palette(io.stderrColor);
  const waited = new Set<string>();
  let stopping = false;
  return (event) => {
    switch (event.event) {
      case "operation-ended": {
        // The result counts them.
        if (stopping && event.status === "skipped") return null;
        const { doing, done } = words.get(event.op) ?? { doing: "changing", done: "changed" };
        const address = visibleLine(event.address);
        if (event.status === "done")
          return `${event.op}  ${done} ${address}${event.resourceId === null ? "" : ` (${visibleLine(event.resourceId)})`}`;
        const why = event.error === null ? "" : `: ${visibleLine(event.error)}`;
        return `${event.op}  ${paint.alarm(event.status)}: ${doing} ${address}${why}`;
      }
      case "waiting": {
        if (waited.has(event.op)) return null;
        waited.add(event.op);
        const why =
          event.reason === "settling"
            ? "waiting for the service to become consistent"
            : `its answer was lost. Looking for it in lists for up to ${formatDuration(settleMs)}; it is sent again only if they don't show it`;
        return paint.dim(`${event.op}  ${visibleLine(event.address)}: ${why}`);
      }
      case "restored":
        return event.restored
          ? `${event.op}  restored what ${visibleLine(event.address)} had released`
          : `${event.op}  ${paint.alarm("could not restore")} what ${visibleLine(event.address)} had released: ${visibleLine(event.error ?? "")}`;
      case "stopping":
        stopping = true;
        return paint.change(`stopping: ${visibleLine(event.message)}`);
      default:
        return null;
    }
  };
}

/** Columns that stay free: for the cursor, and for what a terminal shows of Ctrl-C. */
const echoed = 3;

/** Keeps the bar below everything else until the run has ended. Runs that take a moment only have none. */
function countsBar(io: CommandIo): Progress {
  const run = { done: 0, failed: 0, running: 0, total: 0 };
  const began = io.now();
  const draw = (): void => {
    if (run.total > 1 && io.now() - began >= 500)
      io.status.show(progressLine(run, (io.stderrColumns?.() ?? 80) - echoed));
  };
  const timer = setInterval(draw, 250);
  timer.unref();
  const end = (): void => {
    clearInterval(timer);
    io.status.clear();
  };
  return {
    show: (event) => {
      if (event.event === "run-started") run.total = event.operations;
      else if (event.event === "operation-started") run.running += 1;
      else if (event.event === "operation-ended") {
        run.done += 1;
        // Skipped operations were never started.
        if (event.status !== "skipped") run.running -= 1;
        if (event.status === "failed" || event.status === "unknown") run.failed += 1;
      }
      if (event.event === "run-ended" || run.done >= run.total) end();
      else draw();
    },
    end,
  };
}

/** A run on one line of at most `width` characters: `Applying [####----] 12/40, 1 failed, 8 running`. */
function progressLine(
  { done, failed, running, total }: { readonly [count in "done" | "failed" | "running" | "total"]: number },
  width: number,
): string {
  const counts = [`${done}/${total}`, failed > 0 ? `${failed} failed` : "", running > 0 ? `${running} running` : ""];
  const text = counts.filter((each) => each !== "").join(", ");
  const room = Math.min(30, width - "Applying [] ".length - text.length);
  if (room < 1) return `Applying ${text}`.slice(0, Math.max(0, width));
  const full = Math.floor((done / Math.max(1, total)) * room);
  return `Applying [${"#".repeat(full)}${"-".repeat(room - full)}] ${text}`;
}

/** A duration in milliseconds as people write it: `0.4s`, `14s`, `3m 05s`, `1h 02m`. */
export function formatDuration(ms: number): string {
  if (ms < 9_950) return `${Math.round(Math.max(0, ms) / 100) / 10}s`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const two = (count: number): string => String(count % 60).padStart(2, "0");
  if (seconds < 60) return `${seconds}s`;
  return minutes < 60 ? `${minutes}m ${two(seconds)}s` : `${Math.floor(minutes / 60)}h ${two(minutes)}m`;
}
