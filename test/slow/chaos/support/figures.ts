export interface Figures {
  runs: number;
  applies: number;
  requests: number;
  writes: number;
  readonly cuts: Counts;
  readonly faults: Counts;
  /** How applies ended, by exit code or "killed". */
  readonly ends: Counts;
  readonly operations: Counts;
  readonly met: Counts;
}

export interface Counts {
  [what: string]: number;
}

export function noFigures(): Figures {
  return { runs: 0, applies: 0, requests: 0, writes: 0, cuts: {}, faults: {}, ends: {}, operations: {}, met: {} };
}

export function count(counts: Counts, what: string | number, times = 1): void {
  counts[what] = (counts[what] ?? 0) + times;
}

export function add(sum: Figures, more: Figures): void {
  sum.runs += more.runs;
  sum.applies += more.applies;
  sum.requests += more.requests;
  sum.writes += more.writes;
  for (const part of ["cuts", "faults", "ends", "operations", "met"] as const)
    for (const [what, times] of Object.entries(more[part])) count(sum[part], what, times);
}

export function figuresText(figures: Figures): string {
  const { runs, applies, requests, writes, ...parts } = figures;
  const lines = [
    `${number(runs)} runs, ${number(applies)} applies, ${number(requests)} requests, ${number(writes)} of them writes`,
    ...Object.entries(parts).map(([part, counts]) => `${part}: ${countsText(counts)}`),
  ];
  return lines.join("\n");
}

/** `200 × reset before, 100 × HTML`, the most frequent first. */
function countsText(counts: Counts): string {
  const sorted = Object.entries(counts).toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return sorted.map(([what, times]) => `${number(times)} × ${what}`).join(", ") || "none";
}

function number(value: number): string {
  return String(value).replaceAll(/\B(?=(\d{3})+$)/gu, ",");
}
