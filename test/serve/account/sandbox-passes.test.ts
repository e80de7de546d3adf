import { describe, expect, it } from "vitest";
import { createClient } from "../../../src/api/create-client.ts";
import { systemClock } from "../../../src/api/system-clock.ts";
import { Secret } from "../../../src/secret.ts";
import type { PassDeps } from "../../../src/serve/account/account-pass.ts";
import { done, sandboxFor } from "../../sandbox/support.ts";
import { Stage, account, backend, simpleParts } from "./support/stage.ts";

const edge = `apiVersion: edgewise/v1
kind: TLSEdge
metadata: {name: api}
spec:
  description: API
  hostports: ["api.example.com:443"]
  backend: {backend: {name: sorry}}
`;

/** A sandbox, and passes of a stage over it in real time, which may be some time ahead. */
async function passesOf(stage: Stage, name: string) {
  const writes: string[] = [];
  const sandbox = await sandboxFor({ onRequest: ({ method }) => void (method === "GET" || writes.push(method)) });
  const connect: PassDeps["connect"] = async (to, changes) =>
    createClient({
      baseUrl: to.baseUrl,
      apiKey: Secret.of(sandbox.apiKey, "file"),
      versionHeader: to.versionHeader,
      concurrency: 8,
      timeoutMs: 10_000,
      requestsPerMinute: null,
      env: {},
      ...changes,
    });
  const pass = async (aheadMs = 0) => {
    writes.splice(0);
    const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
    await stage.pass({ deps: { connect, clock }, input: { account: { ...account, baseUrl: sandbox.baseUrl } } });
    const { message } = (await stage.recordOf(name)).status;
    return { state: await stage.stateOf(name), message, writes: [...writes] };
  };
  return { sandbox, pass };
}

describe("passes over a sandbox", () => {
  it("apply a commit, heal a hand edit, and delete what a commit removes, over HTTP", async () => {
    const stage = new Stage();
    const { pass, sandbox } = await passesOf(stage, "shop");
    const more = { policy: { apply: { commit: "security", drift: "routing" } } } as const;
    stage.add("shop", { "a.yaml": backend("sorry", "Back soon"), "b.yaml": edge }, more);
    expect(await pass()).toMatchObject({ state: "synced" });
    const edges = async (): Promise<readonly { readonly id: string; readonly hostports: readonly string[] }[]> => {
      const { tls_edges: found } = await done(sandbox, "GET", "/edges/tls");
      return JSON.parse(JSON.stringify(found));
    };
    const [live] = await edges();
    await done(sandbox, "PATCH", `/edges/tls/${live?.id ?? ""}`, { hostports: ["other.example.com:443"] });
    expect(await pass()).toMatchObject({ state: "synced", writes: ["PATCH"] });
    expect((await edges()).map(({ hostports }) => hostports)).toEqual([["api.example.com:443"]]);
    stage.commit({ "shop/m/b.yaml": null });
    // A delete is irreversible for nobody here: the backend stays, the edge goes.
    expect(await pass()).toMatchObject({ state: "synced", writes: ["DELETE"] });
    expect(await edges()).toEqual([]);
    expect((await stage.recordOf("shop")).memory.deletes).toHaveLength(1);
  });
});

describe("policies of a stack", () => {
  const rule = (expression: string, effect = "deny"): string =>
    `policies: [{name: house, expression: "${expression}", message: Not here., effect: ${effect}}]\n`;
  const config = (policies: string): string =>
    `apiVersion: edgewise/v1\nkind: Config\nstack: shop\nmanifests: [m/]\n${policies}`;

  it("stop all writes when they deny or fail, and none when they warn", async () => {
    const stage = new Stage();
    const { pass } = await passesOf(stage, "shop");
    stage.add("shop", { "a.yaml": backend("sorry", "Back soon") }, { config: rule("change.name == 'sorry'") });
    const denied = await pass();
    expect(denied).toMatchObject({ state: "refused", writes: [] });
    expect(denied.message).toContain("policy HTTPResponseBackend/sorry: policy house denies it: Not here.");
    expect(denied.message).toContain("guards.allow of the configuration, which the fleet file has to allow");
    stage.commit({ "shop/edgewise.yaml": config(rule("change.after.spec.nothing == 1", "warn")) });
    expect(await pass()).toMatchObject({ state: "refused", writes: [] });
    stage.commit({ "shop/edgewise.yaml": config(rule("change.name == 'sorry'", "warn")) });
    expect(await pass()).toMatchObject({ state: "synced", writes: ["POST"] });
    // What is at rest is not judged.
    stage.commit({ "shop/edgewise.yaml": config(rule("true")) });
    expect(await pass()).toMatchObject({ state: "synced", writes: [] });
  });

  it("judge the part that is written, too", async () => {
    const stage = new Stage();
    const { pass, sandbox } = await passesOf(stage, "shop");
    const policy = { apply: { commit: "security", drift: "never" } } as const;
    stage.add("shop", { "a.yaml": backend("a", "A") }, { policy });
    await pass();
    const { backends } = await done(sandbox, "GET", "/backends/http_response");
    const [live] = JSON.parse(JSON.stringify(backends)) as readonly { readonly id: string }[];
    await done(sandbox, "PATCH", `/backends/http_response/${live?.id}`, { description: "by hand" });
    // What was changed by hand waits, so only the other resource would be written, which the policy denies.
    const alone = "plan.changes.exists(c, c.name == 'b') && !plan.changes.exists(c, c.name == 'a')";
    stage.commit({ "shop/edgewise.yaml": config(rule(alone)), "shop/m/b.yaml": backend("b", "B") });
    const { message, state, writes } = await pass();
    expect(writes).toEqual([]);
    expect(message).toContain("Not here.");
    expect(state).not.toBe("synced");
  });

  it("that take too long refuse the plan, and are evaluated again only after an interval", async () => {
    const stage = new Stage({ ...simpleParts, policyMs: 50 });
    const { pass } = await passesOf(stage, "shop");
    const twelve = "[0,1,2,3,4,5,6,7,8,9,10,11]";
    const endless = "abcdefgh".split("").reduceRight((inner, name) => `${twelve}.all(${name}, ${inner})`, "a >= 0");
    stage.add("shop", { "a.yaml": backend("a", "A") }, { config: rule(endless) });
    for (let times = 0; times < 2; times += 1) {
      const { message, state } = await pass();
      expect(state).toBe("refused");
      expect(message).toMatch(/policy house can't be evaluated: it takes longer than 0.05 s(?!; that)/u);
    }
    // A commit does not make them be evaluated sooner.
    stage.commit({ "shop/m/a.yaml": backend("a", "B") });
    const third = await pass();
    expect(third.state).toBe("refused");
    expect(third.message).toMatch(/takes longer than 0.05 s; that happened 2 times, so it is evaluated again from 2/u);
    stage.commit({ "shop/edgewise.yaml": config(rule("change.name == 'a'")) });
    expect((await pass()).message).toContain("that happened 2 times");
    expect((await pass(601_000)).message).toContain("policy house denies it: Not here.");
  });
});
