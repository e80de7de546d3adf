import { describe, expect, it } from "vitest";
import { Stage, backend } from "../support/stage.ts";

const rule = (expression: string, effect = "deny"): string =>
  `policies: [{name: house, expression: "${expression}", message: Not here., effect: ${effect}}]\n`;
const config = (policies: string): string =>
  `apiVersion: edgewise/v1\nkind: Config\nstack: shop\nmanifests: [m/]\n${policies}`;

describe("policies of a stack", () => {
  it("stop all writes when they deny or fail, and none when they warn", async () => {
    const stage = new Stage();
    stage.add("shop", { "a.yaml": backend("sorry", "Back soon") }, {}, rule("change.name == 'sorry'"));
    await stage.pass();
    const { message, state } = await stage.status("shop");
    expect(state).toBe("refused");
    expect(message).toContain("policy HTTPResponseBackend/sorry: policy house denies it: Not here.");
    expect(message).toContain("a commit may set `guards` and `metadata.id` where the fleet file allows it");
    stage.commit({ "shop/edgewise.yaml": config(rule("change.after.spec.nothing == 1", "warn")) });
    await stage.pass();
    expect([await stage.state("shop"), stage.service.writes]).toEqual(["refused", []]);
    stage.commit({ "shop/edgewise.yaml": config(rule("change.name == 'sorry'", "warn")) });
    await stage.pass();
    expect([await stage.state("shop"), stage.live()]).toEqual(["synced", ["Back soon"]]);
    stage.commit({ "shop/edgewise.yaml": config(rule("true")) });
    await stage.pass();
    expect(await stage.state("shop")).toBe("synced");
  });

  it("judge the part that is written, too", async () => {
    const stage = new Stage();
    stage.add("shop", { "a.yaml": backend("a", "A") }, { apply: { commit: "security", drift: "never" } });
    await stage.pass();
    stage.edit({ description: "by hand" });
    const alone = "plan.changes.exists(c, c.name == 'b') && !plan.changes.exists(c, c.name == 'a')";
    stage.commit({ "shop/edgewise.yaml": config(rule(alone)), "shop/m/b.yaml": backend("b", "B") });
    await stage.pass();
    expect(stage.live()).toEqual(["by hand"]);
    expect((await stage.status("shop")).message).toContain("Not here.");
  });

  it("that take too long refuse the plan, and the verdict about a plan is remembered", async () => {
    const stage = new Stage();
    const twelve = "[0,1,2,3,4,5,6,7,8,9,10,11]";
    const endless = "abcdefgh".split("").reduceRight((inner, name) => `${twelve}.all(${name}, ${inner})`, "a >= 0");
    stage.add("shop", { "a.yaml": backend("a", "A") }, {}, rule(endless));
    const message = async (): Promise<string> => {
      await stage.pass();
      return (await stage.status("shop")).message;
    };
    expect(await message()).toMatch(/policy house can't be evaluated: it takes longer than 1 s/u);
    stage.commit({ "shop/edgewise.yaml": config(rule("change.name == 'a'")) });
    for (let times = 0; times < 2; times += 1) expect(await message()).toContain("policy house denies it: Not here.");
    expect(stage.evaluated).toBe(2);
    expect(stage.service.writes).toEqual([]);
  });
});
