// Loading manifests, compared with the YAML library alone, and with the same manifests in fewer files.
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeManifests, writeWorld } from "./account.mjs";
import { atMost, mib, ms, ratio, thousands } from "./format.mjs";
import { inner } from "./inner.mjs";
import { inTurn, measure, median } from "./measure.mjs";
import { writeMixed } from "./mixed-account.mjs";
import { cli } from "./paths.mjs";
import { startService } from "./service.mjs";

const filesOf = (files) => (files === 1 ? "one file" : `${thousands(files)} files`);

/** Each in its own process, without Node's start. */
export async function loading({ folder, quick, rounds }) {
  const rows = [];
  const sizes = quick
    ? [[1000, 100]]
    : [
        [1000, 100],
        [10_000, 500],
        [10_000, 10_000],
        [50_000, 500],
      ];
  const compare = async (what) => {
    const [load, parse] = await inTurn(
      rounds,
      () => inner("load", folder),
      () => inner("parse-all", folder),
    );
    const own = median(load.map((run) => run.ms));
    const other = median(parse.map((run) => run.ms));
    return {
      what,
      measured: ms(own),
      against: `parseAllDocuments ${ms(other)}`,
      ratio: ratio(own, other),
      goal: atMost(own / other, 0.7),
      peak: `${mib(median(load.map((run) => run.mib)))} (${mib(median(parse.map((run) => run.mib)))})`,
    };
  };
  for (const [count, perFile] of sizes) {
    writeManifests(folder, count, perFile);
    rows.push(await compare(`load ${thousands(count)} manifests, ${filesOf(Math.ceil(count / perFile))}`));
  }
  const count = quick ? 500 : 10_000;
  await writeMixed(folder, count);
  rows.push(await compare(`load the mixed account, ${filesOf(count)}`));
  return rows;
}

/** `validate` as whole processes: many files against few with the same manifests, and the layout that `export` writes. */
export async function files({ folder, quick, rounds }) {
  const count = quick ? 1000 : 10_000;
  const few = join(folder, "few");
  const many = join(folder, "many");
  const exported = join(folder, "exported");
  writeManifests(few, count, count / 20);
  writeManifests(many, count, 1);
  writeManifests(exported, 1, 1);
  rmSync(join(exported, "edge"), { recursive: true });
  const data = join(folder, "world.json");
  writeWorld(data, count);
  const service = await startService({ data, latency: 0 });
  let exports;
  try {
    const args = ["export", "--owned", "--split", "resource", "--force", "--out-dir", "edge"];
    // One round: it takes long, and is compared with nothing.
    [exports] = await inTurn(1, () => measure([cli, ...args], { cwd: exported, env: service.env, memory: true }));
  } finally {
    await service.close();
  }
  const written = readdirSync(join(exported, "edge"), { recursive: true }).filter((name) => name.endsWith(".yaml"));
  if (written.length < count) throw new Error(`export wrote ${written.length} of ${count} files`);
  const joined = join(folder, "joined");
  cpSync(exported, joined, { recursive: true });
  joinFiles(join(joined, "edge"), written, 20);
  const validate = (cwd) => () => measure([cli, "validate"], { cwd, memory: true });
  const [inFew, inMany, inJoined, inExported] = await inTurn(rounds, ...[few, many, joined, exported].map(validate));
  const of = (runs, member) => median(runs.map((run) => run[member]));
  const row = (what, runs, beside) => {
    const factor = of(runs, "ms") / of(beside, "ms");
    return {
      what,
      measured: ms(of(runs, "ms")),
      against: `in 20 files ${ms(of(beside, "ms"))}; CPU ${ms(of(runs, "cpuMs"))}, in 20 files ${ms(of(beside, "cpuMs"))}`,
      ratio: factor.toFixed(2),
      goal: atMost(factor, 1.6),
      peak: mib(of(runs, "mib")),
    };
  };
  return [
    row(`\`validate\` of ${thousands(count)} in ${filesOf(count)}`, inMany, inFew),
    {
      what: `\`export --split resource\` of ${thousands(count)}, one round`,
      measured: ms(of(exports, "ms")),
      against: `${thousands(written.length)} files; CPU ${ms(of(exports, "cpuMs"))}`,
      peak: mib(of(exports, "mib")),
    },
    row("`validate` of what it wrote", inExported, inJoined),
  ];
}

/** Writes the documents of many files of a folder into few of them, in their order, and removes the rest. */
function joinFiles(folder, names, few) {
  const documents = names.toSorted().map((name) => readFileSync(join(folder, name), "utf8"));
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  const perFile = Math.ceil(documents.length / few);
  for (let file = 0; file < few; file++) {
    const part = documents.slice(file * perFile, (file + 1) * perFile);
    if (part.length > 0) writeFileSync(join(folder, `${file}.yaml`), part.join("---\n"));
  }
}
