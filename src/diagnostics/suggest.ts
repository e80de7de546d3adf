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
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const same = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, same, isSwapped ? at(i - 2, j - 2) + 1 : same));
    }
  }
  return at(a.length, b.length);
}
