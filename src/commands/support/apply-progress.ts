import type { ApplyEvent } from "../../apply/events.js";
import { type OperationWords, operationWords } from "../../plan/operation-words.js";
import type { Plan } from "../../plan/plan-format.js";
import { palette } from "../../text/palette.js";
import { safeJsonLine } from "../../text/safe-json.js";
import { guardRunner, visibleLine } from "../../text/visible.js";
import type { CommandContext } from "./command-context.js";
import { formatDuration, progressLine } from "./progress-bar.js";

/** Shows a run. */
export interface Progress {
  show(event: ApplyEvent): void;
  /** Shows nothing more. */
  end(): void;
}

/** Above this many operations, the bar says what is running: a line for each start would only hide what was done. */
const manyOperations = 20;

/**
 * Shows the progress of an apply: a line for each start and end, and on a terminal a bar below them; JSON lines with
 * `--log-format json`; nothing with `--quiet`.
 * @param plan what is applied
 */
export function createProgress(context: CommandContext, plan: Plan): Progress {
  const { io, log, status } = context;
  if (log.quiet) return { show: () => {}, end: () => {} };
  if (log.format === "json") return { show: (event) => io.stderr(jsonLine(event)), end: () => {} };
  const starts = io.stderrIsTerminal && plan.operations.length <= manyOperations;
  const line = lineFor(operationWords(plan), { color: io.stderrColor, starts, settleMs: context.config.api.settleMs });
  const live = status.isLive ? liveBar(context) : null;
  return {
    show: (event) => {
      const text = line(event);
      if (text !== null) io.stderr(`${guardRunner(text)}\n`);
      live?.show(event);
    },
    end: () => live?.end(),
  };
}

function jsonLine({ time, ...rest }: ApplyEvent): string {
  return safeJsonLine({ time, level: "progress", ...rest });
}

const unknownWords = { doing: "changing", done: "changed" };

function lineFor(
  words: ReadonlyMap<string, OperationWords>,
  { color, settleMs, starts }: { readonly color: boolean; readonly starts: boolean; readonly settleMs: number },
): (event: ApplyEvent) => string | null {
  const paint = palette(color);
  // Why each create is searched for that was said to be.
  const lost = new Map<string, string>();
  const searched = new Set<string>();
  let stopping = false;
  const wordsOf = (op: string): Pick<OperationWords, "doing" | "done"> => words.get(op) ?? unknownWords;
  return (event) => {
    switch (event.event) {
      case "operation-started":
        // Without a terminal, the line for the end is enough.
        return starts ? paint.dim(`${event.op}  ${wordsOf(event.op).doing} ${visibleLine(event.address)} …`) : null;
      case "response":
        if (event.error !== null) lost.set(event.op, visibleLine(event.error));
        return null;
      case "request":
        return searched.delete(event.op)
          ? paint.dim(`${event.op}  ${visibleLine(event.address)}: not found in time, sending it again`)
          : null;
      case "operation-ended": {
        // The result counts them.
        if (stopping && event.status === "skipped") return null;
        const { doing, done } = wordsOf(event.op);
        const id = event.resourceId === null ? "" : ` (${visibleLine(event.resourceId)})`;
        if (event.status === "done") return `${event.op}  ${done} ${visibleLine(event.address)}${id}`;
        const why = event.error === null ? "" : `: ${visibleLine(event.error)}`;
        return `${event.op}  ${paint.alarm(event.status)}: ${doing} ${visibleLine(event.address)}${why}`;
      }
      case "waiting": {
        const about = `${event.op}  ${visibleLine(event.address)}`;
        if (event.reason === "settling") {
          const pause = formatDuration(event.milliseconds);
          return paint.dim(`${about}: waiting for the service to become consistent, again in ${pause}`);
        }
        if (searched.has(event.op)) return null;
        searched.add(event.op);
        const why = lost.get(event.op) ?? "its answer was lost";
        return paint.dim(
          `${about}: ${why}. Looking for it in lists for up to ${formatDuration(settleMs)}; it is sent again only if they don't show it`,
        );
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
function liveBar({ io, status }: Pick<CommandContext, "io" | "status">): Progress {
  const run = { done: 0, failed: 0, running: 0, total: 0 };
  const paint = palette(io.stderrColor);
  let isShown = false;
  const began = io.now();
  const draw = (): void => {
    isShown ||= run.total > 1 && io.now() - began >= 500;
    if (!isShown) return;
    const line = progressLine(run, (io.stderrColumns?.() ?? 80) - echoed);
    status.pin(line.replace(`${run.failed} failed`, (text) => paint.alarm(text)));
  };
  const timer = setInterval(draw, 250);
  timer.unref();
  const resume = io.onSuspend?.(() => status.clear());
  const end = (): void => {
    clearInterval(timer);
    resume?.();
    status.clear();
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
