/** Where a run stands. */
export interface RunProgress {
  readonly done: number;
  readonly total: number;
  readonly running: number;
  readonly failed: number;
  /** Why it takes longer: `rate limit`. */
  readonly waits: readonly string[];
}

/** The longest and the shortest bar, without its brackets. */
const [widest, narrowest] = [30, 8];

/**
 * A run on one line of at most `width` characters: `Applying [####----] 12/40, 1 failed, 8 running, rate limit`. What
 * matters least is left out first: what is running, the bar, why it waits.
 * @param unicode whether the terminal shows block characters
 */
export function progressLine(progress: RunProgress, width: number, unicode: boolean): string {
  const { done, failed, running, total, waits } = progress;
  const count = `${done}/${total}`;
  const fails = failed > 0 ? [`${failed} failed`] : [];
  const runs = running > 0 ? [`${running} running`] : [];
  for (const details of [
    [...fails, ...runs, ...waits],
    [...fails, ...waits],
  ]) {
    const text = [count, ...details].join(", ");
    const room = Math.min(widest, width - "Applying [] ".length - text.length);
    if (room >= narrowest) return `Applying [${bar(done / Math.max(1, total), room, unicode)}] ${text}`;
  }
  const lines = [[`Applying ${count}`, ...fails, ...waits], [count, ...fails, ...waits], [count, ...fails], [count]];
  const texts = lines.map((parts) => parts.join(", "));
  return texts.find((text) => text.length <= width) ?? count.slice(0, Math.max(0, width));
}

/** Full only when everything is done. */
function bar(share: number, width: number, unicode: boolean): string {
  const full = Math.min(width, Math.floor(share * width));
  const [on, off] = unicode ? ["█", "░"] : ["#", "-"];
  return on.repeat(full) + off.repeat(width - full);
}

/** Whether a terminal of this environment shows characters beyond ASCII. */
export function showsUnicode(env: { readonly [name: string]: string | undefined }): boolean {
  const locale = [env["LC_ALL"], env["LC_CTYPE"], env["LANG"]].find((each) => each !== undefined && each !== "");
  return locale === undefined ? env["WT_SESSION"] !== undefined : /utf-?8/i.test(locale);
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
