// Makes the output of the program the same in every run: what differs without meaning is replaced.

/** Ids of resources, by their prefixes. */
const id = /\b(edgtls|ipx|ra|bkdhr|cert|op)_([A-Za-z0-9]{6,})/g;

/** Numbers ids for each kind, in the order in which they are shown, because kinds are created in any order. */
export class ShownIds {
  #shown = new Map();

  /** @param {string} text what the program printed */
  show(text) {
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

/** Replaces checksums and durations, and sorts the lines of operations, which end in any order. */
export function stableText(text) {
  return text
    .replace(/sha256([: ])[0-9a-f]{8,64}…?/g, "sha256$1…")
    .replace(/\b\d+ ms\b/g, "40 ms")
    .replace(/(?:^op-\d+ .*\n)+/gm, (lines) => `${lines.trimEnd().split("\n").sort(byNumber).join("\n")}\n`);
}

function byNumber(a, b) {
  return Number(/\d+/.exec(a)?.[0]) - Number(/\d+/.exec(b)?.[0]);
}
