// Measures edgewise, and prints a table for each bench.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { benches } from "./benches.mjs";
import { path } from "./processes.mjs";

const usage = `npm run bench -- [OPTION…]

  --only NAME    only this bench (repeatable): ${Object.keys(benches).join(", ")}
  --quick        small sizes and one round: whether everything works
  --write        replace the tables in docs/performance.md
`;
const { values } = parseArgs({
  options: {
    help: { type: "boolean", short: "h", default: false },
    quick: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: Object.keys(benches) },
  },
});
const unknown = values.only.find((name) => !Object.hasOwn(benches, name));
if (values.help || unknown !== undefined || (values.quick && values.write)) {
  console.log(usage);
  process.exit(values.help ? 0 : 1);
}

const scratch = mkdtempSync(join(tmpdir(), "edgewise-bench-"));
process.once("exit", () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }));
for (const name of values.only) {
  const folder = join(scratch, name);
  mkdirSync(folder);
  const from = performance.now();
  const text = table(await benches[name]({ folder, quick: values.quick }));
  console.log(`## ${name}\n\n${text}\n\n(${Math.round((performance.now() - from) / 1000)} s)\n`);
  if (values.write) write(name, text);
}

/** Rows as a Markdown table. */
function table(rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const titles = Object.keys(rows[0]);
  const machine = `${availableParallelism()} cores, Node ${process.versions.node}`;
  return `${[titles, titles.map(() => "---"), ...rows.map((row) => Object.values(row))].map(line).join("\n")}\n\n(${machine})`;
}

/** Replaces the table of a bench in the page. */
function write(name, text) {
  const file = path("docs/performance.md");
  const page = readFileSync(file, "utf8");
  const block = new RegExp(`(<!-- bench:${name} -->\n)[\\s\\S]*?(<!-- /bench:${name} -->)`);
  if (!block.test(page)) throw new Error(`docs/performance.md has no place for ${name}`);
  writeFileSync(
    file,
    page.replace(block, (_, begin, end) => `${begin}\n${text}\n\n${end}`),
  );
}
