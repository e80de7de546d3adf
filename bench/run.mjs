// Measures edgewise, and prints a table.
//   npm run bench                      everything, some minutes
//   npm run bench -- --quick           smaller sizes, fewer rounds
//   npm run bench -- --only loading    one of startup, loading, planner, plan, apply, scale, store, serve, serve-loop, serve-http, fleet (repeatable)
//   npm run bench -- --write           also writes the table into docs/performance.md
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { benches, folderFor } from "./benches.mjs";
import { path } from "./paths.mjs";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    rounds: { type: "string" },
    only: { type: "string", multiple: true, default: Object.keys(benches) },
  },
});
const unknown = values.only.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) throw new Error(`there is no bench ${unknown[0]}: ${Object.keys(benches).join(", ")}`);
const rounds = Number(values.rounds ?? (values.quick ? 1 : 3));

const columns = [
  ["what", "What"],
  ["measured", "Measured"],
  ["against", "Compared with"],
  ["ratio", "Ratio"],
  ["goal", "Goal"],
  ["peak", "Peak memory"],
];

function table(rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [
    line(columns.map(([, title]) => title)),
    line(columns.map(() => "---")),
    ...rows.map((row) => line(columns.map(([key]) => row[key] ?? ""))),
  ].join("\n");
}

const scratch = mkdtempSync(join(tmpdir(), "edgewise-bench-"));
const rows = [];
try {
  for (const name of values.only) {
    process.stderr.write(`${name} …\n`);
    rows.push(...(await benches[name]({ folder: folderFor(scratch, name), quick: values.quick, rounds })));
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

const machine = `${availableParallelism()} cores, Node ${process.versions.node}, medians of ${rounds} rounds`;
const text = `${table(rows)}\n\n(${machine}. Peak memory of the compared process in brackets.)`;
console.log(text);
if (values.write) {
  const file = path("docs/performance.md");
  const block = /(<!-- bench -->\n)[\s\S]*?(\n<!-- \/bench -->)/;
  const document = readFileSync(file, "utf8");
  if (!block.test(document)) throw new Error("docs/performance.md has no <!-- bench --> block");
  writeFileSync(
    file,
    document.replace(block, (_all, open, close) => `${open}\n${text}\n${close}`),
  );
}
