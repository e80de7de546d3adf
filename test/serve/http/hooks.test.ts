import { describe, expect, it } from "vitest";
import { violations } from "../../schemas/all-schemas.ts";
import { type FakeFleet, fakeFleet, signatureOf, startFake } from "./fake-view.ts";

const secret = "it's a secret to everybody";
const secrets = new Map([
  ["edge", secret],
  ["a/b", "other"],
  ["empty", ""],
]);
const body = '{"ref":"refs/heads/main"}';

async function startHooks(fleet: FakeFleet = fakeFleet()) {
  const started = await startFake(fleet, {
    readHookSecret: async (source) => {
      if (source === "broken") throw new Error("unreadable");
      return secrets.get(source) ?? null;
    },
  });
  const post = async (source: string, headers: { readonly [name: string]: string }, sent: string | Uint8Array = body) =>
    await started.ask(`/hooks/${source}`, { method: "POST", headers, body: sent });
  return { ...started, post };
}

describe("POST /hooks/SOURCE", () => {
  it("takes GitHub's signature of the raw body, whatever it is, and GitLab's token", async () => {
    for (const sent of ["", Buffer.from([0xff, 0x00, 0xfe]), "x".repeat(1024 * 1024)]) {
      const fleet = fakeFleet();
      const { post } = await startHooks(fleet);
      const headers = { "X-Hub-Signature-256": signatureOf(sent, secret), Host: "edge.example.com" };
      const { status, text } = await post("edge", headers, sent);
      expect([status, text, fleet.hastened]).toEqual([202, "", ["edge"]]);
    }
    const fleet = fakeFleet();
    const { post } = await startHooks(fleet);
    expect((await post("a%2Fb", { "X-Gitlab-Token": "other" })).status).toBe(202);
    expect(fleet.hastened).toEqual(["a/b"]);
  });

  it.each<[string, { readonly [name: string]: string }]>([
    ["nothing", {}],
    ["another secret's signature", { "X-Hub-Signature-256": signatureOf(body, "other") }],
    ["another body's signature", { "X-Hub-Signature-256": signatureOf(`${body} `, secret) }],
    ["another token", { "X-Gitlab-Token": `${secret}x` }],
    ["a false signature beside the right token", { "X-Hub-Signature-256": "sha256=00", "X-Gitlab-Token": secret }],
    ["the token of the pages", { Authorization: `Bearer ${secret}` }],
  ])("refuses %s", async (_, headers) => {
    const fleet = fakeFleet();
    const { post } = await startHooks(fleet);
    const { status, text } = await post("edge", headers);
    expect([status, fleet.hastened]).toEqual([403, []]);
    expect(violations("serve-error", JSON.parse(text))).toEqual([]);
    expect(text).not.toContain(secret);
  });

  it("is not there for sources without a secret, and one that is empty or unreadable lets nobody in", async () => {
    const fleet = fakeFleet();
    const { ask, post, problems } = await startHooks(fleet);
    for (const source of ["none", "..%2fedge", "constructor", "edge%00"])
      expect([source, (await post(source, { "X-Gitlab-Token": secret })).status]).toEqual([source, 404]);
    expect((await post("empty", { "X-Hub-Signature-256": signatureOf(body, "") })).status).toBe(403);
    expect((await post("broken", {})).status).toBe(503);
    const { status, headers } = await ask("/hooks/edge", { headers: { "X-Gitlab-Token": secret } });
    expect([status, headers.allow, fleet.hastened, problems.length]).toEqual([405, "POST", [], 1]);
  });

  it.each([
    ["with its length", {}],
    ["in chunks", { "Transfer-Encoding": "chunked" }],
  ])("refuses a body of more than a mebibyte, sent %s", async (_, more) => {
    const fleet = fakeFleet();
    const { post } = await startHooks(fleet);
    const large = "x".repeat(1024 * 1024 + 1);
    const { status, text } = await post("edge", { "X-Hub-Signature-256": signatureOf(large, secret), ...more }, large);
    expect([status, fleet.hastened]).toEqual([413, []]);
    expect(violations("serve-error", JSON.parse(text))).toEqual([]);
  });
});
