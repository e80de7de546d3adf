// The planner alone: microseconds for each resource, the minimum of several runs. Each run has its own account, normalized
// beforehand, as `plan` does while pages are being read. Also prints the minimum of the normalization. With 0 runs it only
// makes an account: what any process pays that plans once.
//   plan.mjs COUNT CHANGED RUNS
import { forListedKinds } from "../../dist/kinds/names.js";
import { NormalForms } from "../../dist/kinds/normal-form.js";
import { kinds } from "../../dist/kinds/registry.js";
import { plan } from "../../dist/plan/make-plan.js";
import { lists, manifests, stack } from "../account.mjs";

const [count, changed, runs] = process.argv.slice(2).map(Number);
const options = {
  stack,
  previousStacks: [],
  baseUrl: "https://api.example.com",
  toolVersion: "0",
  moduleEndpoints: [],
  prune: true,
  allow: [],
  maxDeletes: null,
  allowEmpty: false,
  takeOver: false,
  only: null,
  destroy: false,
  lookUp: false,
};
let best = Infinity;
let read = Infinity;
let made;
const account = () => [manifests(count), { ...forListedKinds(() => []), ...lists(count, changed === 1) }];
if (runs === 0) account();
for (let run = 0; run < runs; run++) {
  const [desired, filled] = account();
  const live = { lists: filled, unreadable: [], modules: [] };
  const normalForms = new NormalForms();
  const before = performance.now();
  for (const { kind, spec } of desired) normalForms.prepareSpec(kinds[kind], spec);
  for (const [kind, list] of Object.entries(live.lists)) {
    for (const wire of list) normalForms.prepareWire(kinds[kind], wire);
  }
  const from = performance.now();
  made = plan(desired, live, options, normalForms);
  best = Math.min(best, performance.now() - from);
  read = Math.min(read, from - before);
}
const expected = changed === 1 ? count : 0;
if (runs > 0 && (made.summary.update !== expected || made.changes.length !== expected || made.refusals.length > 0)) {
  throw new Error(`not the plan that was meant: ${JSON.stringify(made.summary)} ${JSON.stringify(made.refusals[0])}`);
}
console.log(JSON.stringify({ ms: best, us: (best * 1000) / count, readUs: (read * 1000) / count }));
