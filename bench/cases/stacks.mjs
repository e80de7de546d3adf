// Loads and plans stacks through the library in one process, against lists that are there. Prints times for each stack.
//   stacks.mjs FOLDER RESOURCES AT_ONCE
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { loadManifests, plan } from "../../dist/index.js";
import { forListedKinds } from "../../dist/kinds/names.js";
import { stackLists } from "../account.mjs";

const [folder = "", each, atOnce] = process.argv.slice(2);
const names = readdirSync(folder).toSorted();
const lives = new Map(
  names.map((name) => {
    const lists = { ...forListedKinds(() => []), ...stackLists(name, Number(each)) };
    return [name, { lists, unreadable: [], modules: [] }];
  }),
);
const pending = names.values();
const work = async () => {
  for (const stack of pending) {
    const { diagnostics, manifests } = await loadManifests({ root: join(folder, stack), patterns: ["edge"], stack });
    const made = plan(manifests, lives.get(stack), { stack, baseUrl: "https://api.example.com" });
    if (diagnostics.length > 0 || manifests.length !== Number(each) || made.changes.length > 0) {
      throw new Error(`${stack}: not the plan that was meant: ${JSON.stringify(diagnostics[0] ?? made.summary)}`);
    }
  }
};
const from = performance.now();
const before = process.cpuUsage();
await Promise.all(Array.from({ length: Number(atOnce) }, work));
const { system, user } = process.cpuUsage(before);
console.log(
  JSON.stringify({
    ms: (performance.now() - from) / names.length,
    cpuMs: (system + user) / 1000 / names.length,
  }),
);
