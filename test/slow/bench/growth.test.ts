import { expect, it } from "vitest";
import { lists, manifests, resources, stack } from "../../../bench/account.mjs";
import { Scheduler, Semaphore } from "../../../src/apply/scheduler.ts";
import { waitGraph } from "../../../src/apply/wait-graph.ts";
import type { JsonObject } from "../../../src/json.ts";
import { forListedKinds } from "../../../src/kinds/names.ts";
import { plan } from "../../../src/library/library-api.ts";
import type { Live } from "../../../src/live/live.ts";
import type { Manifest } from "../../../src/manifest/manifest.ts";
import { renderPlanHtml } from "../../../src/report/plan-html.ts";
import { renderPlanMarkdown } from "../../../src/report/plan-markdown.ts";
import { renderPlanText } from "../../../src/report/plan-text.ts";
import { parseFile } from "../../../src/yaml/parse-file.ts";
import { patch } from "../../apply/support/operations.ts";

type Method = (this: unknown, ...args: unknown[]) => unknown;

const callingBack =
  "every filter find findIndex findLast flatMap forEach map reduce reduceRight some sort toSorted".split(" ");
const wholesale = "concat includes indexOf join lastIndexOf reverse shift slice splice toReversed unshift".split(" ");

/** How many elements of lists, maps and sets some code visits. Unlike a time, that is the same on every machine. */
async function countSteps(run: () => unknown): Promise<number> {
  let steps = 0;
  const restore: (() => void)[] = [];
  const counting = (target: object, name: string, wrap: (original: Method) => Method): void => {
    const descriptor = Object.getOwnPropertyDescriptor(target, name);
    if (descriptor === undefined) throw new Error(`there is no ${name}`);
    Object.defineProperty(target, name, { ...descriptor, value: wrap(descriptor.value as Method) });
    restore.push(() => Object.defineProperty(target, name, descriptor));
  };
  const one = (original: Method): Method =>
    function (...args) {
      steps += 1;
      return original.apply(this, args);
    };
  for (const name of callingBack)
    counting(
      Array.prototype,
      name,
      (original) =>
        function (...[callback, ...rest]) {
          return original.apply(this, [typeof callback === "function" ? one(callback as Method) : callback, ...rest]);
        },
    );
  for (const name of wholesale)
    counting(
      Array.prototype,
      name,
      (original) =>
        function (...args) {
          steps += (this as readonly unknown[]).length;
          return original.apply(this, args);
        },
    );
  for (const iterator of [[].values(), new Map().entries(), new Set().values()])
    counting(Object.getPrototypeOf(iterator) as object, "next", one);
  try {
    await run();
    return steps;
  } finally {
    for (const undo of restore.toReversed()) undo();
  }
}

const nothing: Live["lists"] = forListedKinds(() => []);
const desired = (count: number) => manifests(count) as unknown[] as Manifest[];
const listed = (count: number, changed = false): Live["lists"] => ({ ...nothing, ...lists(count, changed) });
const planned = (wanted: readonly Manifest[], live: Live["lists"]) =>
  plan([...wanted], { lists: live, unreadable: [], modules: [] }, { stack, baseUrl: "https://api.example.com" });

/** Every edge takes the hostport of its neighbour: one long cycle. */
function rotated(count: number): Live["lists"] {
  const all = listed(count);
  const ports = all.TLSEdge.map((edge) => edge["hostports"] ?? []);
  const moved = all.TLSEdge.map((edge, index): JsonObject => ({
    ...edge,
    hostports: ports[(index + 1) % ports.length] ?? [],
  }));
  return { ...all, TLSEdge: moved };
}

/** A plan of one edge whose policy has so many rules of one name, all changed. */
function ofLongPolicy(count: number) {
  const policy = (mark: number) => ({
    on_tcp_connect: Array.from({ length: 4 * count }, (_, index) => ({ name: "same", at: `${index} ${mark}` })),
  });
  const wanted = desired(2).map((manifest): Manifest => {
    if (manifest.kind !== "TLSEdge") return manifest;
    return { ...manifest, spec: { ...manifest.spec, traffic_policy: { value: policy(1) } } };
  });
  const wires = listed(2);
  const traffic_policy = { enabled: true, value: JSON.stringify(policy(0)) };
  return planned(wanted, { ...wires, TLSEdge: wires.TLSEdge.map((wire) => ({ ...wire, traffic_policy })) });
}

function scheduled(count: number, status: "done" | "failed", wait: (index: number) => number) {
  const operations = Array.from({ length: count }, (_, index) => {
    const waits = wait(index) === index ? {} : { waits: { [`op-${wait(index)}`]: "use" as const } };
    return patch(`op-${index}`, `e${index}`, { description: "x" }, waits);
  });
  const outcome = { status, httpStatus: 200, resourceId: null, error: null };
  return new Scheduler(waitGraph(operations), new Semaphore(8), {
    run: async () => outcome,
    needless: () => null,
    onEnd: () => {},
  }).run();
}

const quadratic = (count: number) => () => {
  const all = Array.from({ length: count }, (_, index) => index);
  for (const one of all) all.includes(one);
};

/** Doubling the input may double the steps; sorting adds a little. */
async function growth(work: (count: number) => () => unknown): Promise<number> {
  const [once, twice] = [await countSteps(work(200)), await countSteps(work(400))];
  expect(once).toBeGreaterThan(100);
  return twice / once;
}

it.each<[string, (count: number) => () => unknown]>([
  [
    "a file of many documents is read",
    (count) => {
      const text = Array.from(resources(count), (each) => each.text).join("---\n");
      return () => expect(parseFile(text).documents).toHaveLength(count);
    },
  ],
  ["a plan changes nothing", (count) => () => planned(desired(count), listed(count))],
  ["a plan changes everything", (count) => () => planned(desired(count), listed(count, true))],
  ["a plan creates everything", (count) => () => planned(desired(count), nothing)],
  ["a plan deletes everything", (count) => () => planned([], listed(count))],
  ["a plan rotates all hostports", (count) => () => planned(desired(count), rotated(count))],
  [
    "a plan is shown",
    (count) => {
      const made = planned(desired(count), listed(count, true));
      return () => [renderPlanText(made, { color: false }), renderPlanMarkdown(made), renderPlanHtml(made)];
    },
  ],
  [
    "a long policy is compared and shown",
    (count) => () => {
      const made = ofLongPolicy(count);
      return [renderPlanText(made, { color: false, verbose: true }), renderPlanMarkdown(made), renderPlanHtml(made)];
    },
  ],
  ["operations are carried out", (count) => () => scheduled(count, "done", (index) => index - (index % 4))],
  [
    "an operation fails that all others wait for",
    (count) => () => scheduled(count, "failed", (index) => Math.max(0, index - 1)),
  ],
])("the work grows linearly with the input when %s", async (_what, work) => {
  expect(await growth(work)).toBeLessThan(2.4);
});

it("a loop inside a loop shows", async () => {
  expect(await growth(quadratic)).toBeGreaterThan(3);
});
