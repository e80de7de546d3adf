/** Where a run stands. */
export interface RunProgress {
  readonly done: number;
  readonly total: number;
  readonly running: number;
  readonly failed: number;
}

/** The longest bar, without its brackets. */
const widest = 30;

/** A run on one line of at most `width` characters: `Applying [####----] 12/40, 1 failed, 8 running`. */
export function progressLine({ done, failed, running, total }: RunProgress, width: number): string {
  const fails = failed > 0 ? [`${failed} failed`] : [];
  const runs = running > 0 ? [`${running} running`] : [];
  const text = [`${done}/${total}`, ...fails, ...runs].join(", ");
  const room = Math.min(widest, width - "Applying [] ".length - text.length);
  if (room < 1) return `Applying ${text}`.slice(0, Math.max(0, width));
  const full = Math.floor((done / Math.max(1, total)) * room);
  return `Applying [${"#".repeat(full)}${"-".repeat(room - full)}] ${text}`;
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
