import { describe, expect, it } from "vitest";
import { Redactor } from "../../../src/redact.ts";
import { accountPasses } from "../../../src/serve/account/pass-account.ts";
import { effectDigest, effectsOf } from "../../../src/serve/decisions/effect-digest.ts";
import { SimulatedAccount } from "./support/simulated-account.ts";
import { Stage, account, backend, edgeWithSecret, secretText, simpleParts } from "./support/stage.ts";

const apiKey = "ak_C4n4ry/7+9==~Lk";

/** Everything that leaves the pass: records, history, plans, events. */
async function everything(stage: Stage): Promise<string> {
  const { accounts, sources, stacks } = await stage.store.load();
  const plans = await Promise.all(stage.stacks.map(({ name }) => stage.store.readPlan(name)));
  const kept = [[...stacks.values()], [...accounts.values()], [...sources.values()], plans, stage.store.history];
  return JSON.stringify([kept, stage.events, stage.accountRecord]);
}

function expectNoSecret(text: string): void {
  for (const secret of [secretText, apiKey]) {
    for (const form of [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      Buffer.from(secret).toString("base64"),
    ])
      expect(text).not.toContain(form);
  }
  expect(text).not.toContain("C4n4ry");
}

describe("what a pass says", () => {
  it("holds no secret, whatever the service echoes and wherever it echoes it", async () => {
    const stage = new Stage();
    stage.add(
      "shop",
      { "a.yaml": backend("sorry", "Back soon"), "b.yaml": edgeWithSecret },
      { secrets: "/run/secrets/shop" },
    );
    // A service that answers every write with everything that it was sent.
    stage.service.trouble = ({ body, method }) =>
      method === "GET" ? null : { status: 400, message: `no: Bearer ${apiKey} ${body ?? ""}` };
    await stage.pass();
    expect(await stage.stateOf("shop")).toBe("failed");
    expectNoSecret(await everything(stage));
    stage.service.trouble = () => null;
    await stage.pass();
    expect(await stage.stateOf("shop")).toBe("synced");
    // Somebody puts the secret where it shows.
    const [live] = stage.service.lists().HTTPResponseBackend;
    stage.service.byHand("PATCH", `/backends/http_response/${String(live?.["id"])}`, {
      description: secretText,
      status_code: 500,
    });
    await stage.pass();
    expect(await stage.stateOf("shop")).toBe("waiting: approval");
    expectNoSecret(await everything(stage));
    stage.service.trouble = ({ method }) =>
      method === "GET" ? { status: 500, message: `oh ${secretText} ${apiKey}` } : null;
    await stage.pass();
    expectNoSecret(await everything(stage));
    stage.service.trouble = () => null;
    stage.commit({ "shop/m/a.yaml": `${backend("sorry", "Back soon")}  oops: ${secretText}\n` });
    await stage.pass();
    expect(await stage.stateOf("shop")).toBe("failed");
  });

  it("holds nothing of a secret whose source a later commit drops, not even after a restart", async () => {
    const stage = new Stage();
    const seeded = edgeWithSecret.replace("secret: {env: KEY}", "seed: {env: KEY}");
    const secrets = "/run/secrets/shop";
    const apply = { commit: "security", drift: "never" } as const;
    stage.add("shop", { "c.yaml": backend("other", "Elsewhere") }, { secrets, policy: { apply } });
    await stage.pass();
    const [live] = stage.service.lists().HTTPResponseBackend;
    stage.service.byHand("PATCH", `/backends/http_response/${String(live?.["id"])}`, { description: "Gone" });
    // Applied, while the other one waits: live is never in sync with this commit.
    const sorry = { "shop/m/a.yaml": backend("sorry", "Back soon") };
    stage.commit({ ...sorry, "shop/m/b.yaml": seeded.replace("seed:", "hint: a longer text, seed:") });
    await stage.pass();
    expect(JSON.stringify(stage.service.lists().TLSEdge)).toContain("C4n4ry");
    // Nor is it gone where the field is ignored.
    stage.service.byHand("PATCH", `/backends/http_response/${String(live?.["id"])}`, { description: "Elsewhere" });
    const dropped = seeded.replace("seed: {env: KEY}", "rounds: 3");
    const ignore = "lifecycle: {ignore: [spec.traffic_policy]}\nspec:";
    stage.commit({ "shop/m/b.yaml": dropped.replace("spec:", ignore) });
    await stage.pass();
    expect(await stage.stateOf("shop")).toBe("synced");
    const restart = (): void => {
      const redactor = new Redactor();
      const { powers } = simpleParts;
      const secretsOf: typeof powers.secretsOf = async (target) => {
        const known = await powers.secretsOf(target);
        return { ...known, options: { ...known.options, redactor } };
      };
      stage.passAccount = accountPasses({ ...simpleParts, powers: { ...powers, secretsOf } });
    };
    restart();
    stage.stacks[0] = { name: "shop", secrets, policy: { apply: { ...apply, commit: "cosmetic" } } };
    stage.commit({ "shop/m/b.yaml": dropped });
    const deps = { approvals: { draw: () => "0".repeat(64), find: async () => ({ approvals: [], problems: [] }) } };
    await stage.pass({ deps });
    expect(await stage.stateOf("shop")).toBe("waiting: approval");
    expectNoSecret(await everything(stage));
    restart();
    await stage.pass({ deps });
    expectNoSecret(await everything(stage));
    const plan = await stage.store.readPlan("shop");
    const policy = plan?.changes.flatMap(({ fields }) => fields).find(({ path }) => path.includes("traffic_policy"));
    expect(JSON.stringify([policy?.before, policy?.after])).toMatch(/a longer text.*rounds/u);
    // An approver's own digest is made of what is shown.
    const waiting = (await stage.recordOf("shop")).memory.approval?.waiting;
    if (plan === null || !waiting) throw new Error("nothing waits");
    const effects = effectsOf(plan, waiting.sides);
    expect(effectDigest({ ...waiting, account: account.name, effects })).toBe(waiting.digest);
  });

  it("holds no secret of a neighbour: each stack sees its own, and its own resources", async () => {
    const stage = new Stage();
    stage.add(
      "mine",
      { "a.yaml": backend("sorry", "Mine"), "b.yaml": edgeWithSecret },
      { secrets: "/run/secrets/mine" },
    );
    stage.add("thief", {
      "b.yaml": edgeWithSecret.replace("api.example.com", "thief.example.com").replace("sorry", "other"),
      "a.yaml": backend("other", "Other"),
    });
    await stage.pass();
    expect(await stage.stateOf("mine")).toBe("synced");
    expect(await stage.stateOf("thief")).not.toBe("synced");
    expect(JSON.stringify(stage.service.lists().TLSEdge)).not.toContain("thief.example.com");
    expectNoSecret(await everything(stage));
  });
});

