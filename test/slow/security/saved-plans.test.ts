import { createPrivateKey } from "node:crypto";
import { link, rename, symlink, truncate } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/json.ts";
import { hashPlan } from "../../../src/plan/canonical-json.ts";
import type { Plan } from "../../../src/plan/plan-format.ts";
import { type Stage, backend, edge, stage } from "../../commands/stage.ts";
import { type Mutation, mutated, mutation, placesOf } from "./support/mutate.ts";
import { pair, richManifests } from "./support/rich-manifests.ts";
import { runs } from "../../support/runs.ts";

const hook = "hook-secret-0123456789";

/** A stage with manifests of everything, a saved plan of an apply half-way: creates, updates, deletes. */
async function planned(): Promise<Stage> {
  const on = await stage();
  const { write, env, run } = on;
  for (const [path, text] of Object.entries(richManifests)) await write(path, text);
  Object.assign(env, { CERT_KEY: pair.key, HOOK_SECRET: hook });
  await write("edge/more.yaml", backend("surplus"));
  expect((await run("apply", "-y", "--only", "TLSEdge/api", "--only", "HTTPResponseBackend/surplus")).exit).toBe(0);
  await write("edge/more.yaml", edge("third", "third.example.com:443", ", backend: {backend: {name: down}}"));
  await write("edge/all.yaml", (richManifests["edge/all.yaml"] ?? "").replace("<h1>down</h1>", "<h1>later</h1>"));
  expect((await run("plan", "--out", "plan.json", "--detailed-exitcode", "-q")).exit).toBe(2);
  return on;
}

async function parsed(on: Stage): Promise<Json> {
  return JSON.parse(await on.read("plan.json")) as Json;
}

function withoutOwn(value: Json): Json {
  const { hash: _hash, toolVersion: _version, ...rest } = value as { readonly [member: string]: Json };
  return rest;
}

