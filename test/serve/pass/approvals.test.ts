import { describe, expect, it } from "vitest";
import type { ApprovalQuestion } from "../../../src/serve/git/source-reader.ts";
import { part } from "../../support/runs.ts";
import { Stage, backend, edgeWithSecret, secretText } from "../support/stage.ts";

async function waitingStage() {
  const stage = new Stage();
  stage.add("shop", { "a.yaml": backend("sorry", "Back soon") }, { approvers: "approvers" });
  await stage.pass();
  const drift = (status = 500) => stage.edit({ status_code: status });
  const live = () => stage.service.lists().HTTPResponseBackend[0]?.["status_code"];
  const digest = async () => (await stage.status("shop")).digest;
  drift();
  await stage.pass();
  stage.service.requests.length = 0;
  return { stage, drift, live, digest };
}

const lostWrites = ({ method }: { readonly method: string }) =>
  method === "GET" ? null : ({ lost: "before" } as const);

describe("an approval", () => {
  it("lets exactly what it names be applied once, and is in the history", async () => {
    const { stage, drift, live, digest } = await waitingStage();
    const first = await digest();
    expect(await stage.state("shop")).toBe("waiting: approval");
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    const asked: ApprovalQuestion[] = [];
    stage.onQuestion = (question) => void asked.push(question);
    await stage.pass();
    expect(await digest()).toBe(first);
    expect(asked[0]).toMatchObject({ stack: "shop", digest: first, directory: "shop" });
    expect(asked[0]?.approvers).toMatch(/\/approvers$/);
    expect(stage.service.writes).toEqual([]);

    await stage.approve("shop");
    await stage.pass();
    expect(await stage.state("shop")).toBe("synced");
    expect([live(), await digest()]).toEqual([503, null]);
    const applied = stage.store.history.findLast(({ event }) => event === "apply");
    expect(applied?.approval).toMatchObject({ tag: "a".repeat(40), approver: "ann@example.com", digest: first });
    expect(stage.events).toContainEqual(expect.objectContaining({ event: "approval-spent", digest: first }));

    drift();
    await stage.pass();
    await stage.pass();
    expect([live(), await stage.state("shop")]).toEqual([500, "waiting: approval"]);
    expect(await digest()).not.toBe(first);
  });

  it("does nothing once what it names has changed, or was gone for a moment", async () => {
    const { stage, drift, live, digest } = await waitingStage();
    const first = await digest();
    await stage.approve("shop");
    drift(501);
    await stage.pass();
    expect(live()).toBe(501);
    const other = await digest();
    expect(other).not.toBe(first);
    drift(500);
    await stage.pass();
    expect(live()).toBe(500);
    expect(new Set([first, other]).has(await digest())).toBe(false);
  });

  it("counts for nothing when it is withdrawn or replaced before it is spent", async () => {
    const { stage, live, digest } = await waitingStage();
    const first = await digest();
    for (const change of ["withdrawn", "replaced"]) {
      await stage.approve("shop");
      let asked = 0;
      stage.onQuestion = () => {
        if ((asked += 1) < 2) return;
        const tag = stage.tags.get(first ?? "");
        stage.tags.clear();
        if (change === "replaced" && tag !== undefined) stage.tags.set(tag.digest, { ...tag, tag: "b".repeat(40) });
      };
      await stage.pass();
      expect(asked).toBe(2);
      expect([live(), await stage.state("shop"), await digest()]).toEqual([500, "waiting: approval", first]);
      expect(stage.service.writes).toEqual([]);
    }
  });

  it("neither lifts a window, a suspension or a pause, nor is it spent while one holds", async () => {
    const { stage, live, digest } = await waitingStage();
    const first = await digest();
    await stage.approve("shop");
    const entry = stage.file.stacks["shop"] ?? {};
    for (const [member, value, state] of [
      ["suspend", { reason: "audit" }, "waiting: suspended"],
      ["windows", ["mon 00:00-00:01 UTC"], "waiting: window"],
      ["pause", true, "waiting: paused"],
    ] as const) {
      const where = member === "pause" ? stage.file : entry;
      where[member] = value;
      await stage.pass();
      expect(await stage.state("shop")).toBe(state);
      expect(await digest()).toBe(first);
      delete where[member];
    }
    expect(live()).toBe(500);
    await stage.pass();
    expect(live()).toBe(503);
  });

  it("covers what is left after a crash, once, though the tag is gone", async () => {
    const { stage, drift, live } = await waitingStage();
    await stage.approve("shop");
    stage.service.trouble = lostWrites;
    await stage.killedPass();
    expect(live()).toBe(500);
    stage.service.trouble = () => null;
    stage.tags.clear();
    await stage.pass();
    expect(live()).toBe(503);
    drift();
    await stage.pass();
    expect(live()).toBe(500);
  });

  it.each([3_600_000, -3_600_000])("covers nothing when the clock has moved by %i ms", async (ms) => {
    const { stage, live, digest } = await waitingStage();
    const first = await digest();
    await stage.approve("shop");
    stage.service.trouble = lostWrites;
    await stage.killedPass();
    stage.service.trouble = () => null;
    stage.clock.shift(ms);
    await stage.pass();
    expect([live(), await stage.state("shop")]).toEqual([500, "waiting: approval"]);
    expect(await digest()).not.toBe(first);
  });

  it("is neither lost nor spent twice when the process is killed, whichever step it was in", async () => {
    const steps = await waitingStage();
    await steps.stage.approve("shop");
    let [requests, writes] = [0, 0];
    steps.stage.service.onRequest = () => void (requests += 1);
    steps.stage.database.onWrite = () => void (writes += 1);
    await steps.stage.pass();
    const kills = [
      ...Array.from({ length: writes }, (_, at) => ({ write: at, request: -1, lost: "before" as const })),
      ...Array.from({ length: requests }, (_, at) => [
        { write: -1, request: at, lost: "before" as const },
        { write: -1, request: at, lost: "after" as const },
      ]).flat(),
    ];
    expect(kills.length).toBeGreaterThan(10);
    for (const kill of part(kills, 0, 3)) {
      const { stage, drift, live } = await waitingStage();
      await stage.approve("shop");
      const hardStop = new AbortController();
      stage.service.trouble = (_, index) => {
        if (index !== kill.request) return hardStop.signal.aborted ? { lost: "before" } : null;
        hardStop.abort();
        return { lost: kill.lost };
      };
      let at = 0;
      stage.database.onWrite = () => {
        if (at++ === kill.write) hardStop.abort();
        if (hardStop.signal.aborted) throw new Error("killed");
      };
      await stage.killedPass({ hardStop: hardStop.signal, stop: hardStop.signal }).catch(() => stage.restart());
      stage.service.trouble = () => null;
      stage.database.onWrite = () => undefined;
      await stage.pass();
      await stage.pass();
      expect([live(), await stage.state("shop")], JSON.stringify(kill)).toEqual([503, "synced"]);
      const { length } = stage.service.writes;
      drift();
      await stage.pass();
      await stage.pass();
      expect([live(), stage.service.writes.length], JSON.stringify(kill)).toEqual([500, length]);
    }
  });
});

