import { describe, expect, it } from "vitest";
import type { PassApprovals } from "../../../src/serve/account/account-pass.ts";
import type { Approval } from "../../../src/serve/records.ts";
import type { ApprovalQuestion } from "../../../src/serve/sources/approval-reader.ts";
import { accountPasses } from "../../../src/serve/account/pass-account.ts";
import { Stage, backend, edgeWithSecret } from "./support/stage.ts";
import { part } from "../../support/runs.ts";
import { windowsOf } from "../support/windows-of.ts";

/** The tags of a source: whoever asks for a digest gets those that were pushed for it. */
class Tags {
  readonly pushed = new Map<string, Approval>();
  readonly asked: ApprovalQuestion[] = [];
  /** Called before each answer. */
  onAsk: (times: number) => void = () => undefined;
  #drawn = 0;

  readonly approvals: PassApprovals = {
    draw: () => (this.#drawn += 1).toString(16).padStart(64, "0"),
    find: async (_, question) => {
      this.asked.push(question);
      this.onAsk(this.asked.length);
      const tag = this.pushed.get(question.digest);
      return { approvals: tag === undefined ? [] : [tag], problems: [] };
    },
  };

  push(digest: string | null, tag = "a".repeat(40)): void {
    if (digest === null) throw new Error("nothing waits");
    this.pushed.set(digest, { tag, digest, approver: "ann@example.com", message: "why not" });
  }
}

/** A stack whose change of routing waits for an approval: whatever is changed by hand does. */
async function waitingStage() {
  const stage = new Stage();
  const tags = new Tags();
  stage.add("shop", { "a.yaml": backend("sorry", "Back soon") }, { policy: { approvers: "/approvers" } });
  const deps = { approvals: tags.approvals };
  const pass = () => stage.pass({ deps });
  await pass();
  const drift = (status = 500) => {
    const [live] = stage.service.lists().HTTPResponseBackend;
    stage.service.byHand("PATCH", `/backends/http_response/${String(live?.["id"])}`, { status_code: status });
  };
  const live = () => stage.service.lists().HTTPResponseBackend[0]?.["status_code"];
  const status = async () => (await stage.recordOf("shop")).status;
  const approval = async () => (await stage.recordOf("shop")).memory.approval;
  drift();
  await pass();
  stage.service.requests.length = 0;
  return { stage, tags, pass, drift, live, status, approval, deps };
}

describe("an approval", () => {
  it("lets exactly what it names be applied, and is in the history", async () => {
    const { stage, tags, pass, live, status, approval } = await waitingStage();
    const { digest } = await status();
    expect(await stage.stateOf("shop")).toBe("waiting: approval");
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    await pass();
    expect((await status()).digest).toBe(digest);
    expect(tags.asked[0]).toMatchObject({ stack: "shop", digest, approvers: "/approvers", directory: "shop" });
    expect(stage.service.writes).toEqual([]);

    tags.push(digest);
    await pass();
    expect(await stage.stateOf("shop")).toBe("synced");
    expect(live()).toBe(503);
    expect((await status()).digest).toBe(null);
    const applied = stage.store.history.findLast(({ event }) => event === "apply");
    expect(applied?.approval).toMatchObject({ tag: "a".repeat(40), approver: "ann@example.com", digest });
    expect(stage.events).toContainEqual(expect.objectContaining({ event: "approval-spent", digest }));
    expect(await approval()).toMatchObject({ waiting: null, spending: [], spent: [{ digest }] });
  });

  it("is not spent on the same effect when it comes back", async () => {
    const { stage, tags, pass, drift, live, status } = await waitingStage();
    const { digest } = await status();
    tags.push(digest);
    await pass();
    drift();
    await pass();
    await pass();
    expect(live()).toBe(500);
    expect(await stage.stateOf("shop")).toBe("waiting: approval");
    expect((await status()).digest).not.toBe(digest);
  });

  it("does nothing once what it names has changed, or was gone for a moment", async () => {
    const { tags, pass, drift, live, status } = await waitingStage();
    const { digest } = await status();
    tags.push(digest);
    drift(501);
    await pass();
    expect(live()).toBe(501);
    const other = (await status()).digest;
    expect(other).not.toBe(digest);
    drift(500);
    await pass();
    expect(live()).toBe(500);
    expect(new Set([digest, other]).has((await status()).digest)).toBe(false);
  });

  it("counts for nothing when it is withdrawn or replaced before it is spent", async () => {
    const { stage, tags, pass, live, status } = await waitingStage();
    const { digest } = await status();
    for (const change of [() => tags.pushed.clear(), () => tags.push(digest, "b".repeat(40))]) {
      tags.push(digest);
      let asked = 0;
      tags.onAsk = () => {
        if ((asked += 1) === 2) change();
      };
      await pass();
      expect(asked).toBe(2);
      expect(live()).toBe(500);
      expect(stage.service.writes).toEqual([]);
      expect(await stage.stateOf("shop")).toBe("waiting: approval");
    }
    expect((await status()).digest).toBe(digest);
  });

  it("neither lifts a window, a suspension or a pause, nor is it spent while one holds", async () => {
    const { stage, tags, status, live, deps } = await waitingStage();
    const { digest } = await status();
    tags.push(digest);
    const [own] = stage.stacks;
    if (own === undefined) throw new Error("no stack");
    for (const [policy, paused, state] of [
      [{ suspend: { until: null, reason: "audit" } }, false, "waiting: suspended"],
      [{ windows: windowsOf("mon 00:00-00:01 UTC") }, false, "waiting: window"],
      [{}, true, "waiting: paused"],
    ] as const) {
      stage.stacks[0] = { ...own, policy: { approvers: "/approvers", ...policy } };
      await stage.pass({ deps: { ...deps, paused } });
      expect(await stage.stateOf("shop")).toBe(state);
      expect((await status()).digest).toBe(digest);
    }
    expect(live()).toBe(500);
    stage.stacks[0] = own;
    await stage.pass({ deps });
    expect(live()).toBe(503);
  });

  it("is remembered before the first write, and covers what is left after a crash, once", async () => {
    const { stage, tags, pass, drift, live, status, deps, approval } = await waitingStage();
    const { digest } = await status();
    tags.push(digest);
    const remembered: Promise<unknown>[] = [];
    stage.service.onRequest = ({ method }) => {
      if (method !== "GET") remembered.push(approval().then((kept) => kept?.spending));
    };
    // The service does nothing, and the process is killed.
    stage.service.trouble = ({ method }) => (method === "GET" ? null : { lost: "before" });
    await stage.unsaved({ deps });
    expect(await remembered[0]).toMatchObject([{ digest, tag: "a".repeat(40) }]);
    expect(live()).toBe(500);
    stage.service.trouble = () => null;
    tags.pushed.clear();
    await pass();
    expect(live()).toBe(503);
    expect(await approval()).toMatchObject({ spending: [], spent: [{ digest }] });
    drift();
    await pass();
    expect(live()).toBe(500);
  });

  it("is neither lost nor spent twice when the process is killed, whichever step it was in", async () => {
    const steps = await waitingStage();
    steps.tags.push((await steps.status()).digest);
    let [requests, writes] = [0, 0];
    steps.stage.service.onRequest = () => void (requests += 1);
    steps.stage.store.onWrite = () => void (writes += 1);
    await steps.pass();
    const kills = [
      ...Array.from({ length: writes }, (_, at) => ({ write: at, request: -1, lost: "before" as const })),
      ...Array.from({ length: requests }, (_, at) => [
        { write: -1, request: at, lost: "before" as const },
        { write: -1, request: at, lost: "after" as const },
      ]).flat(),
    ];
    expect(kills.length).toBeGreaterThan(10);
    for (const { lost, request, write } of part(kills, 0, 2)) {
      const { stage, tags, pass, drift, live, status, deps } = await waitingStage();
      tags.push((await status()).digest);
      const hardStop = new AbortController();
      const begun = stage.service.requests.length;
      stage.service.trouble = (_, index) => {
        if (index - begun !== request) return hardStop.signal.aborted ? { lost: "before" } : null;
        hardStop.abort();
        return { lost };
      };
      let at = 0;
      stage.store.onWrite = () => {
        if (hardStop.signal.aborted) throw new Error("killed");
        if (at++ !== write) return;
        hardStop.abort();
        throw new Error("killed");
      };
      await stage.unsaved({ deps: { ...deps, hardStop: hardStop.signal, stop: hardStop.signal } }).catch(() => null);
      const made = () => stage.service.writes.filter((one) => one.startsWith("PATCH")).length;
      stage.service.trouble = () => null;
      stage.store.onWrite = () => undefined;
      await pass();
      await pass();
      expect([live(), await stage.stateOf("shop")], JSON.stringify({ request, write, lost })).toEqual([503, "synced"]);
      const before = made();
      drift();
      await pass();
      await pass();
      expect([live(), made()], JSON.stringify({ request, write, lost })).toEqual([500, before]);
    }
  });

  it("covers nothing after an hour, or when somebody sets the clock back", async () => {
    for (const ms of [3_600_000, -3_600_000]) {
      const { stage, tags, pass, live, status, deps } = await waitingStage();
      const { digest } = await status();
      tags.push(digest);
      stage.service.trouble = ({ method }) => (method === "GET" ? null : { lost: "before" });
      await stage.unsaved({ deps });
      stage.service.trouble = () => null;
      stage.clock.shift(ms);
      await pass();
      expect(live()).toBe(500);
      expect(await stage.stateOf("shop")).toBe("waiting: approval");
      expect((await status()).digest).not.toBe(digest);
    }
  });
});

describe("what needs an approval", () => {
  it("is named while a secret that it sends is missing, and waits on with another digest", async () => {
    const tags = new Tags();
    const stage = new Stage();
    const policy = { approvers: "/approvers", apply: { commit: "none", drift: "none" } } as const;
    stage.add("shop", { "a.yaml": backend("sorry", "Back soon"), "b.yaml": edgeWithSecret }, { policy });
    const deps = { approvals: tags.approvals };
    const digest = async () => (await stage.recordOf("shop")).status.digest;
    await stage.pass({ deps });
    const first = await digest();
    tags.push(first);
    await stage.pass({ deps });
    expect(stage.service.lists().TLSEdge).toEqual([]);
    expect(await stage.stateOf("shop")).toBe("waiting: approval");
    const [own] = stage.stacks;
    if (own === undefined) throw new Error("no stack");
    stage.stacks[0] = { ...own, secrets: "/run/secrets/shop" };
    await stage.pass({ deps });
    const second = await digest();
    expect(second).not.toBe(first);
    expect(stage.service.lists().TLSEdge).toEqual([]);
    tags.push(second);
    await stage.pass({ deps });
    expect(stage.service.lists().TLSEdge).toHaveLength(1);
    expect(await stage.stateOf("shop")).toBe("synced");
    const kept = JSON.stringify([[...(await stage.store.load()).stacks.values()], stage.store.history]);
    expect(kept).not.toContain("C4n4ry");
  });

  it("is named by the same digest after a restart, another commit and renamed files", async () => {
    const { stage, pass, status } = await waitingStage();
    const { digest } = await status();
    stage.passAccount = accountPasses(stage.parts);
    stage.commit({ "shop/m/a.yaml": null, "shop/m/z/renamed.yaml": backend("sorry", "Back soon"), "README.md": "x" });
    await pass();
    expect((await status()).digest).toBe(digest);
    stage.commit({ "shop/m/z/renamed.yaml": backend("sorry", "Back later") });
    await pass();
    expect((await status()).digest).not.toBe(digest);
  });
});
