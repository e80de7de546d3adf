// Asks a server of so many stacks for a path some times, over HTTP in this process. Prints the median and the size.
import { request } from "node:http";
import { systemClock } from "../../dist/api/system-clock.js";
import { Redactor } from "../../dist/redact.js";
import { createMetrics } from "../../dist/serve/http/serve-metrics.js";
import { startServeHttp } from "../../dist/serve/http/start-serve-http.js";
import { newStackMemory, stackStates } from "../../dist/serve/records.js";
import { median } from "../measure.mjs";

const [count, path] = [Number(process.argv[2]), process.argv[3]];
const shownState = ({ state }) => state;
const redactor = new Redactor();
redactor.addKey("a-key-that-stands-nowhere-else");
const stacks = Array.from({ length: count }, (_, index) => stackOf(index));
const view = {
  stacks: () => stacks,
  stack: () => null,
  plan: async () => null,
  history: async () => ({ entries: [], next: null }),
  sources: () => [],
  accounts: () => [],
  passing: () => 0,
  troubles: () => [],
  heartbeat: Date.now,
  unreadiness: async () => [],
  hasten: () => {},
};
const http = await startServeHttp({
  view,
  metrics: createMetrics({ version: "0", commit: null }, shownState),
  shownState,
  clock: systemClock,
  listen: { host: "127.0.0.1", port: 0 },
  readToken: null,
  readHookSecret: async () => null,
  redact: (text) => redactor.redact(text),
  onProblem: (error) => {
    throw error;
  },
});
const times = [];
let bytes = 0;
for (let time = 0; time < 9; time++) {
  const from = performance.now();
  bytes = await ask();
  times.push(performance.now() - from);
}
await http.close();
console.log(JSON.stringify({ ms: median(times), first: times[0], bytes }));

async function ask() {
  return await new Promise((resolve, reject) => {
    const sent = request(`${http.url}${path}`, (response) => {
      let size = 0;
      response.on("data", (piece) => (size += piece.length));
      response.on("end", () => {
        if (response.statusCode !== 200) reject(new Error(`${path}: ${response.statusCode}`));
        else resolve(size);
      });
    });
    sent.on("error", reject);
    sent.end();
  });
}

function stackOf(index) {
  const now = Date.now();
  const commit = String(index).padStart(40, "0");
  return {
    intervalMs: 600_000,
    record: {
      name: `tenants/t${String(index).padStart(6, "0")}`,
      account: "main",
      source: "edge",
      stack: `tenant-${index}`,
      status: {
        state: stackStates[index % stackStates.length],
        reason: null,
        message: "Live is what Git says.",
        since: now,
        commit,
        appliedCommit: commit,
        lookedAt: now,
        impact: "routing",
        changes: { commit: 1, drift: 0, both: 0 },
        digest: null,
        nextLook: now,
        uncomparedSecrets: 0,
      },
      memory: newStackMemory,
    },
  };
}
