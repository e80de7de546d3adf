// How figures, goals and rows are written.

/** Milliseconds, as seconds when they are many. */
export function ms(value) {
  if (value < 10) return `${value.toFixed(1)} ms`;
  return value < 10_000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`;
}

export const mib = (value) => `${Math.round(value)} MiB`;
export const us = (value) => `${value.toFixed(1)} µs`;
export const thousands = (count) => (count < 1000 ? String(count) : `${count / 1000}k`);
export const perSecond = (count, milliseconds) => `${Math.round((count / milliseconds) * 1000)} a second`;
export const ratio = (a, b) => (a / b).toFixed(2);

/** A goal: what it says, and whether it was reached. */
export const atMost = (value, most, text = `≤ ${most}`) => ({ text, met: value <= most });
export const atLeast = (value, least, text = `≥ ${least}`) => ({ text, met: value >= least });

/** The cost of each item may grow by half when there are a hundred times as many: caches miss more, sorting adds a little. */
export const linear = (each, eachOfFew) => atMost(each / eachOfFew, 1.5, "≤ 1.5 × per item");

const columns = [
  ["what", "What"],
  ["measured", "Measured"],
  ["against", "Compared with"],
  ["ratio", "Ratio"],
  ["goal", "Goal"],
  ["peak", "Peak memory"],
];

/** The goals of a row: none, one or several. */
export function goalsOf({ goal }) {
  return goal === undefined ? [] : [goal].flat();
}

/**
 * Rows as a Markdown table.
 * @param judged whether goals are shown: they are meant for whole sizes
 */
export function table(rows, judged) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const goals = (row) =>
    judged
      ? goalsOf(row)
          .map(({ met, text }) => (met ? text : `${text} **missed**`))
          .join(", ")
      : "";
  const cell = (row, key) => (key === "goal" ? goals(row) : (row[key] ?? ""));
  return [
    line(columns.map(([, title]) => title)),
    line(columns.map(() => "---")),
    ...rows.map((row) => line(columns.map(([key]) => cell(row, key)))),
  ].join("\n");
}
