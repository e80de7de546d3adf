import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { violations } from "../../schemas/all-schemas.ts";
import { config, page, repositoryWorld } from "../support/repository-world.ts";

async function served() {
  const { fleet, on, push: commit, ...world } = await repositoryWorld();
  const { edge } = fleet.sources;
  const { prod } = fleet.stacks;
  await world.put("spare-key", on.sandbox.apiKey);
  const members = {
    sources: { edge: { ...edge, poll: "1s" }, own: { ...edge, poll: "1s" } },
    accounts: { main: fleet.accounts.main, own: { ...fleet.accounts.main, key: { file: "spare-key" } } },
    stacks: { prod, spare: { source: "own", account: "own", config: "spare/edgewise.yaml" } },
    http: { listen: "127.0.0.1:0" },
  };
  const state = join(on.dir, "state");
  const push = async (status: number): Promise<void> => {
    await commit(page(status, "prod"));
    await commit(page(status, "spare"), config({ stack: "spare" }), "spare");
  };
  const once = async () => {
    const ran = await world.once(members, "--state", state);
    const byName = Object.fromEntries(ran.stacks.map((stack) => [stack.name, stack]));
    return { ...ran, prod: byName["prod"], spare: byName["spare"] };
  };
  await push(503);
  expect(await once()).toMatchObject({ exit: 0, prod: { state: "synced" }, spare: { state: "synced" } });
  return { on, once, push, state };
}

const cut = (text: string): string => text.slice(0, text.length / 2);

describe("a record that can't be read", () => {
  it("fails its stack, is named and left as it is, and stops no other, until it is put right", async () => {
    const { once, push, state } = await served();
    for (const [status, path, damage] of [
      [504, "stacks/prod.json", (text: string) => text.replace('"name":"', '"name":"x')],
      [505, "accounts/main.json", cut],
      [506, "followed/edge.json", cut],
    ] as const) {
      const file = join(state, path);
      const text = await readFile(file, "utf8");
      await writeFile(file, damage(text));
      await push(status);
      const ran = await once();
      expect(ran, path).toMatchObject({ exit: 3, writes: 1, prod: { state: "failed" }, spare: { state: "synced" } });
      expect(ran.prod?.message).toContain(file);
      expect(ran.err).toContain(file);
      expect(await readFile(file, "utf8")).toBe(damage(text));
      await writeFile(file, text);
      expect(await once(), path).toMatchObject({ exit: 0, writes: 1, prod: { state: "synced" } });
    }
  });

  it("makes every difference of its stack one of both sides when it is removed", async () => {
    const { once, push, state } = await served();
    const file = join(state, "stacks/prod.json");
    await writeFile(file, "{");
    await push(504);
    expect((await once()).prod).toMatchObject({ state: "failed", changes: { commit: 0, drift: 0, both: 0 } });
    await rm(file);
    expect((await once()).prod).toMatchObject({ state: "waiting", changes: { commit: 0, drift: 0, both: 1 } });
  });

  it("is read again while serve runs", async () => {
    const { on, state } = await served();
    const file = join(state, "stacks/prod.json");
    const text = await readFile(file, "utf8");
    await writeFile(file, "{");
    const { io } = on.runWith({}, "serve", "fleet.yaml", "--state", state, "--log-format", "json");
    onTestFinished(() => void io.signal("SIGTERM"));
    const logged = (line: RegExp): Promise<void> =>
      vi.waitFor(() => expect(io.err()).toMatch(line), { timeout: 15_000, interval: 20 });
    await logged(/"state-changed","stack":"prod","from":"\w+","to":"failed"/u);
    const damage = io
      .err()
      .split("\n")
      .find((line) => line.includes('"state-damaged"'));
    expect(damage).toContain(file);
    expect(violations("serve-log", JSON.parse(damage ?? ""))).toEqual([]);
    const url = /"url":"([^"]+)"/u.exec(io.err())?.[1] ?? "";
    expect(await (await fetch(url)).text()).toContain(file);
    await writeFile(file, text);
    await logged(/"state-changed","stack":"prod","from":"failed","to":"synced"/u);
  });
});
