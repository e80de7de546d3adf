// What large changes and large policies cost: memory, the size of reports, and that nothing grows faster than its input.
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeManifests, writeWorld } from "./account.mjs";
import { atMost, mib, ms, ratio, thousands } from "./format.mjs";
import { inTurn, measure, median } from "./measure.mjs";
import { cli } from "./paths.mjs";
import { startService } from "./service.mjs";

/** Saving a plan that changes everything, and showing it. One round: each takes long, and memory hardly varies. */
async function savedPlan({ folder, quick }) {
  const count = quick ? 1000 : 10_000;
  writeManifests(folder, count, 500);
  const data = join(folder, "world.json");
  writeWorld(data, count, true);
  const service = await startService({ data, latency: 0 });
  const run = (...args) => measure([cli, ...args], { cwd: folder, env: service.env, memory: true });
  try {
    const saved = await run("plan", "--out", "plan.json", "--output-file", "plan.txt");
    const bytes = (name) => statSync(join(folder, name)).size;
    const row = (what, { mib: peak, ms: own }, file, most, goal = []) => ({
      what: `${what} of ${thousands(count)} updates`,
      measured: ms(own),
      against: `${(bytes(file) / 1e6).toFixed(1)} MB`,
      goal: [...(most === null ? [] : [atMost(peak, most, `≤ ${most} MiB`)]), ...goal],
      peak: mib(peak),
    });
    const rows = [row("`plan --out`", saved, "plan.json", 400)];
    for (const format of ["text", "html"]) {
      const shown = await run("show", "plan.json", "-o", format, "--output-file", "shown");
      const goal = format === "html" ? [atMost(bytes("shown"), 5e6, "≤ 5 MB")] : [];
      rows.push(row(`\`show -o ${format}\``, shown, "shown", 300, goal));
    }
    return rows;
  } finally {
    await service.close();
  }
}

/** Edges with policies of so many bytes of YAML each. */
function writePolicies(folder, count, bytes) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "edge"), { recursive: true });
  writeFileSync(
    join(folder, "edgewise.yaml"),
    "apiVersion: edgewise/v1\nkind: Config\nstack: policies\nmanifests: [edge/]\n",
  );
  const rule = (at) => `        - name: rule ${at}
          actions:
            - type: log
              config: { metadata: { rule: "${at}", note: "the quick brown fox jumps over the lazy dog" } }
`;
  const rules = Array.from({ length: Math.ceil(bytes / rule(1000).length) }, (_, at) => rule(at)).join("");
  for (let index = 0; index < count; index++) {
    const text = `apiVersion: edgewise/v1
kind: TLSEdge
metadata: { name: edge-${index} }
spec:
  hostports: ["policy-${index}.example.com:443"]
  traffic_policy:
    value:
      on_tcp_connect:
${rules}`;
    writeFileSync(join(folder, "edge", `${index}.yaml`), text);
  }
}

/** As many bytes in few large policies as in many small ones: what is linear takes as long. */
async function policies({ folder, quick, rounds }) {
  const large = quick ? 1 : 4;
  const [small, big] = [join(folder, "small"), join(folder, "large")];
  writePolicies(small, large * 10, 50_000);
  writePolicies(big, large, 500_000);
  const service = await startService({ latency: 0 });
  const rows = [];
  try {
    for (const args of [["validate"], ["plan"], ["plan", "-o", "html"]]) {
      const run = (cwd) => () => measure([cli, ...args], { cwd, env: service.env, memory: true });
      const [few, many] = await inTurn(rounds, run(big), run(small));
      const [own, other] = [few, many].map((runs) => median(runs.map((each) => each.cpuMs)));
      rows.push({
        what: `\`${args.join(" ")}\` of ${large} policies of 500 KB, CPU`,
        measured: ms(own),
        against: `${large * 10} policies of 50 KB ${ms(other)}`,
        ratio: ratio(own, other),
        goal: atMost(own / other, 1.5, "≤ 1.5 × per byte"),
        peak: mib(median(few.map((each) => each.mib))),
      });
    }
  } finally {
    await service.close();
  }
  return rows;
}

export async function size(options) {
  return [...(await savedPlan(options)), ...(await policies(options))];
}
