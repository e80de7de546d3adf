import { visibleLine } from "./escape.js";

/**
 * Prose broken at blanks so that lines stay within `width` columns; the second and later lines are indented.
 * Words longer than a line (paths, addresses) stay whole. Line breaks in `text` are kept.
 */
export function wrap(text: string, width: number, first: string, rest: string): readonly string[] {
  const lines: string[] = [];
  let indent = first;
  for (const paragraph of text.split("\n")) {
    let line = "";
    for (const word of paragraph.split(" ")) {
      if (line !== "" && indent.length + line.length + 1 + word.length > width) {
        lines.push(indent + line);
        indent = rest;
        line = word;
      } else {
        line = line === "" ? word : `${line} ${word}`;
      }
    }
    lines.push(indent + line);
    indent = rest;
  }
  return lines;
}

/** A number and its noun: `1 refusal`, `2 refusals`. */
export function count(n: number, noun: string, plural = `${noun}s`): string {
  return `${n} ${n === 1 ? noun : plural}`;
}

/** Where a run stands. Times in milliseconds; `estimateMs` is what is left, null when nobody can tell. */
export interface RunProgress {
  readonly done: number;
  readonly total: number;
  readonly running: number;
  readonly failed: number;
  readonly elapsedMs: number;
  readonly estimateMs: number | null;
  /** What is being done now, if one thing is to be named. */
  readonly now?: string;
}

/** `Applying 12/40, 8 running, 1 failed, 14s, about 30s left: patch TLSEdge/api` */
export function progressLine(progress: RunProgress, verb = "Applying"): string {
  const parts = [
    `${verb} ${progress.done}/${progress.total}`,
    ...(progress.running > 0 ? [`${progress.running} running`] : []),
    ...(progress.failed > 0 ? [`${progress.failed} failed`] : []),
    formatDuration(progress.elapsedMs),
    ...(progress.estimateMs === null ? [] : [`about ${formatDuration(progress.estimateMs)} left`]),
  ];
  const now = progress.now === undefined ? "" : `: ${visibleLine(progress.now)}`;
  return `${parts.join(", ")}${now}`;
}

/** A time in milliseconds for people: `0.4s`, `14s`, `3m 05s`, `1h 02m`. */
export function formatDuration(ms: number): string {
  const tenths = Math.max(0, Math.round(ms / 100));
  if (tenths < 100) return `${(tenths / 10).toFixed(1).replace(/\.0$/, "")}s`;
  const seconds = Math.round(tenths / 10);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${String(seconds % 60).padStart(2, "0")}s`;
  return `${Math.floor(minutes / 60)}h ${String(minutes % 60).padStart(2, "0")}m`;
}
