import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EdgewiseError } from "../../../src/errors.ts";
import { exportManifests } from "../../../src/export/export-manifests.ts";
import { type Json, type JsonObject, isObject } from "../../../src/json.ts";
import { type ListedKind, forListedKinds, isResourceId } from "../../../src/kinds/names.ts";
import type { Live, LiveModules } from "../../../src/live/live.ts";
import { diskTree } from "../../../src/manifest/disk-tree.ts";
import { loadManifests } from "../../../src/manifest/load-manifests.ts";
import type { Manifest } from "../../../src/manifest/manifest.ts";
import { hashPlan } from "../../../src/plan/canonical-json.ts";
import { driftOf } from "../../../src/plan/drift-findings.ts";
import { plan } from "../../../src/plan/make-plan.ts";
import type { PlanOptions } from "../../../src/plan/options.ts";
import { staleness } from "../../../src/plan/staleness.ts";
import { renderPlanGithub } from "../../../src/report/github-annotations.ts";
import { renderPlanJson } from "../../../src/report/json-reports.ts";
import { renderPlanHtml } from "../../../src/report/plan-html.ts";
import { renderPlanMarkdown } from "../../../src/report/plan-markdown.ts";
import { renderPlanText } from "../../../src/report/plan-text.ts";
import { validatePlan } from "../../../src/schema/validate-plan.ts";
import { Secret } from "../../../src/secret.ts";
import { stage } from "../../commands/stage.ts";
import { runs } from "../../support/runs.ts";
import { type Mutation, mutated, mutation } from "./support/mutate.ts";
import { pair, richManifests } from "./support/rich-manifests.ts";

const options: PlanOptions = {
  stack: "demo",
  previousStacks: [],
  baseUrl: "http://127.0.0.1:1",
  toolVersion: "0.0.0",
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

let manifests: readonly Manifest[] = [];
let lists: Live["lists"];
let modules: readonly LiveModules[] = [];

let prepared: Promise<void> | undefined;

/** Applies the manifests once, and keeps the resulting live state. */
function prepare(): Promise<void> {
  return (prepared ??= applyAll());
}

async function applyAll(): Promise<void> {
  const { dir, write, env, run, sandbox } = await stage();
  for (const [path, text] of Object.entries(richManifests)) await write(path, text);
  Object.assign(env, { CERT_KEY: pair.key, HOOK_SECRET: "hook-secret-0123456789" });
  expect((await run("apply", "-y")).exit).toBe(0);
  const loaded = await loadManifests({
    tree: diskTree(dir),
    patterns: ["edge/"],
    patternBase: dir,
    variables: {},
    env,
    adopt: {},
    stack: "demo",
    allowInlineSecrets: false,
    apiKeyFile: null,
    complete: true,
    deep: false,
  });
  expect(loaded.diagnostics).toEqual([]);
  manifests = loaded.manifests;
  const world = sandbox.world();
  lists = world.lists;
  modules = [
    { kind: "HTTPSEdge", id: "edghts_1", modules: at(world.modules, "/edges/https/edghts_1/", "tls_termination") },
    {
      kind: "HTTPSEdgeRoute",
      id: "edghtsrt_1",
      modules: at(world.modules, "/edges/https/edghts_1/routes/edghtsrt_1/", "webhook_verification", "traffic_policy"),
    },
  ];
}

function at(all: { readonly [path: string]: unknown }, prefix: string, ...names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, all[`${prefix}${name}`] ?? null])) as LiveModules["modules"];
}

/** Lists as the client would give them: every item an object with an id of its own. */
function believable(value: Json): Live["lists"] {
  const given = isObject(value) ? value : {};
  const of = (kind: ListedKind): readonly JsonObject[] => {
    const seen = new Set<string>();
    const items: readonly unknown[] = Array.isArray(given[kind]) ? given[kind] : [];
    return items.filter((item): item is JsonObject => {
      const id = isObject(item) ? item["id"] : "";
      if (!isResourceId(id) || seen.has(id)) return false;
      seen.add(id);
      return true;
    });
  };
  return forListedKinds(of);
}

