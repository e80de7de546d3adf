/** Where a run stands. */
export interface RunProgress {
  readonly done: number;
  readonly total: number;
  readonly running: number;
  readonly failed: number;
  /** In milliseconds; null when unknown. */
  readonly leftMs: number | null;
  /** Why it takes longer: `rate limit`. */
  readonly waits: readonly string[];
}

/** The longest and the shortest bar, without its brackets. */
const [widest, narrowest] = [30, 8];

/**
 * A run on one line of at most `width` characters: `Applying [####----] 12/40, 1 failed, 8 running, about 30s left`. What
 * matters least is left out first: what is running, then why it waits, the bar, the time left; when the time is unknown,
 * the bar before why it waits.
 * @param unicode whether the terminal shows block characters
 */
export function progressLine(progress: RunProgress, width: number, unicode: boolean): string {
  const { done, failed, leftMs, running, total, waits } = progress;
  const count = `${done}/${total}`;
  const fails = failed > 0 ? [`${failed} failed`] : [];
  const runs = running > 0 ? [`${running} running`] : [];
  const left = leftMs === null ? [] : [`about ${formatDuration(coarse(leftMs))} left`];
  for (const details of [
    [...fails, ...runs, ...waits, ...left],
    [...fails, ...waits, ...left],
    // A bar that stands still, without a time, says nothing: why it waits is left out last.
    ...(leftMs === null ? [] : [[...fails, ...left]]),
  ]) {
    const text = [count, ...details].join(", ");
    const room = Math.min(widest, width - "Applying [] ".length - text.length);
    if (room >= narrowest) return `Applying [${bar(done / Math.max(1, total), room, unicode)}] ${text}`;
  }
  const most = leftMs === null ? [...fails, ...waits] : [...fails, ...left];
  const lines = [[`Applying ${count}`, ...most], [count, ...most], [count, ...fails], [count]];
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

/**
 * Estimates the time that a run still takes: from how fast it has been, and never below what the plan takes at least
 * (with its rate limit and its chains). Moves towards a new estimate within seconds, so that a burst or a pause
 * doesn't make it jump.
 */
export class TimeLeft {
  readonly #total: number;
  readonly #leastMs: number;
  /** When the run ends, in milliseconds since its start. */
  #end: number | null = null;
  #updated = 0;

  /** @param leastMs what the whole run takes at least */
  constructor(total: number, leastMs: number) {
    this.#total = total;
    this.#leastMs = leastMs;
  }

  /**
   * The milliseconds left; null when nothing is known, because the first operations take longer than expected.
   * @param elapsedMs since the start; not less than in the last call
   * @param leastMs what the rest takes at least, as far as is known now
   */
  update(done: number, elapsedMs: number, leastMs = 0): number | null {
    const most = this.#total - done;
    if (most <= 0) return 0;
    const least = Math.max(this.#leastMs - elapsedMs, leastMs);
    if (done === 0) return least > 0 ? least : null;
    // The first few operations say little: they count as much as what was expected of as many.
    const expected = Math.min(this.#total, Math.max(8, this.#total / 12));
    const perOperation = (elapsedMs + (this.#leastMs / this.#total) * expected) / (done + expected);
    const left = Math.max(perOperation * most, least);
    const end = elapsedMs + left;
    const share = 1 - Math.exp(-(elapsedMs - this.#updated) / smoothingMs);
    this.#end = this.#end === null ? end : this.#end + (end - this.#end) * share;
    this.#updated = elapsedMs;
    return Math.max(Math.min(left, 1000), this.#end - elapsedMs);
  }
}

const smoothingMs = 3000;

/** A time left in steps that people can rely on. */
function coarse(ms: number): number {
  const step = ms <= 10_000 ? 1000 : ms <= 60_000 ? 5000 : ms <= 600_000 ? 10_000 : 60_000;
  return Math.max(1000, Math.ceil(ms / step) * step);
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
