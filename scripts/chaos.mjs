// npm run chaos: random worlds, random faults, random cuts; see docs/reliability.md, "Measured".
//   --runs N      simulated runs (default 20000); a hundredth as many with whole processes, a quarter as many pairs of
//                 applies with the account's lock
//   --seconds S   time limit for each kind (default 600)
//   --kind KIND   only these: simulated, serve, serve-shared, locked, process or serve-process; --runs then
//                 counts just them; --only is the same
//   --seed N      the first seed (default 1): --kind KIND --seed N --runs 1 replays one run
//   --write       writes the figures into docs/reliability.md; those of kinds that did not run stay
import { spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { cli, root } from "./sandbox.mjs";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "20000" },
    seconds: { type: "string", default: "600" },
    kind: { type: "string" },
    only: { type: "string" },
    seed: { type: "string", default: "1" },
    write: { type: "boolean", default: false },
  },
});
values.kind ??= values.only;
const shares = {
  simulated: 1,
  serve: 20,
  locked: 4,
  process: 100,
  "serve-process": 400,
  "serve-shared": 40,
};
const kinds = values.kind === undefined ? Object.keys(shares) : [values.kind];
for (const kind of kinds) if (!(kind in shares)) fail(`--kind must be one of ${Object.keys(shares).join(", ")}`);
for (const name of ["runs", "seconds", "seed"])
  if (!/^[1-9]\d{0,8}$/.test(values[name])) fail(`--${name} must be a whole number from 1`);

function fail(message) {
  console.error(message);
  process.exit(1);
}

/** Compiles the tests to JavaScript, so that Node runs them without any flags. */
function compile() {
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  for (const args of [
    [join(root, "scripts", "build.mjs")],
    [tsc, "-p", join(root, "scripts", "chaos.tsconfig.json")],
  ]) {
    const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
    if (status !== 0) process.exit(1);
  }
  const out = join(root, "node_modules", ".cache", "chaos");
  writeFileSync(join(out, "package.json"), '{"type":"module","version":"0.0.0"}\n');
  return join(out, "test", "slow", "chaos", "support");
}

/** Runs one share of the seeds in its own process. */
function work(program, args) {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [program, ...args.map(String)], {
      cwd: root,
      env: { ...process.env, CHAOS_PROGRAM: cli },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text) => (out += text));
    child.on("error", failed);
    child.on("close", (code) =>
      code === 0 ? done(JSON.parse(out)) : failed(new Error(`a worker ended with ${code}`)),
    );
  });
}

const names = {
  simulated: "simulated service",
  serve: "fleets, in virtual time",
  "serve-shared": "fleets of several processes, in virtual time",
  locked: "sandbox, HTTP, with the lock",
  process: "sandbox, processes",
  "serve-process": "sandbox, processes of `serve`",
};

/** What the parts of the figures are, for kinds that differ. */
const parts = {
  serve: { ends: "Stacks ended as", operations: "Brakes and approvals", met: "Events" },
  "serve-shared": { ends: "Stacks ended as", operations: "Brakes and approvals", met: "Events" },
  "serve-process": { ends: "Processes ended with" },
};

/** The figures as the documents show them: the kinds that did not run keep the row and the part that they have. */
function markdown(all, before, { number, countsText }) {
  const rows = {};
  const sections = {};
  for (const [kind, name] of Object.entries(names)) {
    rows[kind] = before.split("\n").find((line) => line.startsWith(`| ${name} |`));
    sections[kind] = before
      .split(/^(?=\*\*)/mu)
      .find((section) => section.startsWith(`**${name}**`))
      ?.trim();
  }
  for (const [kind, { runs, applies, requests, writes, cuts, ...counted }] of Object.entries(all)) {
    rows[kind] = `| ${[names[kind], ...[runs, applies, requests, writes].map(number), countsText(cuts)].join(" | ")} |`;
    const titles = {
      faults: "Faults",
      ends: "Applies ended with",
      operations: "Operations ended as",
      met: "Other events",
      ...parts[kind],
    };
    const lines = Object.entries(titles).flatMap(([part, title]) =>
      Object.keys(counted[part]).length === 0 ? [] : [`- ${title}: ${countsText(counted[part])}`],
    );
    sections[kind] = [`**${names[kind]}**`, "", ...lines].join("\n");
  }
  const given = (texts) => Object.values(texts).filter((text) => text !== undefined);
  const head = ["| against | runs | applies | requests | writes | cuts |", "|---|---|---|---|---|---|"];
  return `${[...head, ...given(rows)].join("\n")}\n\n${given(sections).join("\n\n")}\n`;
}

const support = compile();
const figures = await import(pathToFileURL(join(support, "figures.js")).href);
const all = {};
let failures = 0;
for (const kind of kinds) {
  const runs = values.kind === undefined ? Math.ceil(Number(values.runs) / shares[kind]) : Number(values.runs);
  const workers = Math.min(runs, availableParallelism());
  const shared = Array.from({ length: workers }, (_, index) => Math.ceil((runs - index) / workers));
  const ends = await Promise.all(
    shared.map((count, index) =>
      work(join(support, "worker.js"), [kind, Number(values.seed) + index, workers, count, values.seconds]),
    ),
  );
  all[kind] = figures.noFigures();
  for (const end of ends) {
    figures.add(all[kind], end.figures);
    for (const { seed, what } of end.wrong)
      console.log(`WRONG: ${what}\n  npm run chaos -- --kind ${kind} --seed ${seed} --runs 1`);
    failures += end.wrong.length;
  }
  console.log(`\n${kind}: ${figures.figuresText(all[kind])}`);
}
console.log(`\n${failures === 0 ? "Nothing was wrong." : `${failures} things were wrong.`}`);
if (failures > 0) process.exitCode = 1;
else if (values.write) {
  const path = join(root, "docs", "reliability.md");
  const text = readFileSync(path, "utf8");
  const block = /(<!-- chaos:begin -->\n)([\s\S]*?)(<!-- chaos:end -->)/;
  if (!block.test(text)) fail(`${path} has no place for the figures`);
  writeFileSync(
    path,
    text.replace(block, (_, begin, before, end) => `${begin}${markdown(all, before, figures)}${end}`),
  );
}