/** Secrets wrapped as the client wraps them. */
function wrapped(value: Json): readonly LiveModules[] {
  const entries = value as readonly (LiveModules | null | undefined)[];
  return modules.map((original, index) => {
    const named = entries[index]?.modules;
    const own = Object.keys(original.modules).map((name) => {
      const module = typeof named === "object" && named !== null ? (named[name] ?? null) : null;
      if (typeof module !== "object" || module === null || Array.isArray(module)) return [name, null];
      const { secret = null, ...rest } = module;
      return [
        name,
        secret === null
          ? rest
          : { ...rest, secret: Secret.of(typeof secret === "string" ? secret : JSON.stringify(secret), "live") },
      ];
    });
    return { ...original, modules: Object.fromEntries(own) as LiveModules["modules"] };
  });
}

async function survives(live: Live, more: Partial<PlanOptions> = {}): Promise<void> {
  let made;
  try {
    made = plan(manifests, live, { ...options, ...more });
  } catch (error) {
    if (!(error instanceof EdgewiseError)) throw error;
    return;
  }
  const json = renderPlanJson(made);
  expect(validatePlan(JSON.parse(json))).toBeNull();
  expect(hashPlan(JSON.parse(json))).toBe(made.hash);
  expect(staleness(JSON.parse(json), plan(manifests, live, { ...options, ...more }))).toEqual([]);
  await renderPlanText(made, { color: false, verbose: true });
  await renderPlanMarkdown(made);
  await renderPlanHtml(made);
  renderPlanGithub(made);
  driftOf(made, live, {
    stack: "demo",
    previousStacks: [],
    unmanaged: true,
    only: null,
    expiresWithinMs: 1e12,
    now: 0,
  });
  await exportManifests(live, { which: "all", stacks: ["demo"], kinds: [], format: "yaml", split: "kind" });
  await exportManifests(live, { which: "unowned", stacks: ["demo"], kinds: [], format: "json", split: "resource" });
}

describe("whatever a service returns", () => {
  it("the applied state has an empty plan", async () => {
    await prepare();
    const made = plan(manifests, { lists, unreadable: [], modules: wrapped(modules as unknown as Json) }, options);
    expect(made.changes.map(({ address }) => address)).toEqual([]);
  });

  it("a list with anything anywhere gives a plan or a refusal, never a crash", async () => {
    await prepare();
    await fc.assert(
      fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 4 }), async (mutations) => {
        const value = mutations.reduce((json: Json, each: Mutation) => mutated(json, each), lists);
        await survives({ lists: believable(value), unreadable: [], modules });
      }),
      runs(60),
    );
  });

  it("a module with anything in it gives a plan or a refusal, never a crash", async () => {
    await prepare();
    await fc.assert(
      fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), async (mutations) => {
        const value = mutations.reduce((json: Json, each: Mutation) => mutated(json, each), modules as unknown as Json);
        await survives({ lists, unreadable: [], modules: wrapped(value) });
      }),
      runs(25),
    );
  });

  it("and so do destroy, taking over from another stack, and selecting parts", async () => {
    await prepare();
    await fc.assert(
      fc.asyncProperty(
        fc.array(mutation, { minLength: 1, maxLength: 4 }),
        fc.constantFrom<Partial<PlanOptions>>(
          { destroy: true },
          { stack: "other", takeOver: true },
          { previousStacks: ["other"] },
          { only: ["TLSEdge/api"] },
          { maxDeletes: { percent: 100 }, allow: ["ReservedAddress/tcp"] },
        ),
        async (mutations, more) => {
          const value = mutations.reduce((json: Json, each: Mutation) => mutated(json, each), lists);
          await survives({ lists: believable(value), unreadable: [], modules }, more);
        },
      ),
      runs(25),
    );
  });
});
