import { describe, expect, it } from "vitest";
import type { SourceCommit } from "../../../src/serve/sources/source-reader.ts";
import { Stage, backend, source } from "./support/stage.ts";

/** The commit that is followed, which counts how often the stack's files are read. */
async function countingCommit(stage: Stage, read: { count: number }): Promise<SourceCommit> {
  const { followed } = await stage.sources.fetch(source, null, new AbortController().signal);
  const commit = await stage.sources.open(source, followed ?? "");
  return {
    commit: commit.commit,
    findConfigs: async (pattern) => commit.findConfigs(pattern),
    directoryIds: async (directories) => commit.directoryIds(directories),
    readConfig: async (path) => commit.readConfig(path),
    tree: async (directory, secrets) => {
      read.count += 1;
      return commit.tree(directory, secrets);
    },
  };
}

describe("a stack at rest", () => {
  it("is not planned again while nothing changed, but for every tenth look, and its age is renewed all the same", async () => {
    const stage = new Stage();
    stage.add("shop", { "a.yaml": backend("sorry", "Back soon") });
    // The first pass applies; the second look plans, and finds nothing to do.
    await stage.pass();
    await stage.pass();
    const read = { count: 0 };
    const commit = await countingCommit(stage, read);
    const counts: number[] = [];
    for (let look = 0; look < 20; look += 1) {
      const { lookedAt } = (await stage.recordOf("shop")).status;
      await stage.clock.sleep(1000);
      await stage.pass({ due: { commit } });
      expect((await stage.recordOf("shop")).status.lookedAt).toBeGreaterThan(lookedAt ?? 0);
      counts.push(read.count);
    }
    expect(counts).toEqual([...Array<number>(9).fill(0), ...Array<number>(10).fill(1), 2]);
  });

  it("is looked at anew when live, its directory or the process changes", async () => {
    const stage = new Stage();
    stage.add("shop", { "a.yaml": backend("sorry", "Back soon") });
    await stage.pass();
    await stage.pass();
    const [live] = stage.service.lists().HTTPResponseBackend;
    stage.service.byHand("PATCH", `/backends/http_response/${String(live?.["id"])}`, { status_code: 500 });
    await stage.pass();
    expect(await stage.stateOf("shop")).toBe("waiting: approval");
    stage.service.byHand("PATCH", `/backends/http_response/${String(live?.["id"])}`, { status_code: 503 });
    await stage.pass();
    expect(await stage.stateOf("shop")).toBe("synced");
    stage.commit({ "shop/m/a.yaml": backend("sorry", "Back later") });
    await stage.pass();
    expect(stage.service.writes.at(-1)).toMatch(/^PATCH /u);
    const again = Object.assign(new Stage(), { clock: stage.clock, service: stage.service, sources: stage.sources });
    Object.assign(again, { store: stage.store, stacks: stage.stacks });
    const read = { count: 0 };
    await again.pass({ due: { commit: await countingCommit(stage, read) } });
    expect(read.count).toBe(1);
  });
});

describe("the plan of a stack that waits", () => {
  it("is saved when it differs from the one before, and after its stack was forgotten", async () => {
    const stage = new Stage();
    stage.add("shop", { "a.yaml": backend("sorry", "Back soon") });
    await stage.pass();
    const plans: unknown[] = [];
    stage.store.onWrite = (what, value) => {
      if (what === "plan") plans.push(value);
    };
    const path = `/backends/http_response/${String(stage.service.lists().HTTPResponseBackend[0]?.["id"])}`;
    stage.service.byHand("PATCH", path, { status_code: 500 });
    for (let look = 0; look < 3; look += 1) await stage.pass();
    expect(await stage.stateOf("shop")).toBe("waiting: approval");
    expect(plans).toHaveLength(1);
    stage.service.byHand("PATCH", path, { status_code: 501 });
    await stage.pass();
    expect(plans).toHaveLength(2);
    await stage.store.forgetStack("shop");
    await stage.pass();
    expect(plans).toHaveLength(3);
    expect(await stage.store.readPlan("shop")).toEqual(plans.at(-1));
    stage.service.byHand("PATCH", path, { status_code: 503 });
    for (let look = 0; look < 3; look += 1) await stage.pass();
    expect(await stage.stateOf("shop")).toBe("synced");
    expect(plans.slice(3)).toEqual([null]);
  });
});
