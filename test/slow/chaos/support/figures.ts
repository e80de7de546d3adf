export interface Figures {
  applies: number;
  requests: number;
  writes: number;
  restarts: number;
  readonly faults: Counts;
  readonly ends: Counts;
  readonly met: Counts;
}

export interface Counts {
  [what: string]: number;
}

export function noFigures(): Figures {
  return { applies: 0, requests: 0, writes: 0, restarts: 0, faults: {}, ends: {}, met: {} };
}

export function count(counts: Counts, what: string | number, times = 1): void {
  counts[what] = (counts[what] ?? 0) + times;
}
