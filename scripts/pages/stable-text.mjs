// Makes the output of the program the same in every run: what differs without meaning is replaced.

/** Ids that the service gave. Those that people gave, as in docs/terraform, are shorter and stay. */
const id = /\b([a-z]+)_[A-Za-z0-9]{20,}/g;

/** Lines below a header in capitals, up to an empty one. */
const table = /^[A-Z]+(?: [A-Z]+)*(?: {2,}[A-Z]+(?: [A-Z]+)*)+\n(?:.+\n)+/gm;

/**
 * Numbers ids for each kind, in the order in which they are shown, because kinds are created in any order. `show` takes what the
 * program printed; `real` takes a command with the ids as the page shows them.
 */
export function shownIds() {
  const known = new Map();

  const inText = (text) =>
    text.replace(id, (real, prefix) => {
      const same = [...known.keys()].filter((other) => other.startsWith(`${prefix}_`)).length;
      if (!known.has(real)) known.set(real, `${prefix}_${String(same + 1).padStart(4, "0")}`);
      return known.get(real);
    });

  /** A table whose columns are as wide as the shown ids need. */
  const inTable = (text) => {
    const lines = text.trimEnd().split("\n");
    const starts = [...lines[0].matchAll(/\S+(?: \S+)*/g)].map(({ index }) => index);
    const rows = lines.map((line) =>
      starts.map((start, column) => inText(line.slice(start, starts[column + 1]).trimEnd())),
    );
    const widths = starts.map((_, column) => Math.max(...rows.map((row) => row[column].length)));
    return rows
      .map(
        (row) =>
          `${row
            .map((cell, column) => cell.padEnd(widths[column]))
            .join("  ")
            .trimEnd()}\n`,
      )
      .join("");
  };

  return {
    show: (text) => inText(text.replace(table, inTable)),
    real: (command) => [...known].reduce((line, [real, shown]) => line.replaceAll(shown, real), command),
  };
}

/** Replaces checksums, durations, times and the name of this machine, and sorts the lines of operations, which end in any order. */
export function stableText(text) {
  return (
    text
      .replace(/sha256([: ])[0-9a-f]{8,64}…?/g, "sha256$1…")
      .replace(/\b\d+ ms\b/g, "40 ms")
      .replace(/edgewise\.mjs \([\d.]+ MB\)/g, "edgewise.mjs (4 MB)")
      // Of requests that are sent side by side, any may be the first.
      .replace(/\bop_[A-Za-z0-9]{6,}/g, "op_0001")
      .replace(/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "2024-01-01T12:00:00Z")
      .replace(/\byou@[\w.-]+/g, "you@host")
      .replace(/(?:^op-\d+ .*\n)+/gm, (lines) => `${lines.trimEnd().split("\n").sort(byNumber).join("\n")}\n`)
  );
}

function byNumber(a, b) {
  return Number(/\d+/.exec(a)?.[0]) - Number(/\d+/.exec(b)?.[0]);
}
