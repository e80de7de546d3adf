import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../src/core/json.ts";
import { hashPlan, type Operation, type Plan } from "../../../../src/plan/plan-format.ts";
import { type Ran, type Stage, address, backend, edge, stage } from "../../../commands/stage.ts";
import { runs } from "../../../support/runs.ts";
import { Dice } from "../../chaos/support/dice.ts";
import { withOddPlace } from "../../fuzz/support/odd.ts";
import { pair, richManifests } from "../support/rich-manifests.ts";

const secrets = { CERT_KEY: pair.key, HOOK_SECRET: "hook-secret-0123456789" };

async function planned(): Promise<Stage> {
  const on = await stage();
  for (const [path, text] of Object.entries(richManifests)) await on.write(path, text);
  Object.assign(on.env, secrets);
  await on.write("edge/more.yaml", backend("surplus"));
  const first = ["--only", "TLSEdge/api", "--only", "HTTPResponseBackend/surplus"];
  expect((await on.run("apply", "-y", ...first)).exit).toBe(0);
  await on.write("edge/more.yaml", edge("third", "third.example.com:443", ", backend: {backend: {name: down}}"));
  on.behind("POST", "/edges/tls", { hostports: ["theirs.example.com:443"], description: "theirs" });
  expect((await on.run("plan", "--out", "plan.json", "--detailed-exitcode", "-q")).exit).toBe(2);
  return on;
}

const planIn = async (on: Stage, file = "plan.json"): Promise<Plan> => JSON.parse(await on.read(file)) as Plan;

async function forge(on: Stage, edited: object): Promise<void> {
  await on.write("forged.json", JSON.stringify({ ...edited, hash: hashPlan(edited as Plan) }));
}

async function expectRefused(on: Stage, ...flags: readonly string[]): Promise<Ran> {
  const world = (): string => JSON.stringify([on.sandbox.world().lists, on.sandbox.world().modules]);
  const before = world();
  const written = on.writes();
  const ran = await on.run("apply", "forged.json", "-y", "-o", "json", ...flags);
  expect([1, 4], ran.out + ran.err).toContain(ran.exit);
  expect(on.writes()).toBe(written);
  expect(world()).toBe(before);
  expect(ran.err).not.toMatch(/bug in edgewise|mistake in/u);
  for (const secret of Object.values(secrets)) expect(ran.out + ran.err).not.toContain(secret);
  return ran;
}

const first = (plan: Plan, kind: Operation["kind"]): Operation => {
  const found = plan.operations.find((operation) => operation.kind === kind);
  if (found === undefined) throw new Error(`the plan must have a ${kind}`);
  return found;
};

const instead = (plan: Plan, old: Operation, edited: object): Plan => ({
  ...plan,
  operations: plan.operations.map((one) => (one === old ? { ...old, ...edited } : one)),
});

describe("somebody rewrites a saved plan and its checksum: nothing is sent", () => {
  it.each<readonly [string, (plan: Plan, on: Stage) => object]>([
    [
      "a delete of somebody else's edge",
      (plan, on) => {
        const id = on.id("TLSEdge", { description: "theirs" });
        return instead(plan, first(plan, "delete"), { path: `/edges/tls/${id}`, resourceId: id });
      },
    ],
    ["a path that climbs out of the base path", (plan) => instead(plan, first(plan, "create"), { path: "/../admin" })],
    [
      "a secret bound into a description",
      (plan) => {
        const create = first(plan, "create");
        const bind = { ...create.bind, "/description": { secret: "TLSCertificate/www#private_key_pem" } };
        return instead(plan, create, { body: { ...(create.body as JsonObject), description: null }, bind });
      },
    ],
    ["no waiting", (plan) => ({ ...plan, operations: plan.operations.map((one) => ({ ...one, after: [] })) })],
    ["a milder impact", (plan) => ({ ...plan, changes: plan.changes.map((one) => ({ ...one, impact: "none" })) })],
    [
      "manifests outside of the root",
      (plan) => ({ ...plan, selection: { ...plan.selection, files: ["../../etc/edge.yaml"] } }),
    ],
  ])("%s", async (_, edit) => {
    const on = await planned();
    await forge(on, edit(await planIn(on), on));
    await expectRefused(on);
  });

  it("anything at all, at random", async () => {
    const on = await planned();
    const plan = await planIn(on);
    const ignored = new Set(["why", "reason", "origin", "notes", "source"]);
    const strip = (json: Json): string =>
      JSON.stringify(json, (name, inner: unknown) => (ignored.has(name) ? undefined : inner));
    const part = fc.constantFrom("changes" as const, "operations" as const);
    await fc.assert(
      fc.asyncProperty(part, fc.nat(), async (member, seed) => {
        const value = plan[member] as unknown as Json;
        const altered = withOddPlace(value, new Dice(`${seed}`));
        fc.pre(strip(altered) !== strip(value));
        await forge(on, { ...plan, [member]: altered });
        await expectRefused(on, "--no-verify");
      }),
      runs(25),
    );
  });
});

