import { type DescribedEvent, type EventLevel, describeEvent } from "../../serve/describe-event.js";
import type { ServeEvent } from "../../serve/serve-events.js";
import { palette } from "../../report/styles.js";
import { safeJsonLine, guardRunner, visibleLine } from "../../core/visible.js";
import type { CommonFlags } from "./command-options.js";
import type { Io } from "./io.js";

/** From which level on events are shown. */
const ranks: { readonly [level in EventLevel]: number } = { debug: 0, info: 1, warning: 2, error: 3 };

/**
 * Writes each event of the loop to stderr: a line for people, or with `--log-format json` one JSON object. Looks and
 * fetches only with `--verbose`, nothing but errors with `--quiet`.
 */
export function createServeLog(
  flags: Pick<CommonFlags, "logFormat" | "quiet" | "verbose">,
  io: Pick<Io, "stderr" | "stderrColor" | "now">,
): (event: ServeEvent) => void {
  const least = flags.quiet === true ? ranks.error : flags.verbose === true ? ranks.debug : ranks.info;
  const write = flags.logFormat === "json" ? jsonLine : textLine;
  return (event) => {
    const described = describeEvent(event);
    if (described === null || ranks[described.level] < least) return;
    io.stderr(write(event, described, io));
  };
}

/** The event's own members stay as they are; `message` is the sentence for people. */
function jsonLine(event: ServeEvent, { level, message }: DescribedEvent, { now }: Pick<Io, "now">): string {
  return safeJsonLine({ time: new Date(now()).toISOString(), level, ...event, message });
}

function textLine(
  _: ServeEvent,
  { level, message }: DescribedEvent,
  { now, stderrColor }: Pick<Io, "now" | "stderrColor">,
): string {
  const paint = palette(stderrColor);
  const word =
    level === "error" ? `${paint.alarm("error:")} ` : level === "warning" ? `${paint.change("warning:")} ` : "";
  const time = new Date(now()).toISOString().replace(/\.\d+Z$/u, "Z");
  return `${paint.dim(time)} ${word}${guardRunner(visibleLine(message))}\n`;
}
