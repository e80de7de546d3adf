import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../src/json.ts";
import { hashPlan } from "../../../../src/plan/canonical-json.ts";
import type { Operation, Plan } from "../../../../src/plan/plan-format.ts";
import { comparePlans } from "../../../../src/plan/staleness.ts";
import { type Ran, type Stage, address, backend, edge, stage } from "../../../commands/stage.ts";
import { mutated, mutation } from "../support/mutate.ts";
import { pair, richManifests } from "../support/rich-manifests.ts";
import { runs } from "../../../support/runs.ts";

const secrets = { CERT_KEY: pair.key, HOOK_SECRET: "hook-secret-0123456789", OTHER_SECRET: "other-secret-987654321" };

/**
 * A stack half applied, with a saved plan that creates, updates and deletes; beside it, somebody else's edge and backend.
 */
async function planned(): Promise<Stage> {
  const on = await stage();
  const { behind, env, run, write } = on;
  for (const [path, text] of Object.entries(richManifests)) await write(path, text);
  Object.assign(env, secrets);
  await write("edge/more.yaml", backend("surplus"));
  expect((await run("apply", "-y", "--only", "TLSEdge/api", "--only", "HTTPResponseBackend/surplus")).exit).toBe(0);
  await write("edge/more.yaml", edge("third", "third.example.com:443", ", backend: {backend: {name: down}}"));
  behind("POST", "/edges/tls", { hostports: ["theirs.example.com:443"], description: "theirs" });
  behind("POST", "/backends/http_response", { status_code: 200, description: "theirs" });
  expect((await run("plan", "--out", "plan.json", "--detailed-exitcode", "-q")).exit).toBe(2);
  return on;
}

async function savedPlan(on: Stage): Promise<Plan> {
  return savedPlanAt(on, "plan.json");
}

/** Writes an edited plan under a checksum of its own, as anybody can who may write the file. */
async function forge(on: Stage, edited: object): Promise<string> {
  const hash = hashPlan(edited as Plan);
  await on.write("forged.json", JSON.stringify({ ...edited, hash }));
  return hash;
}

/** Applies the forged plan, and makes sure that nothing was written. */
async function expectRefused(on: Stage, ...flags: readonly string[]): Promise<Ran> {
  const before = JSON.stringify([on.sandbox.world().lists, on.sandbox.world().modules]);
  const written = on.writes();
  const ran = await on.run("apply", "forged.json", "-y", "-o", "json", ...flags);
  expect([1, 4], ran.out + ran.err).toContain(ran.exit);
  expect(on.writes()).toBe(written);
  expect(JSON.stringify([on.sandbox.world().lists, on.sandbox.world().modules])).toBe(before);
  expect(ran.err).not.toMatch(/bug in edgewise|mistake in/u);
  return ran;
}

const first = (plan: Plan, kind: Operation["kind"]): Operation => {
  const found = plan.operations.find((operation) => operation.kind === kind);
  if (found === undefined) throw new Error(`the plan must have a ${kind}`);
  return found;
};

const instead = (plan: Plan, old: Operation, ...next: readonly Operation[]): Plan => ({
  ...plan,
  operations: plan.operations.flatMap((one) => (one === old ? next : [one])),
});

