import { describe, expect, it } from "vitest";
import { violations } from "../../schemas/all-schemas.ts";
import { Stage, backend, minute } from "../support/stage.ts";

const all = ["drift", "waiting", "failed", "recovered", "braked", "orphaned"];
const down = { ok: false, message: "it answers 500", passes: true } as const;
const wrong = { ok: false, message: "it answers 404", passes: false } as const;

async function telling(...names: readonly string[]): Promise<Stage> {
  const stage = new Stage();
  for (const name of names) stage.add(name);
  for (const name of ["a", "b"]) stage.write(name, `https://hooks.example.com/${name}`);
  stage.file["notify"] = [{ url: { file: "a" }, on: all }];
  stage.file["defaults"] = { interval: "1m" };
  await stage.run(2 * minute);
  expect(stage.sent).toEqual([]);
  return stage;
}

function told(stage: Stage, receiver = "a"): readonly string[] {
  for (const { notification } of stage.sent) expect(violations("serve-notification", notification)).toEqual([]);
  return stage.sent
    .splice(0)
    .filter(({ to }) => to === receiver)
    .map(({ notification: { account, event, stack } }) => `${stack ?? account} ${event}`);
}

const breaking = (name: string) => ({ [`${name}/m/a.yaml`]: "kind: Nonsense\n" });
const mending = (name: string) => ({ [`${name}/m/a.yaml`]: backend(`page-${name}`, name) });

describe("the notifications", () => {
  it("tell each receiver what it wants to know, once", async () => {
    const stage = await telling("prod", "old");
    stage.file["notify"] = [
      { url: { file: "a" }, on: all },
      { url: { file: "b" }, on: ["recovered", "orphaned"] },
    ];
    await stage.restart();
    for (const changes of [breaking("prod"), mending("prod"), { "old/edgewise.yaml": null }]) {
      stage.commit(changes);
      await stage.run(5 * minute);
    }
    stage.edit({ status_code: 500 }, "page-prod");
    await stage.run(5 * minute);
    const toB = stage.sent.filter(({ to }) => to === "b").map(({ notification: { event } }) => event);
    expect(toB).toEqual(["recovered", "orphaned"]);
    expect(told(stage)).toEqual(["prod failed", "prod recovered", "old orphaned", "prod drift", "prod waiting"]);
  });

  it("tell of the brake of an account once, not of each stack that it holds", async () => {
    const stage = await telling("s1", "s2", "s3", "s4");
    for (const name of ["s1", "s2", "s3"]) stage.edit({ description: "by hand" }, `page-${name}`);
    await stage.run(2 * minute);
    expect(await stage.states("s1", "s2", "s3")).toEqual(Array(3).fill("waiting: brake"));
    const braked = stage.sent.filter(({ notification }) => notification.event === "braked");
    expect(braked.map(({ notification }) => notification)).toMatchObject([{ account: "main", stack: null }]);
    expect(told(stage).filter((each) => each.endsWith("drift"))).toHaveLength(3);
  });

  it("tell of drift that is put back in the same pass", async () => {
    const stage = await telling("prod");
    for (let times = 0; times < 2; times += 1) {
      stage.edit({ description: "by hand" });
      await stage.run(2 * minute);
      expect(stage.live()).toEqual(["prod"]);
      expect(stage.sent.map(({ notification }) => notification)).toMatchObject([
        { event: "drift", stack: "prod", impact: "cosmetic", changes: { drift: 1 } },
      ]);
      expect(told(stage)).toEqual(["prod drift"]);
    }
  });

  it("are tried again with growing pauses, each with its id, and the log says once that they can't be sent", async () => {
    const stage = await telling("prod");
    stage.answer = down;
    stage.commit(breaking("prod"));
    await stage.run(60 * minute);
    expect(stage.sent.length).toBeGreaterThan(10);
    expect(stage.sent.length).toBeLessThan(30);
    expect(new Set(stage.sent.map(({ notification }) => notification.id)).size).toBe(1);
    stage.commit(mending("prod"));
    stage.answer = { ok: true };
    await stage.run(10 * minute);
    expect(new Set(told(stage))).toEqual(new Set(["prod failed", "prod recovered"]));
    expect(stage.events.filter(({ event }) => event.startsWith("notify"))).toMatchObject([
      { event: "notify-failed", message: "it answers 500" },
      { event: "notify-recovered" },
    ]);
  });

  it("that a receiver refuses are given up, and the next ones are sent", async () => {
    const stage = await telling("prod");
    stage.answer = wrong;
    stage.commit(breaking("prod"));
    await stage.run(20 * minute);
    expect(told(stage).length).toBeLessThan(10);
    stage.answer = { ok: true };
    stage.commit(mending("prod"));
    await stage.run(2 * minute);
    expect(told(stage)).toEqual(["prod recovered"]);
  });

  it("are sent after a restart, with the same id, when they were not before; and no other is sent again", async () => {
    const stage = await telling("told", "untold");
    stage.commit(breaking("told"));
    await stage.run(2 * minute);
    expect(told(stage)).toEqual(["told failed"]);
    stage.answer = down;
    stage.commit(breaking("untold"));
    await stage.run(2 * minute);
    await stage.restart();
    const ids = new Set(stage.sent.splice(0).map(({ notification }) => notification.id));
    stage.answer = { ok: true };
    await stage.run(2 * minute);
    expect(new Set(stage.sent.map(({ notification }) => notification.id))).toEqual(ids);
    expect(told(stage)).toEqual(["untold failed"]);
    stage.commit(mending("told"));
    await stage.run(2 * minute);
    expect(told(stage)).toEqual(["told recovered"]);
  });
});
