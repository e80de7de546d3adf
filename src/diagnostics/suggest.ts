/** Longer words are not compared. */
const longest = 64;

/** What was most likely meant: without case and separators, up to a third of the letters differ. */
export function suggest(word: string, candidates: readonly string[]): string | null {
  if (word.length === 0 || word.length > longest) return null;
  const plain = simplify(word);
  const most = Math.max(1, Math.floor(plain.length / 3));
  const near = candidates
    .filter((candidate) => candidate !== word && candidate.length <= longest)
    .map((candidate) => ({ candidate, distance: editDistance(plain, simplify(candidate)) }))
    .filter(({ distance }) => distance <= most);
  return near.toSorted((a, b) => a.distance - b.distance)[0]?.candidate ?? null;
}

export function didYouMean(word: string, candidates: readonly string[]): string | null {
  const near = suggest(word, candidates);
  return near === null ? null : `Did you mean ${near}?`;
}

function simplify(word: string): string {
  return word.toLowerCase().replaceAll(/[-_.\s]/g, "");
}

function editDistance(a: string, b: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, at(beforeLast, j - 2) + 1);
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
