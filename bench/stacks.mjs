// Many small stacks in one process: through the library, and with `drift --all`.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { resources, writeStackWorld } from "./account.mjs";
import { atMost, mib, ms, thousands } from "./format.mjs";
import { inner } from "./inner.mjs";
import { measure, median } from "./measure.mjs";
import { cli } from "./paths.mjs";
import { startService } from "./service.mjs";

/** Writes stacks, each with a configuration and manifests of its own. */
function writeStacks(folder, stacks, each) {
  rmSync(folder, { recursive: true, force: true });
  const texts = Array.from(resources(each), ({ text }) => text).join("---\n");
  for (let index = 0; index < stacks; index++) {
    const name = `s${String(index).padStart(4, "0")}`;
    mkdirSync(join(folder, name, "edge"), { recursive: true });
    writeFileSync(join(folder, name, "edge", "all.yaml"), texts.replaceAll("api-", `api-${name}-`));
    writeFileSync(
      join(folder, name, "edgewise.yaml"),
      `apiVersion: edgewise/v1\nkind: Config\nstack: ${name}\nmanifests: [edge/]\n`,
    );
  }
}

export async function stacks({ folder, quick, rounds }) {
  const rows = [];
  const each = 10;
  const count = quick ? 100 : 1000;
  writeStacks(join(folder, "stacks"), count, each);
  const ways = [
    ["one after the other", 1, "each"],
    ["8 at once", 8, "each"],
    [`of one account with ${thousands(count * each)} resources`, 1, "one"],
  ];
  for (const [way, atOnce, accounts] of ways) {
    const runs = [];
    for (let round = 0; round < rounds; round++) {
      runs.push(await inner("stacks", join(folder, "stacks"), each, atOnce, accounts));
    }
    const of = (member) => median(runs.map((run) => run[member]));
    rows.push({
      what: `${thousands(count)} stacks of ${each} through the library, ${way}`,
      measured: `${of("ms").toFixed(2)} ms each`,
      against: `CPU ${of("cpuMs").toFixed(2)} ms each`,
      goal: atMost(of("ms"), 2, "≤ 2 ms each"),
      peak: mib(of("mib")),
    });
  }

  const few = quick ? 20 : 200;
  const latency = 50;
  writeStacks(join(folder, "drift"), few, each);
  const data = join(folder, "world.json");
  writeStackWorld(data, few, each);
  const pages = Math.ceil((few * each * 0.8) / 100);
  const allPages = pages + Math.ceil((few * each * 0.2) / 100) + 3;
  const service = await startService({ data, latency });
  const runs = [];
  const requests = [];
  try {
    for (let round = 0; round < rounds; round++) {
      const before = await service.requests();
      runs.push(await measure([cli, "drift", "--all"], { cwd: join(folder, "drift"), env: service.env, memory: true }));
      requests.push((await service.requests()) - before);
    }
  } finally {
    await service.close();
  }
  const own = median(runs.map((run) => run.ms));
  rows.push({
    what: `\`drift --all\`, ${few} stacks of ${each} in one account, ${latency} ms latency`,
    measured: `${ms(own)}, ${Math.max(...requests)} requests`,
    against: `its lists, read once, have ${allPages} pages: ${pages} one after the other are ${ms(pages * latency)}`,
    ratio: `${(own / few).toFixed(1)} ms each`,
    goal: atMost(Math.max(...requests), allPages, "requests ≤ pages"),
    peak: mib(median(runs.map((run) => run.mib))),
  });
  return rows;
}
