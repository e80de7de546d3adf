// The state directory of many stacks: saving, loading, and a page of history. Prints times in ms.
//   store.mjs FOLDER STACKS
import { join } from "node:path";
import { openDirectoryStore } from "../../dist/serve/store/directory-store.js";
import { newStackMemory } from "../../dist/serve/records.js";
import { commit, historyEntry } from "../fleet.mjs";

const [folder, stacks] = process.argv.slice(2);
const count = Number(stacks);
const directory = join(folder, "state");
const open = () => openDirectoryStore({ directory, place: { cwd: folder } });
const times = {};

async function timed(name, act) {
  const from = performance.now();
  const result = await act();
  times[name] = performance.now() - from;
  return result;
}

const names = Array.from({ length: count }, (_, index) => `tenants/t${index}`);

/** Does something for every stack, some at once. */
async function each(act, atOnce) {
  const pending = names.values();
  const next = async () => {
    for (const name of pending) await act(name);
  };
  await Promise.all(Array.from({ length: atOnce }, next));
}

const store = await open();
await timed("save", () => each((name) => store.saveStack(stackRecord(name)), 8));
await timed("saveAgain", () => each((name) => store.saveStack(stackRecord(name)), 1));
await timed("append", () => store.appendHistory(names.map((name) => historyEntry(name, Date.now()))));
// One stack that has had something to tell every hour for a quarter of a year.
const [busy] = names;
const hours = Array.from({ length: 90 * 24 }, (_, hour) => historyEntry(busy, Date.now() - hour * 3_600_000));
await store.appendHistory(hours.toReversed());
await timed("firstPage", () => store.readHistory(busy, { limit: 100, after: null }));
let after = null;
let pages = 0;
await timed("allPages", async () => {
  do {
    ({ next: after } = await store.readHistory(busy, { limit: 100, after }));
    pages += 1;
  } while (after !== null);
});
await timed("quietPage", () => store.readHistory(names.at(-1), { limit: 100, after: null }));
await timed("held", async () => {
  for (let index = 0; index < 1000; index++) store.assertHeld();
});
await store.close();
const again = await open();
const { stacks: loaded } = await timed("load", () => again.load());
await again.close();
if (loaded.size !== count) throw new Error(`${loaded.size} of ${count} stacks`);
console.log(JSON.stringify({ ...times, pages }));

/** A stack of a few resources at rest, as the store keeps it. */
function stackRecord(name, now = Date.now()) {
  const synced = Array.from({ length: 5 }, (_, index) => [`TLSEdge/edge-${index}`, `sha256:${"0".repeat(64)}`]);
  return {
    name,
    account: "main",
    source: "edge",
    stack: name.replace("/", "-"),
    status: {
      state: "synced",
      reason: null,
      message: "live is what the commit says",
      since: now,
      commit,
      appliedCommit: commit,
      lookedAt: now,
      impact: "none",
      changes: { commit: 0, drift: 0, both: 0 },
      digest: null,
      nextLook: now + 600_000,
      uncomparedSecrets: 0,
    },
    memory: { ...newStackMemory, synced: Object.fromEntries(synced) },
  };
}