describe("what needs an approval", () => {
  it("is named while a secret that it sends is missing, and waits on with another digest", async () => {
    const stage = new Stage();
    const manifests = { "a.yaml": backend("sorry", "Back soon"), "b.yaml": edgeWithSecret };
    const entry = { approvers: "approvers", apply: { commit: "none", drift: "none" }, secrets: "secrets" };
    stage.add("shop", manifests, entry);
    await stage.pass();
    const first = (await stage.status("shop")).digest;
    await stage.approve("shop");
    await stage.pass();
    expect(stage.service.lists().TLSEdge).toEqual([]);
    expect(await stage.state("shop")).toBe("waiting: approval");
    stage.write("secrets/KEY", secretText);
    await stage.pass();
    expect((await stage.status("shop")).digest).not.toBe(first);
    expect(stage.service.lists().TLSEdge).toEqual([]);
    await stage.approve("shop");
    await stage.pass();
    expect(stage.service.lists().TLSEdge).toHaveLength(1);
    expect(await stage.state("shop")).toBe("synced");
    const kept = JSON.stringify([[...(await stage.store.load()).stacks.values()], stage.store.history]);
    expect(kept).not.toContain("C4n4ry");
  });

  it("is named by the same digest after a restart, another commit and renamed files", async () => {
    const { stage, digest } = await waitingStage();
    const first = await digest();
    await stage.restart();
    stage.commit({ "shop/m/a.yaml": null, "shop/m/z/renamed.yaml": backend("sorry", "Back soon"), "README.md": "x" });
    await stage.pass();
    expect(await digest()).toBe(first);
    stage.commit({ "shop/m/z/renamed.yaml": backend("sorry", "Back later") });
    await stage.pass();
    expect(await digest()).not.toBe(first);
  });
});
