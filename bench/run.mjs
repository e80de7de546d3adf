// Measures edgewise, and prints a table for each bench. See the usage below.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { benches } from "./benches.mjs";
import { goalsOf, table } from "./format.mjs";
import { path } from "./paths.mjs";

const names = Object.keys(benches);
const width = Math.max(...names.map((name) => name.length));
const usage = `npm run bench -- [OPTION…]

  --only NAME    only this bench (repeatable); default: all but those marked with *
  --quick        smaller sizes and one round; goals are meant for whole sizes, so nothing is judged
  --rounds N     how often each thing is measured; default 3
  --write        replace the tables of these benches in docs/performance.md, and no others

Goals that are missed are marked in the tables and listed at the end. The exit code is 0 all the same: what a machine
reaches depends on what else it does.

Benches, and how long each takes with three rounds on a quiet machine with two cores:

${names.map((name) => `  ${name.padEnd(width)}  ${benches[name].takes.padEnd(8)}${benches[name].byDefault === false ? "* " : "  "}${benches[name].about}`).join("\n")}
`;

const { values } = parseArgs({
  options: {
    help: { type: "boolean", short: "h", default: false },
    quick: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    rounds: { type: "string" },
    only: { type: "string", multiple: true },
  },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const chosen = values.only ?? names.filter((name) => benches[name].byDefault !== false);
const unknown = chosen.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) refuse(`there is no bench ${unknown[0]}: ${names.join(", ")}`);
if (values.quick && values.write)
  refuse("--quick can't be used with --write: it measures other sizes than the tables have");
const rounds = Number(values.rounds ?? (values.quick ? 1 : 3));
if (!Number.isInteger(rounds) || rounds < 1) refuse("--rounds must be a whole number from 1");

const machine = `${availableParallelism()} cores, Node ${process.versions.node}, ${rounds === 1 ? "one round" : `${rounds} rounds`}`;
const scratch = mkdtempSync(join(tmpdir(), "edgewise-bench-"));
const missed = [];
let judged = 0;
try {
  for (const name of chosen) {
    process.stderr.write(`${name} …\n`);
    const folder = join(scratch, name);
    mkdirSync(folder);
    const from = performance.now();
    const rows = await benches[name].run({ folder, quick: values.quick, rounds });
    rmSync(folder, { recursive: true, force: true });
    process.stderr.write(`${name} took ${Math.round((performance.now() - from) / 1000)} s\n`);
    const text = `${table(rows, !values.quick)}\n\n(${machine}.)`;
    console.log(`## ${name}\n\n${text}\n`);
    for (const row of values.quick ? [] : rows) {
      for (const goal of goalsOf(row)) {
        judged += 1;
        if (!goal.met)
          missed.push(`${row.what}: ${goal.text}, measured ${row.measured} (ratio ${row.ratio ?? "none"})`);
      }
    }
    // At once: a later bench may fail.
    if (values.write) write(name, text);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
if (values.quick) console.log("Nothing was judged: goals are meant for whole sizes.");
else if (missed.length === 0) console.log(`All ${judged} goals were met.`);
else console.log(`${missed.length} of ${judged} goals were missed:\n${missed.map((each) => `- ${each}`).join("\n")}`);

/** Replaces the table of a bench in the document. */
function write(name, text) {
  const file = path("docs/performance.md");
  const document = readFileSync(file, "utf8");
  const [open, close] = [`<!-- bench:${name} -->\n`, `\n<!-- /bench:${name} -->`];
  const [from, to] = [document.indexOf(open), document.indexOf(close)];
  if (from === -1 || to < from) throw new Error(`docs/performance.md has no block ${open}`);
  writeFileSync(file, `${document.slice(0, from)}${open}\n${text}\n${document.slice(to)}`);
}

/** Ends the program: what was typed is wrong. */
function refuse(message) {
  console.error(`error: ${message}`);
  process.exit(1);
}
