/** One line of a difference. `gap` stands for lines left out and says how many. */
export interface DiffLine {
  readonly mark: "+" | "-" | " " | "gap";
  readonly text: string;
}

/** Compares two texts given as lines. */
export type LineDiff = (before: readonly string[], after: readonly string[]) => readonly DiffLine[];

const context = 3;
const maxEdits = 500;

/**
 * Loads the comparison of lines (a module of some size, so only when a report has long texts on both sides).
 * Texts that have little in common would take quadratic time: they are shown as wholly replaced between what they
 * share at both ends.
 */
export async function loadLineDiff(): Promise<LineDiff> {
  const { diffArrays } = await import("diff");
  return (before, after) => {
    const [head, tail] = sharedEnds(before, after);
    const a = before.slice(head, before.length - tail);
    const b = after.slice(head, after.length - tail);
    const parts = diffArrays([...a], [...b], { maxEditLength: maxEdits });
    const middle =
      parts === undefined
        ? [...marked("-", a), ...marked("+", b)]
        : parts.flatMap((part) => marked(part.added ? "+" : part.removed ? "-" : " ", part.value));
    return withGaps([
      ...marked(" ", before.slice(0, head)),
      ...middle,
      ...marked(" ", before.slice(before.length - tail)),
    ]);
  };
}

function marked(mark: DiffLine["mark"], lines: readonly string[]): readonly DiffLine[] {
  return lines.map((text) => ({ mark, text }));
}

function sharedEnds(a: readonly string[], b: readonly string[]): readonly [number, number] {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  return [head, tail];
}

/** Leaves out unchanged lines further than three from a change, unless that saves nothing. */
function withGaps(lines: readonly DiffLine[]): readonly DiffLine[] {
  const result: DiffLine[] = [];
  let start = 0;
  while (start < lines.length) {
    if (lines[start]?.mark !== " ") {
      result.push(...lines.slice(start, start + 1));
      start += 1;
      continue;
    }
    let end = start;
    while (end < lines.length && lines[end]?.mark === " ") end += 1;
    const from = start === 0 ? start : start + context;
    const to = end === lines.length ? end : end - context;
    if (to - from < 2) result.push(...lines.slice(start, end));
    else {
      const left = `${to - from} unchanged lines`;
      result.push(...lines.slice(start, from), { mark: "gap", text: left }, ...lines.slice(to, end));
    }
    start = end;
  }
  return result;
}