describe("Somebody rewrites the requests of a saved plan and its checksum → refused, nothing is sent", () => {
  const theirs = (on: Stage): string => on.id("TLSEdge", { description: "theirs" });
  const edits: readonly (readonly [string, (plan: Plan, on: Stage) => Plan])[] = [
    [
      "another resource's path",
      (plan, on) => {
        const patch = first(plan, "delete");
        return instead(plan, patch, { ...patch, path: `/edges/tls/${theirs(on)}`, resourceId: theirs(on) });
      },
    ],
    [
      "a path of the API that edgewise does not know",
      (plan) => instead(plan, first(plan, "create"), { ...first(plan, "create"), path: "/api_keys" }),
    ],
    [
      "a path that climbs out of the base path",
      (plan) => instead(plan, first(plan, "create"), { ...first(plan, "create"), path: "/../../admin" }),
    ],
    [
      "one more delete, of what nobody owns",
      (plan, on) => ({
        ...plan,
        operations: [
          ...plan.operations,
          { ...first(plan, "delete"), id: "op-99", path: `/edges/tls/${theirs(on)}`, resourceId: theirs(on) },
        ],
      }),
    ],
    [
      "a body with another hostport",
      (plan) => {
        const create = plan.operations.find(({ address }) => address === "TLSEdge/third") ?? first(plan, "create");
        const body = { ...(create.body as JsonObject), hostports: ["evil.example.com:443"] };
        return instead(plan, create, { ...create, body });
      },
    ],
    [
      "a secret bound into a description",
      (plan) => {
        const create = first(plan, "create");
        const bind = { ...create.bind, "/description": { secret: "TLSCertificate/www#private_key_pem" } };
        return instead(plan, create, { ...create, body: { ...(create.body as JsonObject), description: null }, bind });
      },
    ],
    [
      "a secret bound to another reference",
      (plan) => {
        const create = plan.operations.find(({ bind }) => "/private_key_pem" in bind) ?? first(plan, "create");
        const bind = { "/private_key_pem": { secret: "HTTPSEdgeRoute/hooks#webhook_verification.secret" } };
        return instead(plan, create, { ...create, bind });
      },
    ],
    [
      "another method",
      (plan) => instead(plan, first(plan, "module-put"), { ...first(plan, "module-put"), method: "DELETE" }),
    ],
    [
      "no waiting",
      (plan) => ({ ...plan, operations: plan.operations.map((one) => ({ ...one, after: [], waits: {} })) }),
    ],
    ["all but one request", (plan) => ({ ...plan, operations: plan.operations.slice(0, 1) })],
    ["no requests", (plan) => ({ ...plan, operations: [] })],
    ["no changes", (plan) => ({ ...plan, changes: [] })],
    [
      "a change that is not named",
      (plan) => ({ ...plan, changes: plan.changes.filter(({ action }) => action !== "delete") }),
    ],
    [
      "an id for what is made",
      (plan) => ({ ...plan, changes: plan.changes.map((one) => ({ ...one, id: one.id ?? "" })) }),
    ],
    ["a milder impact", (plan) => ({ ...plan, changes: plan.changes.map((one) => ({ ...one, impact: "none" })) })],
    [
      "no preconditions, owners or claims, and a request of its own",
      (plan) => ({
        ...instead(plan, first(plan, "create"), { ...first(plan, "create"), path: "/ip_policies" }),
        preconditions: [],
        owned: [],
        claims: [],
      }),
    ],
  ];
  it.each(edits)("%s", async (_what, edit) => {
    const on = await planned();
    await forge(on, edit(await savedPlan(on), on));
    const { exit, out, err } = await expectRefused(on);
    if (exit === 4) expect(out + err).toMatch(/stale-plan|contradicts its changes/u);
    for (const secret of Object.values(secrets)) expect(out + err).not.toContain(secret);
  });

  it("anything at all, at random", async () => {
    const on = await planned();
    const plan = await savedPlan(on);
    const part = fc.constantFrom("changes" as const, "operations" as const);
    const ignored = /"(?:why|reason|origin|notes|source)"/u;
    await fc.assert(
      fc.asyncProperty(part, mutation, async (member, change) => {
        const value = plan[member] as unknown as Json;
        const altered = mutated(value, change);
        const strip = (json: Json): string =>
          JSON.stringify(json, (name, inner: unknown) => (ignored.test(`"${name}"`) ? undefined : inner));
        fc.pre(strip(altered) !== strip(value));
        await forge(on, { ...plan, [member]: altered });
        await expectRefused(on, "--no-verify");
      }),
      runs(60),
    );
  });
});