describe("a saved plan grants itself what guards refuse: they refuse, unless this run or --approved says so", () => {
  it.each<readonly [string, readonly string[], (on: Stage) => Promise<unknown>]>([
    [
      "a protected resource",
      ["--allow", "HTTPResponseBackend/kept"],
      async (on) => {
        await on.write("edge/a.yaml", backend("kept").replace("spec:", "lifecycle: {deletion: protect}\nspec:"));
        await on.run("apply", "-y");
        await on.write("edge/a.yaml", backend("another"));
      },
    ],
    [
      "another stack's resource",
      ["--take-over"],
      async (on) => {
        const metadata = JSON.stringify({ edgewise: { stack: "theirs", name: "b" } });
        const { id } = on.behind("POST", "/backends/http_response", { status_code: 503, metadata });
        await on.write("edge/a.yaml", backend("b").replace("name: b", `name: b, id: ${String(id)}`));
      },
    ],
  ])("%s", async (_, flags, prepare) => {
    const on = await stage();
    await prepare(on);
    expect((await on.run("plan", "--detailed-exitcode")).exit).toBe(4);
    // The forger has the same checkout, and makes the plan with the flag: it looks like any other.
    expect((await on.run("plan", "--out", "forged.json", "--detailed-exitcode", ...flags)).exit).toBe(2);
    const { hash } = await planIn(on, "forged.json");
    const { exit, out } = await expectRefused(on);
    expect(exit).toBe(4);
    expect(out).toContain(flags[0]);
    expect(out).not.toContain(hash);
    await expectRefused(on, "--approved", `sha256:${"0".repeat(64)}`);
    expect((await on.run("apply", "forged.json", "-y", "--approved", hash)).exit).toBe(0);
  });

  it("a plan of destroy in place of another, and one whose refusals were taken out", async () => {
    const on = await stage();
    await on.write("edge/a.yaml", backend("a") + backend("b"));
    await on.run("apply", "-y");
    expect((await on.run("destroy", "--out", "forged.json")).exit).toBe(0);
    expect((await expectRefused(on)).out).toContain("stale-plan");
    await on.write("edge/a.yaml", "# nothing\n");
    await on.run("plan", "--out", "plan.json");
    await forge(on, { ...(await planIn(on)), refusals: [] });
    expect((await expectRefused(on)).out).toContain("empty-desired");
  });

  it("a guard that nobody saw refuses what was allowed for another reason", async () => {
    const code = "still-referenced";
    const on = await stage();
    await on.write("edge/a.yaml", address("tcp", "lifecycle: {deletion: delete}") + backend("keep"));
    expect((await on.run("apply", "-y")).exit).toBe(0);
    await on.write("edge/a.yaml", backend("keep"));
    const allow = ["--allow", "ReservedAddress/tcp"];
    expect((await on.run("plan", "--out", "forged.json", ...allow)).exit).toBe(0);
    const { hash } = await planIn(on, "forged.json");
    const written = on.writes();
    const answer = (): string => {
      on.behind("POST", "/edges/tls", { hostports: [String(on.sandbox.world().lists.ReservedAddress[0]?.["addr"])] });
      return "yes";
    };
    const { exit, err } = await on.runWith({ terminal: true, answer }, "apply", ...allow).ran;
    expect({ exit, writes: on.writes(), err }).toEqual({
      exit: 4,
      writes: written,
      err: expect.stringContaining(code),
    });
    expect((await expectRefused(on, "--approved", hash)).out).toContain(code);
    expect((await expectRefused(on, ...allow)).out).toContain(code);
  });
});

