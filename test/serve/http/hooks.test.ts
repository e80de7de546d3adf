import { describe, expect, it } from "vitest";
import type { Clock } from "../../../src/api/client.ts";
import { violations } from "../../schemas/all-schemas.ts";
import { type FakeFleet, fakeFleet, signatureOf, startFake } from "./fake-view.ts";

const secret = "it's a secret to everybody";
const secrets = new Map([
  ["edge", secret],
  ["a/b", "other"],
  ["empty", ""],
]);

/** Time that passes when it is told to. */
function handClock() {
  const waiting = new Set<{ at: number; done: () => void }>();
  let now = 0;
  const clock: Clock = {
    now: () => now,
    sleep: async (ms, signal) => {
      await new Promise<void>((resolve) => {
        const entry = { at: now + ms, done: resolve };
        waiting.add(entry);
        signal?.addEventListener("abort", () => resolve());
      });
    },
  };
  const pass = async (ms: number) => {
    now += ms;
    for (const entry of waiting) {
      if (entry.at > now) continue;
      waiting.delete(entry);
      entry.done();
    }
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  };
  return { clock, pass };
}

async function startHooks(fleet: FakeFleet = fakeFleet(), clock: Clock = handClock().clock) {
  return await startFake(fleet, {
    clock,
    readHookSecret: async (source) => {
      if (source === "broken") throw new Error("unreadable");
      return secrets.get(source) ?? null;
    },
  });
}

describe("POST /hooks/SOURCE", () => {
  const body = '{"ref":"refs/heads/main"}';

  it("takes GitHub's signature of the raw body, whatever the body is", async () => {
    for (const sent of [body, "", Buffer.from([0xff, 0x00, 0xfe]), "x".repeat(1024 * 1024)]) {
      const fleet = fakeFleet();
      const { ask } = await startHooks(fleet);
      const headers = { "X-Hub-Signature-256": signatureOf(sent, secret), Host: "edge.example.com" };
      const { status, text } = await ask("/hooks/edge", { method: "POST", headers, body: sent });
      expect([status, text, fleet.hastened]).toEqual([202, "", ["edge"]]);
    }
  });

  it("takes GitLab's token, and names of sources with a slash", async () => {
    const fleet = fakeFleet();
    const { ask } = await startHooks(fleet);
    const headers = { "X-Gitlab-Token": "other" };
    expect((await ask("/hooks/a%2Fb", { method: "POST", headers, body })).status).toBe(202);
    expect(fleet.hastened).toEqual(["a/b"]);
  });

  it.each<[string, { readonly [name: string]: string }]>([
    ["nothing", {}],
    ["another secret's signature", { "X-Hub-Signature-256": signatureOf(body, "other") }],
    ["another body's signature", { "X-Hub-Signature-256": signatureOf(`${body} `, secret) }],

    ["a signature without its algorithm", { "X-Hub-Signature-256": signatureOf(body, secret).slice(7) }],

    ["another token", { "X-Gitlab-Token": `${secret}x` }],

    ["an empty token", { "X-Gitlab-Token": "" }],
    ["a false signature beside the right token", { "X-Hub-Signature-256": "sha256=00", "X-Gitlab-Token": secret }],
    ["the token of the pages", { Authorization: `Bearer ${secret}` }],
  ])("refuses %s", async (_, headers) => {
    const fleet = fakeFleet();
    const { ask } = await startHooks(fleet);
    const { status, text } = await ask("/hooks/edge", { method: "POST", headers, body });
    expect([status, fleet.hastened]).toEqual([403, []]);
    expect(violations("serve-error", JSON.parse(text))).toEqual([]);
    expect(text).not.toContain(secret);
  });

  it("is not there for sources without a secret, and one that is empty or unreadable lets nobody in", async () => {
    const fleet = fakeFleet();
    const { ask, problems } = await startHooks(fleet);
    for (const source of ["none", "", "edge/x", "..%2fedge", "EDGE", "constructor", "edge%00"]) {
      const headers = { "X-Gitlab-Token": secret };
      const { status } = await ask(`/hooks/${source}`, { method: "POST", headers, body });
      expect([source, status]).toEqual([source, 404]);
    }
    const headers = { "X-Hub-Signature-256": signatureOf(body, "") };
    expect((await ask("/hooks/empty", { method: "POST", headers, body })).status).toBe(403);
    expect((await ask("/hooks/broken", { method: "POST", headers, body })).status).toBe(503);
    expect([fleet.hastened, problems.length]).toEqual([[], 1]);
  });

  it.each(["GET", "HEAD", "PUT", "DELETE"])("takes no %s", async (method) => {
    const fleet = fakeFleet();
    const { ask } = await startHooks(fleet);
    const { status, headers } = await ask("/hooks/edge", { method, headers: { "X-Gitlab-Token": secret } });
    expect([status, headers.allow, fleet.hastened]).toEqual([405, "POST", []]);
  });

  it.each([
    ["with its length", {}],
    ["in chunks", { "Transfer-Encoding": "chunked" }],
  ])("refuses a body of more than a mebibyte, sent %s", async (_, more) => {
    const fleet = fakeFleet();
    const { ask } = await startHooks(fleet);
    const large = "x".repeat(1024 * 1024 + 1);
    const headers = { "X-Hub-Signature-256": signatureOf(large, secret), ...more };
    const { status, text } = await ask("/hooks/edge", { method: "POST", headers, body: large });
    expect([status, fleet.hastened]).toEqual([413, []]);
    expect(violations("serve-error", JSON.parse(text))).toEqual([]);
  });

  it("fetches at most once in ten seconds, and loses nothing that comes meanwhile", async () => {
    const fleet = fakeFleet();
    const { clock, pass } = handClock();
    const { ask } = await startHooks(fleet, clock);
    const headers = { "X-Gitlab-Token": secret };
    for (let time = 0; time < 5; time += 1) {
      expect((await ask("/hooks/edge", { method: "POST", headers, body })).status).toBe(202);
    }
    expect(fleet.hastened).toEqual(["edge"]);
    await pass(9999);
    expect(fleet.hastened).toEqual(["edge"]);
    await pass(1);
    expect(fleet.hastened).toEqual(["edge", "edge"]);
    await pass(60_000);
    expect(fleet.hastened).toEqual(["edge", "edge"]);
  });
});
