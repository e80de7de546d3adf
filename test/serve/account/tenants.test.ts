import { describe, expect, it, vi } from "vitest";
import { createClient } from "../../../src/api/create-client.ts";
import { systemClock } from "../../../src/api/system-clock.ts";
import * as asking from "../../../src/policies/ask-process.ts";
import { Secret } from "../../../src/secret.ts";
import type { PassDeps } from "../../../src/serve/account/account-pass.ts";
import { sandboxFor } from "../../sandbox/support.ts";
import { Stage, account, backend, simpleParts } from "./support/stage.ts";

// Counts how often expressions are evaluated; they are evaluated as ever.
vi.mock("../../../src/policies/ask-process.ts", async (original) => {
  const real = await original<typeof asking>();
  return { ...real, askProcess: vi.fn<typeof real.askProcess>(real.askProcess) };
});

function edge(name: string, backendRef: string): string {
  return `apiVersion: edgewise/v1
kind: TLSEdge
metadata: {name: ${name}}
spec:
  hostports: ["${name}.example.com:443"]
  backend: {backend: {${backendRef}}}
`;
}

describe("a tenant that refers to another one's resource", () => {
  it("holds the deletion of that resource, and nothing else of the other's plan", async () => {
    const stage = new Stage();
    const policy = { apply: { commit: "security", drift: "security" } } as const;
    stage.add(
      "victim",
      {
        "a.yaml": backend("page", "Back soon"),
        "b.yaml": backend("other", "One"),
        "c.yaml": edge("api", "name: page"),
      },
      { policy },
    );
    await stage.pass();
    const page = String(
      stage.service.lists().HTTPResponseBackend.find((each) => each["description"] === "Back soon")?.["id"],
    );
    stage.add("tenant", { "e.yaml": edge("mine", `id: ${page}`) }, { policy });
    await stage.pass();
    expect([await stage.stateOf("victim"), await stage.stateOf("tenant")]).toEqual(["synced", "synced"]);

    stage.commit({
      "victim/m/a.yaml": null,
      "victim/m/b.yaml": backend("other", "Two"),
      "victim/m/c.yaml": edge("api", "name: other"),
    });
    await stage.pass();
    const descriptions = () => stage.service.lists().HTTPResponseBackend.map((each) => String(each["description"]));
    expect(descriptions().toSorted()).toEqual(["Back soon", "Two"]);
    expect(await stage.stateOf("victim")).toBe("refused");
    const { message } = (await stage.recordOf("victim")).status;
    expect(message).toContain('(of stack "tenant") still refers to it');
    expect(message).toContain("HTTPResponseBackend/page");
    expect((await stage.store.readPlan("victim"))?.changes.map(({ address }) => address)).toEqual([
      "HTTPResponseBackend/page",
    ]);

    // What no stack owns stops the whole plan: nobody else answers for it.
    stage.service.byHand("POST", "/edges/tls", {
      hostports: ["hand.example.com:443"],
      backend: { backend_id: page },
    });
    stage.commit({ "victim/m/b.yaml": backend("other", "Three") });
    await stage.pass();
    expect(descriptions().toSorted()).toEqual(["Back soon", "Two"]);
    expect(await stage.stateOf("victim")).toBe("refused");

    const byHand = stage.service.lists().TLSEdge.find((each) => String(each["hostports"]) === "hand.example.com:443");
    stage.service.byHand("DELETE", `/edges/tls/${String(byHand?.["id"])}`);
    stage.commit({ "tenant/m/e.yaml": backend("own", "Own") });
    await stage.pass();
    await stage.pass();
    expect(descriptions().toSorted()).toEqual(["Own", "Three"]);
    expect(await stage.stateOf("victim")).toBe("synced");
  });
});

describe("a tenant whose policies take too long", () => {
  it("is refused, evaluated once per plan, and after two failures only after an interval", async () => {
    const sandbox = await sandboxFor();
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
    const stage = new Stage({ ...simpleParts, policyMs: 50 });
    const twelve = "[0,1,2,3,4,5,6,7,8,9,10,11]";
    const endless = "abcdefgh".split("").reduceRight((inner, name) => `${twelve}.all(${name}, ${inner})`, "a >= 0");
    const rule = (expression: string) => `policies: [{name: slow, expression: "${expression}", message: No.}]\n`;
    stage.add("tenant", { "a.yaml": backend("a", "A") }, { config: rule(endless) });
    let ahead = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + ahead };
    const evaluations = async (): Promise<number> => {
      vi.mocked(asking.askProcess).mockClear();
      await stage.pass({ deps: { connect, clock }, input: { account: { ...account, baseUrl: sandbox.baseUrl } } });
      return vi.mocked(asking.askProcess).mock.calls.length;
    };
    const message = async (): Promise<string> => (await stage.recordOf("tenant")).status.message;

    expect(await evaluations()).toBe(1);
    expect(await stage.stateOf("tenant")).toBe("refused");
    expect(await message()).toContain("policy slow can't be evaluated: it takes longer than 0.05 s");
    expect(await evaluations()).toBe(1);
    expect(await evaluations()).toBe(0);
    // A commit does not make it be evaluated sooner.
    stage.commit({ "tenant/m/a.yaml": backend("a", "B") });
    expect(await evaluations()).toBe(0);
    expect(await stage.stateOf("tenant")).toBe("refused");
    expect(await message()).toMatch(/takes longer than 0.05 s; that happened 2 times, so it is evaluated again from 2/);

    ahead = 601_000;
    expect(await evaluations()).toBe(1);
    ahead += 601_000;
    const config = "apiVersion: edgewise/v1\nkind: Config\nstack: tenant\nmanifests: [m/]\n";
    stage.commit({ "tenant/edgewise.yaml": config + rule("change.name == 'a'") });
    expect(await evaluations()).toBe(1);
    expect(await message()).toContain("policy slow denies it: No.");
    expect(await evaluations()).toBe(0);
    expect(await message()).toContain("policy slow denies it: No.");
  });
});