describe("A saved plan grants itself what guards would refuse → a guard refuses, unless this run or its hash says so", () => {
  /** A plan that a guard refuses, and the flag that lifts it. */
  const guarded: readonly (readonly [string, readonly string[], (on: Stage) => Promise<void>])[] = [
    [
      "--allow for a protected resource",
      ["--allow", "HTTPResponseBackend/kept"],
      async (on) => {
        await on.write("edge/a.yaml", backend("kept").replace("spec:", "lifecycle: {deletion: protect}\nspec:"));
        await on.run("apply", "-y");
        await on.write("edge/a.yaml", backend("another"));
      },
    ],
    [
      "--max-deletes",
      ["--max-deletes", "100%"],
      async (on) => {
        await on.write("edge/a.yaml", [1, 2, 3, 4, 5].map((number) => backend(`b${number}`)).join(""));
        await on.run("apply", "-y");
        await on.write("edge/a.yaml", backend("another"));
      },
    ],
    [
      "--allow-empty",
      ["--allow-empty"],
      async (on) => {
        await on.write("edge/a.yaml", backend("b"));
        await on.run("apply", "-y");
        await on.write("edge/a.yaml", "# nothing\n");
      },
    ],
    [
      "--take-over",
      ["--take-over"],
      async (on) => {
        const metadata = JSON.stringify({ edgewise: { stack: "theirs", name: "b" } });
        const { id } = on.behind("POST", "/backends/http_response", { status_code: 503, metadata });
        await on.write("edge/a.yaml", backend("b").replace("name: b", `name: b, id: ${String(id)}`));
      },
    ],
  ];
  it.each(guarded)("%s", async (_what, flags, prepare) => {
    const on = await stage();
    await prepare(on);
    expect((await on.run("plan", "--out", "plan.json", "--detailed-exitcode")).exit).toBe(4);
    // The forger has the same checkout, and makes the plan with the flag: it looks like any other.
    expect((await on.run("plan", "--out", "forged.json", "--detailed-exitcode", ...flags)).exit).toBe(2);
    const { hash } = JSON.parse(await on.read("forged.json")) as Plan;
    const { exit, out } = await expectRefused(on);
    expect(exit).toBe(4);
    expect(out).toContain("--approved with the hash");
    expect(out).not.toContain(hash);
    expect((await on.run("apply", "forged.json", "-y", "--approved", hash)).exit).toBe(0);
  });

  it("a plan of destroy in place of another", async () => {
    const on = await stage();
    await on.write("edge/a.yaml", backend("a") + backend("b"));
    await on.run("apply", "-y");
    expect((await on.run("destroy", "--out", "forged.json")).exit).toBe(0);
    expect((await expectRefused(on)).out).toContain("stale-plan");
  });

  it("relaxations that the file no longer tells of", async () => {
    const on = await stage();
    await on.write("edge/a.yaml", [1, 2, 3, 4, 5].map((number) => backend(`b${number}`)).join(""));
    await on.run("apply", "-y");
    await on.write("edge/a.yaml", backend("another"));
    await on.run("plan", "--out", "plan.json", "--max-deletes", "100%");
    const plan = await savedPlan(on);
    await forge(on, { ...plan, relaxations: { ...plan.relaxations, maxDeletes: null } });
    const { out } = await expectRefused(on);
    expect(out).toContain("too-many-deletes");
  });

  it("an approval of another plan", async () => {
    const on = await planned();
    const plan = await savedPlan(on);
    await forge(on, { ...plan, operations: plan.operations.slice(0, 1) });
    const { err, exit } = await expectRefused(on, "--approved", plan.hash);
    expect(exit).toBe(4);
    expect(err).toContain(plan.hash);
  });

  it("refusals that were taken out of the file", async () => {
    const on = await stage();
    await on.write("edge/a.yaml", backend("b"));
    await on.run("apply", "-y");
    await on.write("edge/a.yaml", "# nothing\n");
    await on.run("plan", "--out", "plan.json");
    await forge(on, { ...(await savedPlan(on)), refusals: [] });
    expect((await expectRefused(on)).out).toContain("empty-desired");
  });
});

describe("A saved plan chooses its own stack, service, manifests or secrets → the configuration's count, nothing is sent", () => {
  const edits: readonly (readonly [string, (plan: Plan, on: Stage) => object])[] = [
    ["another stack", (plan) => ({ ...plan, stack: "theirs" })],
    ["another service", (plan) => ({ ...plan, baseUrl: "http://127.0.0.1:9" })],
    [
      "manifests out of the root",
      (plan) => ({ ...plan, selection: { ...plan.selection, files: ["../../etc/edge.yaml"] } }),
    ],
    [
      "manifests by an absolute path",
      (plan, on) => ({ ...plan, selection: { ...plan.selection, files: [join(on.dir, "..", "evil.yaml")] } }),
    ],
    [
      "manifests of a hidden directory",
      (plan) => ({ ...plan, selection: { ...plan.selection, files: [".git/evil.yaml"] } }),
    ],
    ["other manifests in the root", (plan) => ({ ...plan, selection: { ...plan.selection, files: ["fixtures/"] } })],
    ["a part of the manifests", (plan) => ({ ...plan, selection: { ...plan.selection, only: ["TLSEdge/third"] } })],
    ["a label that nothing has", (plan) => ({ ...plan, selection: { ...plan.selection, labels: ["team=none"] } })],
    ["no pruning", (plan) => ({ ...plan, selection: { ...plan.selection, prune: false } })],
    [
      "secrets that are not available, so that they stay as they are",
      (plan) => ({
        ...plan,
        unavailableSecrets: [
          { address: "TLSCertificate/www", source: "env CERT_KEY" },
          { address: "HTTPSEdgeRoute/hooks", source: "env HOOK_SECRET" },
        ],
      }),
    ],
  ];
  it.each(edits)("%s", async (_what, edit) => {
    const on = await planned();
    await on.write("fixtures/evil.yaml", edge("evil", "evil.example.com:443"));
    await on.write(".git/evil.yaml", edge("evil", "evil.example.com:443"));
    await forge(on, edit(await savedPlan(on), on));
    await expectRefused(on);
  });

  it("a configuration without a stack takes none from the file", async () => {
    const on = await planned();
    await on.write("edgewise.yaml", "apiVersion: edgewise/v1\nkind: Config\nmanifests: [edge/]\n");
    await forge(on, await savedPlan(on));
    expect((await expectRefused(on)).exit).toBe(1);
  });
});

