import type { ApplyEvent } from "../../apply/run-context.js";
import { guardRunner, safeJsonLine, visibleLine } from "../../core/visible.js";
import { operationWords } from "../../plan/operation-words.js";
import type { Plan } from "../../plan/plan-format.js";
import { palette } from "../../report/styles.js";
import type { CommandIo } from "./command-io.js";

interface Progress {
  show(event: ApplyEvent): void;
  end(): void;
}

export function createProgress(plan: Plan, settleMs: number, io: CommandIo): Progress {
  const { log, status } = io;
  const end = () => {};
  if (log.quiet) return { show: () => {}, end };
  if (log.format === "json")
    return { show: ({ time, ...rest }) => io.stderr(safeJsonLine({ time, level: "progress", ...rest })), end };
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
    if (event.event === "stopping") {
      stopping = true;
      return paint.change(`stopping: ${visibleLine(event.message)}`);
    }
    const address = "address" in event ? visibleLine(event.address) : "";
    if (event.event === "operation-ended") {
      const { error, op, resourceId, status } = event;
      if (stopping && status === "skipped") return null;
      const { doing, done } = words.get(op) ?? { doing: "changing", done: "changed" };
      if (status === "done")
        return `${op}  ${done} ${address}${resourceId === null ? "" : ` (${visibleLine(resourceId)})`}`;
      return `${op}  ${paint.alarm(status)}: ${doing} ${address}${error === null ? "" : `: ${visibleLine(error)}`}`;
    }
    if (event.event === "waiting") {
      if (waited.has(event.op)) return null;
      waited.add(event.op);
      const why =
        event.reason === "settling"
          ? "waiting for the service to become consistent"
          : `its answer was lost: looking for it in lists for up to ${formatDuration(settleMs)} before it is sent again`;
      return paint.dim(`${event.op}  ${address}: ${why}`);
    }
    if (event.event !== "restored") return null;
    return event.restored
      ? `${event.op}  restored what ${address} had released`
      : `${event.op}  ${paint.alarm("could not restore")} what ${address} had released: ${visibleLine(event.error ?? "")}`;
  };
}

/** `Applying [####----] 12/40, 1 failed, 8 running`, below everything else. Short runs have none. */
function countsBar(io: CommandIo): Progress {
  let [done, failed, running, total] = [0, 0, 0, 0];
  const began = io.now();
  const draw = () => {
    if (total <= 1 || io.now() - began < 500) return;
    const counts = [`${done}/${total}`, failed > 0 ? `${failed} failed` : "", running > 0 ? `${running} running` : ""];
    const text = counts.filter((each) => each !== "").join(", ");
    // For the cursor, and what a terminal shows of Ctrl-C.
    const width = Math.max(0, (io.stderrColumns?.() ?? 80) - 3);
    const room = Math.min(30, width - "Applying [] ".length - text.length);
    const full = Math.floor((done / total) * room);
    const bar = room < 1 ? "" : `[${"#".repeat(full)}${"-".repeat(room - full)}] `;
    io.status.show(`Applying ${bar}${text}`.slice(0, width));
  };
  const timer = setInterval(draw, 250);
  timer.unref();
  const end = () => {
    clearInterval(timer);
    io.status.clear();
  };
  return {
    show: (event) => {
      if (event.event === "run-started") total = event.operations;
      else if (event.event === "operation-started") running += 1;
      else if (event.event === "operation-ended") {
        done += 1;
        if (event.status !== "skipped") running -= 1;
        if (event.status === "failed" || event.status === "unknown") failed += 1;
      }
      if (event.event === "run-ended" || done >= total) end();
      else draw();
    },
    end,
  };
}

/** `0.4s`, `14s`, `3m 05s`, `1h 02m`. */
export function formatDuration(ms: number): string {
  if (ms < 9_950) return `${Math.round(Math.max(0, ms) / 100) / 10}s`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const two = (count: number) => String(count % 60).padStart(2, "0");
  if (seconds < 60) return `${seconds}s`;
  return minutes < 60 ? `${minutes}m ${two(seconds)}s` : `${Math.floor(minutes / 60)}h ${two(minutes)}m`;
}
