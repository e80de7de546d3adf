// Loads and plans stacks through the library in one process, against lists that are there: of an account for each stack, or
// of one account with all of them, whose index the plans share. Prints times for each stack.
//   stacks.mjs FOLDER RESOURCES AT_ONCE each|one
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { AccountIndexes, loadManifests, plan } from "../../dist/index.js";
import { forListedKinds } from "../../dist/kinds/names.js";
import { stackLists } from "../account.mjs";

const [folder = "", each, atOnce, accounts] = process.argv.slice(2);
const names = readdirSync(folder).toSorted();
const lives = new Map(
  names.map((name) => {
    const lists = { ...forListedKinds(() => []), ...stackLists(name, Number(each)) };
    return [name, { lists, unreadable: [], modules: [] }];
  }),
);
const indexes = accounts === "one" ? new AccountIndexes() : undefined;
if (accounts === "one") {
  const all = forListedKinds((kind) => [...lives.values()].flatMap(({ lists }) => lists[kind]));
  for (const name of names) lives.set(name, { lists: all, unreadable: [], modules: [] });
}
const pending = names.values();
const work = async () => {
  for (const stack of pending) {
    const { diagnostics, manifests } = await loadManifests({ root: join(folder, stack), patterns: ["edge"], stack });
    const made = plan(manifests, lives.get(stack), { stack, baseUrl: "https://api.example.com" }, indexes);
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
