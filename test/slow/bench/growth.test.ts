import { describe, expect, it } from "vitest";
import { lists, manifests, resources, stack } from "../../../bench/account.mjs";
import type { OperationOutcome } from "../../../src/apply/operation-outcome.ts";
import { Scheduler, Semaphore } from "../../../src/apply/scheduler.ts";
import { waitGraph } from "../../../src/apply/wait-graph.ts";
import type { JsonObject } from "../../../src/json.ts";
import { forListedKinds } from "../../../src/kinds/names.ts";
import type { Live } from "../../../src/live/live.ts";
import type { FileTree } from "../../../src/manifest/file-tree.ts";
import { loadManifests } from "../../../src/manifest/load-manifests.ts";
import type { Manifest } from "../../../src/manifest/manifest.ts";
import { plan } from "../../../src/plan/make-plan.ts";
import type { PlanOptions } from "../../../src/plan/options.ts";
import type { Plan } from "../../../src/plan/plan-format.ts";
import { renderPlanHtml } from "../../../src/report/plan-html.ts";
import { renderPlanMarkdown } from "../../../src/report/plan-markdown.ts";
import { renderPlanText } from "../../../src/report/plan-text.ts";
import { patch } from "../../apply/support/operations.ts";
import { countSteps } from "./support/count-steps.ts";

const options: PlanOptions = {
  stack,
  previousStacks: [],
  baseUrl: "https://api.example.com",
  toolVersion: "0",
  moduleEndpoints: [],
  prune: true,
  allow: [],
  maxDeletes: { percent: 100 },
  allowEmpty: true,
  takeOver: false,
  only: null,
  destroy: false,
  lookUp: false,
};

const nothing: Live["lists"] = forListedKinds(() => []);

const desired = (count: number) => manifests(count) as unknown[] as Manifest[];
const live = (of: Live["lists"]): Live => ({ lists: of, unreadable: [], modules: [] });
const listed = (count: number, changed = false): Live["lists"] => ({ ...nothing, ...lists(count, changed) });

/** Every edge takes the hostport of its neighbour: one long cycle. */
function rotated(count: number): Live["lists"] {
  const all = listed(count);
  const edges = all.TLSEdge;
  const hostports = edges.map((edge) => edge["hostports"] ?? []);
  const moved = edges.map((edge, index): JsonObject => {
    const taken = hostports[(index + 1) % hostports.length] ?? [];
    return { ...edge, hostports: taken };
  });
  return { ...all, TLSEdge: moved };
}

/** Something for each number up to `count`. */
function rulesOf<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Doubling the input may double the steps; sorting adds a little. */
async function expectLinear(work: (count: number) => () => unknown): Promise<void> {
  const [once, twice] = [await countSteps(work(200)), await countSteps(work(400))];
  expect(once).toBeGreaterThan(100);
  expect(twice / once).toBeLessThan(2.4);
}

/** A tree that holds some manifests in files of fifty. */
function treeOf(count: number): FileTree {
  const texts = Array.from(resources(count), ({ text }) => text);
  const files = new Map<string, string>();
  for (let at = 0; at < texts.length; at += 50) {
    files.set(`edge/${at}.yaml`, texts.slice(at, at + 50).join("---\n"));
  }
  return {
    root: "/config",
    stat: async (path) => (path === "edge" ? "directory" : files.has(path) ? "file" : null),
    list: async () => [...files.keys()].map((path) => ({ path, identity: path })),
    identity: async (path) => path,
    read: async (path) => new TextEncoder().encode(files.get(path) ?? ""),
    readSecret: () => ({ available: false, reason: "there are none" }),
  };
}

describe("the counter", () => {
  it("detects a loop inside a loop", async () => {
    const quadratic = (count: number) => () => {
      const all = Array.from({ length: count }, (_, index) => index);
      for (const one of all) all.includes(one);
    };
    await expect(expectLinear(quadratic)).rejects.toThrow();
  });
});