describe("a saved plan", () => {
  it("is refused after any change in it", async () => {
    const on = await planned();
    const plan = await parsed(on);
    const before = on.sandbox.requests().total;
    await fc.assert(
      fc.asyncProperty(mutation, async (change) => {
        const altered = mutated(withoutOwn(plan), change);
        fc.pre(JSON.stringify(altered) !== JSON.stringify(withoutOwn(plan)));
        const { hash, toolVersion } = plan as { readonly [member: string]: Json };
        const whole = Array.isArray(altered) ? altered : { hash, toolVersion, ...(altered as object) };
        await on.write("altered.json", JSON.stringify(whole));
        // A file that is no longer a plan is an error; an altered plan is refused.
        const isPlan = !Array.isArray(whole) && typeof (whole as { readonly format?: unknown }).format === "string";
        for (const args of [
          ["show", "altered.json"],
          ["apply", "altered.json", "-y"],
        ]) {
          const { exit, out, err } = await on.run(...args);
          expect({ exit, out }).toEqual({ exit: isPlan ? 4 : 1, out: "" });
          expect(err).toContain("altered.json can't be used");
        }
      }),
      runs(50),
    );
    expect(on.sandbox.requests().total).toBe(before);
  });

  it("is refused after a change of any single value in it", async () => {
    const on = await planned();
    const plan = withoutOwn(await parsed(on));
    const { hash } = JSON.parse(await on.read("plan.json")) as Plan;
    const places = placesOf(plan);
    for (const place of places.keys()) {
      const altered = mutated(plan, { place, how: "replace", value: "another" });
      expect(hashPlan(altered as unknown as Plan), JSON.stringify(places[place])).not.toBe(hash);
      const less = mutated(plan, { place, how: "remove", value: null });
      expect(hashPlan(less as unknown as Plan), JSON.stringify(places[place])).not.toBe(hash);
    }
    expect(hashPlan(plan as unknown as Plan)).toBe(hash);
  });

  it("made by hand with a valid checksum never crashes: it is shown, applied or refused", async () => {
    const on = await planned();
    const plan = withoutOwn(await parsed(on));
    await fc.assert(
      fc.asyncProperty(
        fc.array(mutation, { minLength: 1, maxLength: 2 }),
        fc.constantFrom("text", "json", "markdown", "html", "github", "gitlab"),
        async (changes, format) => {
          const altered = changes.reduce((json: Json, each: Mutation) => mutated(json, each), plan);
          const own = Array.isArray(altered) || typeof altered !== "object" ? {} : altered;
          const whole = { ...own, toolVersion: "0.0.0", hash: hashPlan(own as unknown as Plan) };
          await on.write("made.json", JSON.stringify(whole));
          for (const args of [
            ["show", "made.json", "-o", format],
            ["apply", "made.json", "-y", "--no-verify", "--stack", "nobody"],
          ]) {
            const { exit, err } = await on.run(...args);
            expect([0, 1, 4], err).toContain(exit);
            expect(err).not.toContain("bug in edgewise");
          }
        },
      ),
      runs(50),
    );
  });

  it.each([
    ["truncated", async (on: Stage) => truncate(join(on.dir, "plan.json"), 1000), "it ends in the middle"],
    ["empty", async (on: Stage) => on.write("plan.json", ""), "it is empty"],
    ["binary", async (on: Stage) => on.write("plan.json", "\u0000\u0001\ufffe"), "it is not JSON"],
    ["a directory", async (on: Stage) => on.write("plan.json2/x", ""), "directory"],
    ["huge", async (on: Stage) => truncate(join(on.dir, "plan.json"), 300 * 1024 * 1024), "it has more than"],
    ["endless", async (on: Stage) => symlink("/dev/zero", join(on.dir, "plan.json3")), "device"],
    ["nested without end", async (on: Stage) => on.write("plan.json", "[".repeat(1_000_000)), "nested deeper"],
    [
      "nested 4,000 levels deep",
      async (on: Stage) =>
        on.write("plan.json", `{"format":"edgewise.plan/v1","x":${"[".repeat(4000)}${"]".repeat(4000)}}`),
      "nested deeper",
    ],
    [
      "a plan nested without end",
      async (on: Stage) =>
        edit(on, (text) => text.replace('"claims"', `"x": ${"[".repeat(100_000)}${"]".repeat(100_000)}, "claims"`)),
      "nested deeper",
    ],
    ["a list", async (on: Stage) => on.write("plan.json", "[]"), "not a saved plan"],
    ["null", async (on: Stage) => on.write("plan.json", "null"), "not a saved plan"],
    ["older", async (on: Stage) => edit(on, (text) => text.replace("plan/v1", "plan/v0")), "edgewise.plan/v0"],
    ["newer", async (on: Stage) => edit(on, (text) => text.replace("plan/v1", "plan/v2")), "edgewise.plan/v2"],
    [
      "a result",
      async (on: Stage) => edit(on, (text) => text.replace("edgewise.plan", "edgewise.result")),
      "edgewise.result/v1",
    ],
  ])("that is %s is refused in words", async (what, harm, words) => {
    const on = await planned();
    await harm(on);
    const file = what === "a directory" ? "plan.json2" : what === "endless" ? "plan.json3" : "plan.json";
    for (const args of [
      ["show", file],
      ["apply", file, "-y"],
    ]) {
      const { exit, out, err } = await on.run(...args);
      expect({ exit, out }).toEqual({ exit: words.startsWith("edgewise.") ? 4 : 1, out: "" });
      expect(err).toContain(words);
    }
  });

  it("holds no secret, nor a hash of one, and is for its owner alone", async () => {
    const on = await planned();
    const text = await on.read("plan.json");
    expect(text).not.toContain(hook);
    expect(text).toContain("HTTPSEdgeRoute/hooks#webhook_verification.secret");
    // Another secret from the same place gives the same plan.
    on.env["HOOK_SECRET"] = "quite-another-secret-42";
    // The certificate has one key, which can be written in another way.
    on.env["CERT_KEY"] = createPrivateKey(pair.key).export({ type: "sec1", format: "pem" });
    await on.run("plan", "--out", "other.json", "-q");
    expect(await on.read("other.json")).toBe(text);
    const { stat } = await import("node:fs/promises");
    expect((await stat(join(on.dir, "plan.json"))).mode & 0o077).toBe(0);
  });

  it("takes secrets as they are when it is applied", async () => {
    const on = await planned();
    await on.write("edge/all.yaml", (await on.read("edge/all.yaml")).replace("{env: HOOK_SECRET}", "{file: ../hook}"));
    await on.write("hook", "before-rotation-0123\n");
    expect((await on.run("plan", "--out", "plan.json", "-q")).exit).toBe(0);
    await on.write("hook", "after-rotation-4567\n");
    const applied = await on.run("apply", "plan.json", "-y", "-o", "json");
    expect(applied.exit, applied.err).toBe(0);
    const sent = JSON.stringify(on.sandbox.world().modules);
    expect(sent).toContain('"after-rotation-4567"');
    expect(sent).not.toContain("before-rotation");
  });

  it("of another service or stack is refused before the service is asked", async () => {
    const on = await planned();
    const before = on.sandbox.requests().total;
    const other = await on.run("apply", "plan.json", "-y", "--stack", "other");
    expect(other).toMatchObject({ exit: 4, out: "" });
    const there = await on.run("apply", "plan.json", "-y", "--base-url", `${on.sandbox.baseUrl}/v2`);
    expect(there).toMatchObject({ exit: 4, out: "" });
    expect(on.sandbox.requests().total).toBe(before);
  });

  it("applied twice is refused the second time, and nothing is written", async () => {
    const on = await planned();
    expect((await on.run("apply", "plan.json", "-y")).exit).toBe(0);
    const written = on.writes();
    const { exit, out } = await on.run("apply", "plan.json", "-y", "-o", "json");
    expect(exit).toBe(4);
    expect(JSON.parse(out).outcome).toBe("refused");
    expect(on.writes()).toBe(written);
  });

  it("that only changes a secret is refused the second time, too", async () => {
    const on = await stage();
    const hook = `apiVersion: edgewise/v1
kind: HTTPSEdgeRoute
metadata: {name: hook, id: edghtsrt_1}
spec:
  edge: {id: edghts_1}
  webhook_verification: {provider: GITHUB, secret: {env: HOOK}}
`;
    await on.write("edge/hook.yaml", hook);
    on.env["HOOK"] = "the first secret";
    expect((await on.run("apply", "-y")).exit).toBe(0);
    on.env["HOOK"] = "the second secret";
    expect((await on.run("plan", "--out", "plan.json")).exit).toBe(0);
    expect((await on.run("apply", "plan.json", "-y")).exit).toBe(0);
    const written = on.writes();
    const { exit, out } = await on.run("apply", "plan.json", "-y");
    expect(exit).toBe(4);
    expect(out).toContain("no change of the plan is needed now");
    expect(on.writes()).toBe(written);
  });
});