describe("tenants of one account", () => {
  it("can't claim, adopt, or rename what belongs to others, and don't hold each other up", async () => {
    const stage = new Stage();
    stage.add("good", { "a.yaml": backend("sorry", "Good") });
    await stage.pass();
    const [live] = stage.service.lists().HTTPResponseBackend;
    const id = String(live?.["id"]);
    stage.add("adopter", { "a.yaml": backend("sorry", "Stolen").replace("{name: sorry}", `{name: sorry, id: ${id}}`) });
    stage.add("heir", { "a.yaml": backend("sorry", "Inherited") }, { config: "previousStacks: [good]\n" });
    stage.add("broken", { "a.yaml": "{" });
    stage.commit({ "good/m/a.yaml": backend("sorry", "Better") });
    await stage.pass();
    expect(await stage.stateOf("good")).toBe("synced");
    for (const name of ["adopter", "heir", "broken"])
      expect([name, await stage.stateOf(name)]).toEqual([name, "failed"]);
    expect(stage.service.lists().HTTPResponseBackend.map(({ description }) => description)).toEqual(["Better"]);
  });
});

describe("accounts", () => {
  it("are passed apart from each other: one that does not answer holds no other up", async () => {
    const stage = new Stage();
    stage.add("shop", { "a.yaml": backend("sorry", "Back soon") });
    const other = new SimulatedAccount(stage.clock);
    other.trouble = () => ({ lost: "before" });
    const slow = stage.unsaved({
      deps: { connect: other.connect },
      input: { account: { ...account, name: "slow", key: { file: "/run/secrets/slow" } } },
    });
    const quick = await stage.pass();
    expect(quick.stacks[0]?.record.status.state).toBe("synced");
    expect((await slow).stacks[0]?.record.status.state).toBe("failed");
  });
});