describe("a saved plan is applied after the world or the manifests moved on: it is stale, nothing is sent", () => {
  const hook = "/edges/https/edghts_1/routes/edghtsrt_1/webhook_verification";
  const edited = async (on: Stage, from: string, to: string): Promise<void> =>
    on.write("edge/all.yaml", (await on.read("edge/all.yaml")).replace(from, to));

  it.each<readonly [string, (on: Stage) => unknown]>([
    ["a second application", async (on) => expect((await on.run("apply", "plan.json", "-y")).exit).toBe(0)],
    [
      "a module that somebody set",
      (on) => on.behind("PUT", hook, { enabled: true, provider: "GITHUB", secret: "somebody's-own-1" }),
    ],
    ["a changed manifest", async (on) => on.write("edge/more.yaml", edge("third", "elsewhere.example.com:443"))],
    ["a secret from elsewhere", async (on) => edited(on, "env: HOOK_SECRET", "env: CERT_KEY")],
  ])("%s", async (_, move) => {
    const on = await planned();
    await on.write("forged.json", await on.read("plan.json"));
    await move(on);
    expect((await expectRefused(on)).exit).toBe(4);
  });

  it("but not when only unrelated resources changed, and secrets are taken as they are then", async () => {
    const on = await planned();
    on.behind("POST", "/backends/http_response", { status_code: 200, description: "somebody's" });
    on.env["HOOK_SECRET"] = "after-rotation-4567";
    const { exit, out, err } = await on.run("apply", "plan.json", "-y", "-o", "json");
    expect(exit, out + err).toBe(0);
    expect(JSON.stringify(on.sandbox.world().modules)).toContain('"after-rotation-4567"');
  });

  it("and one that only changes a secret is refused the second time", async () => {
    const on = await stage();
    const webhook = "webhook_verification: {provider: GITHUB, secret: {env: HOOK}}";
    const metadata = "metadata: {name: hook, id: edghtsrt_1}\nspec: {edge: {id: edghts_1}, ";
    await on.write("edge/hook.yaml", `apiVersion: edgewise/v1\nkind: HTTPSEdgeRoute\n${metadata}${webhook}}\n`);
    on.env["HOOK"] = "the first secret";
    expect((await on.run("apply", "-y")).exit).toBe(0);
    on.env["HOOK"] = "the second secret";
    expect((await on.run("plan", "--out", "forged.json")).exit).toBe(0);
    expect((await on.run("apply", "forged.json", "-y")).exit).toBe(0);
    expect((await expectRefused(on)).out).toContain("no change of the plan is needed now");
  });
});

describe("the file of a saved plan", () => {
  it("holds no secret, nor a hash of one", async () => {
    const on = await planned();
    const text = await on.read("plan.json");
    expect(text).toContain("HTTPSEdgeRoute/hooks#webhook_verification.secret");
    for (const secret of Object.values(secrets)) expect(text).not.toContain(secret);
    on.env["HOOK_SECRET"] = "quite-another-secret-42";
    await on.run("plan", "--out", "other.json", "-q");
    expect(await on.read("other.json")).toBe(text);
  });

  it.each<readonly [string, number, string, (on: Stage, text: string) => Promise<void>]>([
    ["nested without end", 1, "not valid JSON", async (on) => on.write("plan.json", "[".repeat(1_000_000))],
    ["newer", 4, "edgewise.plan/v2", async (on, text) => on.write("plan.json", text.replace("plan/v1", "plan/v2"))],
  ])("that is %s is refused in words", async (_, code, words, harm) => {
    const on = await planned();
    await harm(on, await on.read("plan.json"));
    for (const command of [["show"], ["apply", "-y"]]) {
      const { exit, out, err } = await on.run(...command, "plan.json");
      expect({ exit, out, err }).toEqual({ exit: code, out: "", err: expect.stringContaining(words) });
    }
  });
});