describe("the number of steps grows linearly with the input", () => {
  it("when manifests are loaded", async () => {
    await expectLinear((count) => async () => {
      const { diagnostics, manifests: found } = await loadManifests({
        tree: treeOf(count),
        patterns: ["edge"],
        patternBase: "/config",
        variables: {},
        env: {},
        adopt: {},
        stack,
        allowInlineSecrets: false,
        apiKeyFile: null,
        complete: true,
        deep: true,
      });
      expect(diagnostics).toEqual([]);
      expect(found).toHaveLength(count);
    });
  });

  it.each<[string, (count: number) => readonly [readonly Manifest[], Live["lists"]]]>([
    ["that changes nothing", (count) => [desired(count), listed(count)]],
    ["that changes everything", (count) => [desired(count), listed(count, true)]],
    ["that creates everything", (count) => [desired(count), nothing]],
    ["that deletes everything", (count) => [[], listed(count)]],
    ["that rotates all hostports", (count) => [desired(count), rotated(count)]],
  ])("in a plan %s", async (_what, given) => {
    await expectLinear((count) => {
      const [manifestsOf, listsOf] = given(count);
      return () => plan(manifestsOf, live(listsOf), options);
    });
  });

  it.each([
    ["text", (made: Plan) => renderPlanText(made, { color: false })],
    ["markdown", (made: Plan) => renderPlanMarkdown(made)],
    ["html", (made: Plan) => renderPlanHtml(made)],
  ])("in a report as %s", async (_format, render) => {
    await expectLinear((count) => {
      const made = plan(desired(count), live(listed(count, true)), options);
      return () => render(made);
    });
  });

  it.each<[string, (count: number, mark: number) => JsonObject]>([
    [
      "many rules",
      (count, mark) => ({
        on_tcp_connect: rulesOf(count, (index) => ({ name: `rule ${index}`, at: index % 3 === 0 ? mark : 0 })),
      }),
    ],
    [
      "rules without names",
      (count, mark) => ({ on_tcp_connect: rulesOf(count, (index) => ({ at: `${index} ${mark}` })) }),
    ],
    [
      "rules of one name",
      (count, mark) => ({ on_tcp_connect: rulesOf(count, (index) => ({ name: "same", at: `${index} ${mark}` })) }),
    ],
    [
      "one rule with a long list",
      (count, mark) => ({
        on_tcp_connect: [{ name: "one", expressions: rulesOf(4 * count, (index) => `${index} ${mark}`) }],
      }),
    ],
    [
      "many phases",
      (count, mark) => Object.fromEntries(rulesOf(count, (index) => [`on_phase_${index}`, [{ name: "r", at: mark }]])),
    ],
  ])("in a plan and its reports with a policy of %s", async (_what, policyOf) => {
    for (const asText of [false, true]) {
      await expectLinear((count) => {
        const large = 4 * count;
        const [before, after] = [policyOf(large, 0), policyOf(large, 1)];
        const wanted = desired(2).map((manifest): Manifest => {
          if (manifest.kind !== "TLSEdge") return manifest;
          const value = asText ? JSON.stringify(after) : after;
          return { ...manifest, spec: { ...manifest.spec, traffic_policy: { value } } };
        });
        const wires = listed(2);
        const edges = wires.TLSEdge.map((wire) => ({
          ...wire,
          traffic_policy: { enabled: true, value: JSON.stringify(before) },
        }));
        return async () => {
          const made = plan(wanted, live({ ...wires, TLSEdge: edges }), options);
          expect(made.changes).toHaveLength(1);
          await renderPlanText(made, { color: false, verbose: true });
          await renderPlanMarkdown(made);
          await renderPlanHtml(made);
        };
      });
    }
  });

  it("when operations are put in order and carried out", async () => {
    await expectLinear((count) => {
      const operations = Array.from({ length: count }, (_, n) =>
        patch(`op-${n}`, `e${n}`, { description: "x" }, n % 4 === 0 ? {} : { waits: { [`op-${n - (n % 4)}`]: "use" } }),
      );
      const done: OperationOutcome = { status: "done", httpStatus: 200, resourceId: null, error: null };
      return () =>
        new Scheduler(waitGraph(operations), new Semaphore(8), {
          run: async () => done,
          needless: () => null,
          onEnd: () => {},
        }).run();
    });
  });

  it("when an operation fails that all others wait for", async () => {
    await expectLinear((count) => {
      const operations = Array.from({ length: count }, (_, n) =>
        patch(`op-${n}`, `e${n}`, { description: "x" }, n === 0 ? {} : { waits: { [`op-${n - 1}`]: "same" } }),
      );
      const failed: OperationOutcome = { status: "failed", httpStatus: 403, resourceId: null, error: "no" };
      return () =>
        new Scheduler(waitGraph(operations), new Semaphore(8), {
          run: async () => failed,
          needless: () => null,
          onEnd: () => {},
        }).run();
    });
  });
});