async function edit(on: Stage, change: (text: string) => string): Promise<void> {
  await on.write("plan.json", change(await on.read("plan.json")));
}

describe("a saved plan is stale", () => {
  const marker = (name: string): string => JSON.stringify({ edgewise: { stack: "demo", name } });

  it.each<readonly [string, (on: Stage) => unknown, string]>([
    [
      "when what it updates was changed",
      (on) =>
        on.behind(
          "PATCH",
          `/backends/http_response/${on.id("HTTPResponseBackend", { status_code: 503, body: "<h1>down</h1>" })}`,
          { body: "meddled" },
        ),
      "HTTPResponseBackend/down",
    ],
    [
      "when what it deletes was changed",
      (on) =>
        on.behind("PATCH", `/backends/http_response/${on.id("HTTPResponseBackend", { metadata: marker("surplus") })}`, {
          status_code: 500,
        }),
      "HTTPResponseBackend/surplus",
    ],
    [
      "when what it deletes is gone",
      (on) =>
        on.behind("DELETE", `/backends/http_response/${on.id("HTTPResponseBackend", { metadata: marker("surplus") })}`),
      "delete of HTTPResponseBackend/surplus",
    ],
    [
      "when what it updates lost its marker",
      (on) =>
        on.behind(
          "PATCH",
          `/backends/http_response/${on.id("HTTPResponseBackend", { status_code: 503, body: "<h1>down</h1>" })}`,
          { metadata: "" },
        ),
      "HTTPResponseBackend/down",
    ],
    [
      "when somebody made what it makes",
      (on) => on.behind("POST", "/edges/tls", { hostports: ["elsewhere.example.com:443"], metadata: marker("third") }),
      "TLSEdge/third",
    ],
    [
      "when something else of the stack appeared",
      (on) => on.behind("POST", "/backends/http_response", { status_code: 200, metadata: marker("new") }),
      "HTTPResponseBackend/new",
    ],
    [
      "when a hostport that it takes is served by somebody",
      (on) => on.behind("POST", "/edges/tls", { hostports: ["third.example.com:443"] }),
      "third.example.com:443",
    ],
    [
      "when a module that it sets was set",
      (on) =>
        on.behind("PUT", "/edges/https/edghts_1/routes/edghtsrt_1/webhook_verification", {
          enabled: true,
          provider: "GITHUB",
          secret: "somebody's",
        }),
      "HTTPSEdgeRoute/hooks",
    ],
    [
      "when the manifest of its secret says something else",
      async (on) => on.write("edge/all.yaml", (await on.read("edge/all.yaml")).replace("GITHUB", "GITLAB")),
      "GITLAB",
    ],
    [
      "when the manifest of its secret takes it from elsewhere",
      async (on) =>
        on.write("edge/all.yaml", (await on.read("edge/all.yaml")).replace("env: HOOK_SECRET", "env: CERT_KEY")),
      "HTTPSEdgeRoute/hooks",
    ],
    [
      "when the manifest of its secret is gone",
      async (on) => {
        const text = await on.read("edge/all.yaml");
        await on.write("edge/all.yaml", text.slice(0, text.indexOf("---\napiVersion: edgewise/v1\nkind: HTTPSEdge\n")));
      },
      "HTTPSEdgeRoute/hooks",
    ],
  ])("%s", async (_, change, words) => {
    const on = await planned();
    const before = on.writes();
    await change(on);
    const { exit, out } = await on.run("apply", "plan.json", "-y", "-o", "json");
    expect(exit, out).toBe(4);
    const result = JSON.parse(out);
    expect(result).toMatchObject({ outcome: "refused" });
    expect(JSON.stringify(result.refusals)).toContain(words);
    expect(on.writes()).toBe(before);
  });

  it("when what it refers to is gone", async () => {
    const on = await stage();
    await on.write("edge/all.yaml", backend("down"));
    await on.run("apply", "-y");
    await on.write(
      "edge/all.yaml",
      backend("down") + edge("api", "a.example.com:443", ", backend: {backend: {name: down}}"),
    );
    await on.run("plan", "--out", "plan.json");
    on.behind("DELETE", `/backends/http_response/${on.id("HTTPResponseBackend")}`);
    const before = on.writes();
    const { exit, out } = await on.run("apply", "plan.json", "-y", "-o", "json");
    expect(exit).toBe(4);
    expect(out).toContain("HTTPResponseBackend/down");
    expect(on.writes()).toBe(before);
  });

  it("but not when only unrelated resources changed", async () => {
    const on = await planned();
    on.behind("PATCH", `/edges/tls/${on.id("TLSEdge")}`, { description: "ignored, and not touched" });
    on.behind("POST", "/backends/http_response", { status_code: 200, description: "somebody's" });
    const { exit, out, err } = await on.run("apply", "plan.json", "-y", "-o", "json");
    expect(exit, out + err).toBe(0);
  });
});

describe("show", () => {
  it("needs no service, key, configuration or manifest, and follows links", async () => {
    const on = await planned();
    await rename(join(on.dir, "edge"), join(on.dir, "gone"));
    await on.write("edgewise.yaml", "}{");
    await link(join(on.dir, "plan.json"), join(on.dir, "hard.json"));
    await symlink("plan.json", join(on.dir, "soft.json"));
    const seen = on.sandbox.requests().total;
    const [plan, hard, soft] = await Promise.all(
      ["plan.json", "hard.json", "soft.json"].map((file) => on.runWith({ env: {} }, "show", file).ran),
    );
    expect(plan).toMatchObject({ exit: 0, err: "" });
    expect(hard).toEqual(plan);
    expect(soft).toEqual(plan);
    expect(on.sandbox.requests().total).toBe(seen);
  });
});