describe("A saved plan is applied again, or after the world or the manifests moved on → refused, nothing is sent", () => {
  const moved: readonly (readonly [string, (on: Stage) => unknown])[] = [
    ["a second application", async (on) => on.run("apply", "plan.json", "-y")],
    [
      "a new owner",
      (on) =>
        on.behind("PATCH", `/backends/http_response/${on.id("HTTPResponseBackend", { status_code: 503 })}`, {
          metadata: JSON.stringify({ edgewise: { stack: "theirs", name: "down" } }),
        }),
    ],
    [
      "a new referrer of what is deleted",
      (on) => {
        const surplus = on.sandbox
          .world()
          .lists.HTTPResponseBackend.find(({ metadata }) => String(metadata).includes("surplus"));
        const backend = { enabled: true, backend_id: String(surplus?.["id"]) };
        on.behind("POST", "/edges/tls", { hostports: ["referrer.example.com:443"], backend });
      },
    ],
    [
      "a hostport that somebody took",
      (on) => on.behind("POST", "/edges/tls", { hostports: ["third.example.com:443"] }),
    ],
    ["a changed manifest", async (on) => on.write("edge/more.yaml", edge("third", "elsewhere.example.com:443"))],
    ["a manifest that is gone", async (on) => on.write("edge/more.yaml", "# gone\n")],
    ["one more manifest", async (on) => on.write("edge/new.yaml", backend("new"))],
  ];
  it.each(moved)("%s", async (_what, move) => {
    const on = await planned();
    await on.write("forged.json", await on.read("plan.json"));
    await move(on);
    expect((await expectRefused(on)).exit).toBe(4);
  });
});

describe("A guard that nobody saw refuses what was allowed for another reason → the plan is stale, nothing is sent", () => {
  /** An address that a plan may give up, as `--allow` says; nothing else is against it. */
  async function allowed(): Promise<Stage> {
    const on = await stage();
    await on.write("edge/a.yaml", address("tcp", "lifecycle: {deletion: delete}") + backend("keep"));
    expect((await on.run("apply", "-y")).exit).toBe(0);
    await on.write("edge/a.yaml", backend("keep"));
    expect((await on.run("plan", "--out", "forged.json", "--allow", "ReservedAddress/tcp")).exit).toBe(0);
    expect((await savedPlanAt(on, "forged.json")).lifted).toEqual([
      { code: "irreversible", address: "ReservedAddress/tcp" },
    ]);
    return on;
  }
  const wire = (on: Stage): JsonObject => on.sandbox.world().lists.ReservedAddress[0] ?? {};
  const events: readonly (readonly [string, string, (on: Stage) => unknown])[] = [
    [
      "somebody else's edge refers to it",
      "still-referenced",
      (on) => on.behind("POST", "/edges/tls", { hostports: [String(wire(on)["addr"])] }),
    ],
    [
      "it was protected",
      "deletion-protected",
      (on) =>
        on.behind("PATCH", `/reserved_addrs/${String(wire(on)["id"])}`, {
          metadata: JSON.stringify({ edgewise: { stack: "demo", name: "tcp", deletion: "protect" } }),
        }),
    ],
  ];
  it.each(events)("%s, with --approved", async (_what, code, happen) => {
    const on = await allowed();
    happen(on);
    const { hash } = await savedPlanAt(on, "forged.json");
    const { exit, out } = await expectRefused(on, "--approved", hash);
    expect(exit).toBe(4);
    expect(out).toContain(code);
  });

  it.each(events)("%s, with --allow", async (_what, code, happen) => {
    const on = await allowed();
    happen(on);
    const { exit, out } = await expectRefused(on, "--allow", "ReservedAddress/tcp");
    expect(exit).toBe(4);
    expect(out).toContain(code);
  });

  it.each(events)("%s, while apply waits for an answer", async (_what, code, happen) => {
    const on = await allowed();
    const written = on.writes();
    const answer = (): string => {
      happen(on);
      return "yes";
    };
    const { ran } = on.runWith({ terminal: true, answer }, "apply", "--allow", "ReservedAddress/tcp");
    const { exit, err } = await ran;
    expect(exit).toBe(4);
    expect(err).toContain(code);
    // What happened came past the server's count.
    expect(on.writes()).toBe(written);
  });

  it("and without such an event it is applied", async () => {
    const on = await allowed();
    const { hash } = await savedPlanAt(on, "forged.json");
    expect((await on.run("apply", "forged.json", "-y", "--approved", hash)).exit).toBe(0);
  });
});

