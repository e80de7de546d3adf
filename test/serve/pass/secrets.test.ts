import { describe, expect, it } from "vitest";
import { effectDigest, effectsOf } from "../../../src/serve/decide/effect-digest.ts";
import { Stage, type Written, backend, edgeWithSecret, everything, secretText } from "../support/stage.ts";

const apiKey = "ak_C4n4ry/7+9==~Lk";

async function expectNoSecret(stage: Stage): Promise<void> {
  const { accounts, sources, stacks } = await stage.store.load();
  const plans = await Promise.all([...stacks.keys()].map((name) => stage.store.readPlan(name)));
  const kept = [[...stacks.values()], [...accounts.values()], [...sources.values()], plans, stage.store.history];
  const text = JSON.stringify([kept, stage.events]);
  for (const secret of [secretText, apiKey])
    for (const form of [encodeURIComponent(secret), Buffer.from(secret).toString("base64")])
      expect(text).not.toContain(form);
  expect(text).not.toContain("C4n4ry");
}

function secretStage(): Stage {
  const stage = new Stage();
  stage.add(
    "shop",
    { "a.yaml": backend("sorry", "Back soon"), "b.yaml": edgeWithSecret },
    { ...everything, secrets: "secrets/shop", apply: { commit: "security", drift: "cosmetic" } },
  );
  stage.write("secrets/shop/KEY", secretText);
  return stage;
}

describe("what serve keeps and says", () => {
  it("holds no secret, whatever the service echoes and wherever it echoes it", async () => {
    const stage = secretStage();
    stage.service.trouble = ({ body, method }) =>
      method === "GET" ? null : { status: 400, message: `no: Bearer ${apiKey} ${body ?? ""}` };
    await stage.pass();
    expect(await stage.state("shop")).toBe("failed");
    await expectNoSecret(stage);
    stage.service.trouble = () => null;
    await stage.pass();
    expect(await stage.state("shop")).toBe("synced");
    stage.edit({ description: secretText, status_code: 500 });
    await stage.pass();
    expect(await stage.state("shop")).toBe("waiting: approval");
    await expectNoSecret(stage);
    stage.service.trouble = ({ method }) =>
      method === "GET" ? { status: 500, message: `oh ${secretText} ${apiKey}` } : null;
    await stage.pass();
    await expectNoSecret(stage);
  });

  it("holds nothing of a secret whose source a later commit drops, not even after a restart", async () => {
    const stage = new Stage();
    const seeded = edgeWithSecret.replace("secret: {env: KEY}", "seed: {env: KEY}");
    const entry: Written = { secrets: "secrets/shop", apply: { commit: "security", drift: "never" } };
    stage.write("secrets/shop/KEY", secretText);
    stage.add("shop", { "c.yaml": backend("other", "Elsewhere") }, entry);
    await stage.pass();
    stage.edit({ description: "Gone" });
    const hinted = seeded.replace("seed:", "hint: a longer text, seed:");
    stage.commit({ "shop/m/a.yaml": backend("sorry", "Back soon"), "shop/m/b.yaml": hinted });
    await stage.pass();
    expect(JSON.stringify(stage.service.lists().TLSEdge)).toContain("C4n4ry");
    stage.edit({ description: "Elsewhere" }, "other");
    const dropped = seeded.replace("seed: {env: KEY}", "rounds: 3");
    const ignore = "lifecycle: {ignore: [spec.traffic_policy]}\nspec:";
    stage.commit({ "shop/m/b.yaml": dropped.replace("spec:", ignore) });
    await stage.pass();
    expect(await stage.state("shop")).toBe("synced");
    entry["apply"] = { commit: "cosmetic", drift: "never" };
    stage.file.stacks["shop"] = { ...stage.file.stacks["shop"], ...entry };
    stage.commit({ "shop/m/b.yaml": dropped });
    for (let times = 0; times < 2; times += 1) {
      await stage.restart();
      await stage.pass();
      expect(await stage.state("shop")).toBe("waiting: approval");
      await expectNoSecret(stage);
    }
    const plan = await stage.store.readPlan("shop");
    const policy = plan?.changes.flatMap(({ fields }) => fields).find(({ path }) => path.includes("traffic_policy"));
    expect(JSON.stringify([policy?.before, policy?.after])).toMatch(/a longer text.*rounds/u);
    // An approver's own digest is made of what is shown.
    const waiting = (await stage.memory("shop")).approval?.waiting;
    if (plan === null || !waiting) throw new Error("nothing waits");
    expect(effectDigest({ ...waiting, account: "main", effects: effectsOf(plan, waiting.sides) })).toBe(waiting.digest);
  });

  it("comes from the stack's directory alone, and is compared anew when it is rotated", async () => {
    const stage = secretStage();
    process.env["KEY"] = "of the process";
    stage.add("thief", { "a.yaml": backend("other", "x"), "b.yaml": edgeWithSecret.replaceAll("sorry", "other") });
    await stage.pass();
    delete process.env["KEY"];
    expect(await stage.state("shop")).toBe("synced");
    expect(await stage.state("thief")).not.toBe("synced");
    expect(JSON.stringify(stage.service.lists().TLSEdge)).toContain("C4n4ry");
    expect(JSON.stringify(stage.service.lists().TLSEdge)).not.toContain("of the process");
    stage.write("secrets/shop/KEY", "rotated-secret-2");
    await stage.pass();
    expect(await stage.state("shop")).toBe("waiting: approval");
    const kept = JSON.stringify([await stage.store.readPlan("shop"), await stage.record("shop"), stage.events]);
    expect(kept).toContain("TLSEdge/api");
    expect(kept).not.toContain("rotated-secret-2");
  });
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
    const other = (text: string) => backend("other", text);
    const manifests = {
      "a.yaml": backend("page", "Back soon"),
      "b.yaml": other("One"),
      "c.yaml": edge("api", "name: page"),
    };
    stage.add("victim", manifests, everything);
    await stage.pass();
    const page = stage.pathOf("page").split("/").at(-1) ?? "";
    stage.add("tenant", { "e.yaml": edge("mine", `id: ${page}`) }, everything);
    await stage.pass();
    expect(await stage.states("victim", "tenant")).toEqual(["synced", "synced"]);

    stage.commit({
      "victim/m/a.yaml": null,
      "victim/m/b.yaml": other("Two"),
      "victim/m/c.yaml": edge("api", "name: other"),
    });
    await stage.pass();
    expect([await stage.state("victim"), stage.live()]).toEqual(["refused", ["Back soon", "Two"]]);
    expect((await stage.status("victim")).message).toMatch(
      /HTTPResponseBackend\/page.*\(of stack "tenant"\) still refers to it/u,
    );

    const hand = { hostports: ["hand.example.com:443"], backend: { backend_id: page } };
    const { id } = stage.service.byHand("POST", "/edges/tls", hand);
    stage.commit({ "victim/m/b.yaml": other("Three") });
    await stage.pass();
    expect([await stage.state("victim"), stage.live()]).toEqual(["refused", ["Back soon", "Three"]]);

    stage.service.byHand("DELETE", `/edges/tls/${String(id)}`);
    stage.commit({ "tenant/m/e.yaml": backend("own", "Own") });
    await stage.pass();
    await stage.pass();
    expect([await stage.state("victim"), stage.live()]).toEqual(["synced", ["Own", "Three"]]);
  });
});
