// Creating everything in an empty account: plan, writes, and the lists that verify them, beside a program that only sends
// the same requests.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { longestChain, posts, writeManifests } from "./account.mjs";
import { atMost, mib, ms, thousands } from "./format.mjs";
import { caseOf } from "./inner.mjs";
import { inTurn, measure, median } from "./measure.mjs";
import { cli } from "./paths.mjs";
import { startService } from "./service.mjs";

/** Runs something against a service without resources. */
async function inNewAccount(latency, run) {
  const service = await startService({ latency });
  try {
    return await run(service);
  } finally {
    await service.close();
  }
}

export async function applyCommand({ folder, quick, rounds }) {
  const count = quick ? 200 : 1000;
  const latency = 50;
  writeManifests(folder, count, 500);
  const requests = join(folder, "requests.json");
  writeFileSync(requests, JSON.stringify(posts(count)));
  const [runs, writers] = await inTurn(
    rounds,
    () =>
      inNewAccount(latency, ({ env }) => measure([cli, "apply", "--auto-approve"], { cwd: folder, env, memory: true })),
    () => inNewAccount(latency, ({ env }) => measure(caseOf("bare-writer", requests), { env })),
  );
  const own = median(runs.map((run) => run.ms));
  const writer = median(writers.map((run) => run.ms));
  const ideal = (1 + Math.ceil(count / 8) + longestChain(count)) * latency;
  return [
    {
      what: `\`apply\` of ${thousands(count)} creates, verified, ${latency} ms latency`,
      measured: ms(own),
      against: `(1 + ${count} ÷ 8 + ${longestChain(count)} pages) × ${latency} ms = ${ms(ideal)}; bare writer ${ms(writer)}`,
      ratio: `${(own / ideal).toFixed(3)} (bare writer ${(writer / ideal).toFixed(3)})`,
      goal: atMost(own / ideal, 1.1, "≤ 1.10 × ideal"),
      peak: mib(median(runs.map((run) => run.mib))),
    },
  ];
}
