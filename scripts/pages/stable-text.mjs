// Makes the output of the program the same in every run: what differs without meaning is replaced.

/** Ids of resources, by their prefixes. */
const id = /\b(edgtls|ipx|ra|bkdhr|cert|op)_([A-Za-z0-9]{6,})/g;

/** Lines below a header in capitals, up to an empty one. */
const table = /^[A-Z]+(?: [A-Z]+)*(?: {2,}[A-Z]+(?: [A-Z]+)*)+\n(?:.+\n)+/gm;

/** Numbers ids for each kind, in the order in which they are shown, because kinds are created in any order. */
export class ShownIds {
  #shown = new Map();

  /** @param {string} text what the program printed */
  show(text) {
    return this.#inText(text.replace(table, (whole) => this.#inTable(whole)));
  }

  /** A table whose columns are as wide as the shown ids need. */
  #inTable(text) {
    const lines = text.trimEnd().split("\n");
    const starts = [...lines[0].matchAll(/\S+(?: \S+)*/g)].map(({ index }) => index);
    const rows = lines.map((line) =>
      starts.map((start, column) => this.#inText(line.slice(start, starts[column + 1]).trimEnd())),
    );
    const widths = starts.map((_, column) => Math.max(...rows.map((row) => row[column].length)));
    const shown = rows.map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join("  ")
        .trimEnd(),
    );
    return `${shown.join("\n")}\n`;
  }

  #inText(text) {
    return text.replace(id, (real, prefix, rest) => {
      // Ids that people gave, as in examples/terraform, stay.
      if (!/^[0-9A-Za-z]{20,}$/.test(rest)) return real;
      const same = [...this.#shown.keys()].filter((known) => known.startsWith(`${prefix}_`)).length;
      if (!this.#shown.has(real)) this.#shown.set(real, `${prefix}_${String(same + 1).padStart(4, "0")}`);
      return this.#shown.get(real);
    });
  }

  /** A command with the ids as the page shows them, as it is run. */
  real(command) {
    return [...this.#shown].reduce((line, [real, shown]) => line.replaceAll(shown, real), command);
  }
}

/** Replaces checksums, durations, times and the name of this machine, and sorts the lines of operations, which end in any order. */
export function stableText(text) {
  return text
    .replace(/sha256([: ])[0-9a-f]{8,64}…?/g, "sha256$1…")
    .replace(/\b\d+ ms\b/g, "40 ms")
    .replace(/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "2024-01-01T12:00:00Z")
    .replace(/\byou@[\w.-]+/g, "you@host")
    .replace(/(?:^op-\d+ .*\n)+/gm, (lines) => `${lines.trimEnd().split("\n").sort(byNumber).join("\n")}\n`);
}

function byNumber(a, b) {
  return Number(/\d+/.exec(a)?.[0]) - Number(/\d+/.exec(b)?.[0]);
}