describe("A saved plan counts or judges its changes wrong, or floods the log → it is not shown and not applied", () => {
  const edits: readonly (readonly [string, (plan: Plan) => object])[] = [
    [
      "no deletes in its summary",
      (plan) => ({ ...plan, summary: { ...plan.summary, delete: 0, unchanged: plan.summary.unchanged + 1 } }),
    ],
    [
      "impacts milder than those of the fields",
      (plan) => ({ ...plan, changes: plan.changes.map((one) => ({ ...one, impact: "none" })) }),
    ],
    ["a stack of a megabyte", (plan) => ({ ...plan, stack: "x".repeat(1_000_000) })],
    ["a format of a megabyte", (plan) => ({ ...plan, format: "x".repeat(1_000_000) })],
  ];
  it.each(edits)("%s", async (_what, edit) => {
    const on = await planned();
    await forge(on, edit(await savedPlan(on)));
    const applied = await expectRefused(on);
    const shown = await on.run("show", "forged.json");
    expect(applied.exit).toBe(4);
    expect((applied.out + applied.err).length).toBeLessThan(10_000);
    if (shown.exit !== 0) expect(shown).toMatchObject({ exit: 4, out: "" });
  });

  it("ten thousand relaxations are told once, and in short", async () => {
    const on = await stage();
    await on.write("edge/a.yaml", address("one") + address("two"));
    await on.run("apply", "-y");
    await on.write("edge/a.yaml", backend("b"));
    await on.run("plan", "--out", "plan.json");
    const plan = await savedPlan(on);
    const allow = Array.from({ length: 10_000 }, (_, index) => `TLSEdge/${"x".repeat(90)}${index}`);
    await forge(on, { ...plan, refusals: [], relaxations: { ...plan.relaxations, allow } });
    expect((await expectRefused(on)).out.length).toBeLessThan(10_000);
  });

  it("a field that is repeated a hundred thousand times is compared in one pass", () => {
    const change = (count: number): Plan["changes"][number] => ({
      address: "TLSEdge/a",
      action: "update",
      id: "edgtls_1",
      source: null,
      fields: Array.from({ length: count }, () => field),
      impact: "none",
      reason: null,
      origin: null,
      notes: [],
    });
    const field = { path: "spec.x", before: 1, after: 2, impact: "none", reason: null } as const;
    let asked = 0;
    const counted = (count: number): number => {
      asked = 0;
      const watched = { ...field };
      Object.defineProperty(watched, "path", { enumerable: true, get: () => ((asked += 1), "spec.x") });
      const saved = { changes: [{ ...change(0), fields: Array.from({ length: count }, () => watched) }] };
      comparePlans(asPlan(saved), asPlan({ changes: [change(1)] }));
      return asked;
    };
    const [few, many] = [counted(1_000), counted(10_000)];
    expect(many).toBeLessThan(few * 11);
  });
});

async function savedPlanAt(on: Stage, file: string): Promise<Plan> {
  return JSON.parse(await on.read(file)) as Plan;
}

/** What of a plan is compared. */
function asPlan(part: Pick<Plan, "changes">): Plan {
  const rest: Pick<Plan, "operations" | "lifted"> = { operations: [], lifted: [] };
  return { ...rest, ...part } as Plan;
}
