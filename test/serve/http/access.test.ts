import { describe, expect, it } from "vitest";
import { EdgewiseError } from "../../../src/core/errors.ts";
import { violations } from "../../schemas/all-schemas.ts";
import { fakeFleet, startFake } from "./fake-view.ts";

const token = "correct-horse-battery-staple";
const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`, "utf8").toString("base64")}`;
const guarded = ["/api/stacks", "/api/stacks/prod/plan", "/", "/nothing"];
const open = ["/healthz", "/readyz", "/metrics"];

describe("with a token", () => {
  it.each([undefined, token, `Bearer ${token}x`, `Digest ${token}`, basic(token, ""), basic("user", `${token}x`)])(
    "refuses Authorization: %s, but for probes and metrics",
    async (authorization) => {
      const { ask } = await startFake(fakeFleet(), { readToken: async () => token });
      const headers = authorization === undefined ? {} : { Authorization: authorization };
      for (const path of guarded) {
        const { status, headers: answered, text } = await ask(path, { headers });
        expect([path, status]).toEqual([path, 401]);
        expect(answered["www-authenticate"]).toBe('Bearer realm="edgewise", Basic realm="edgewise", charset="UTF-8"');
        expect(violations("serve-error", JSON.parse(text))).toEqual([]);
        expect(text).not.toContain(token);
      }
      for (const path of open) expect([path, (await ask(path, { headers })).status]).toEqual([path, 200]);
    },
  );

  it.each([`Bearer ${token}`, `bearer  ${token}`, basic("", token)])(
    "takes Authorization: %s",
    async (Authorization) => {
      const { ask } = await startFake(fakeFleet(), { readToken: async () => token });
      // A name that only a proxy knows is fine: a page that leads here has no token.
      const headers = { Authorization, Host: "edge.example.com" };
      expect((await ask("/api/stacks", { headers })).status).toBe(200);
      expect((await ask("/nothing", { headers })).status).toBe(404);
    },
  );

  it("reads it anew for every request, and lets nobody in while it can't be read or is empty", async () => {
    let now: () => string = () => "first";
    const { ask, problems } = await startFake(fakeFleet(), { readToken: async () => now() });
    const status = async (given: string) =>
      (await ask("/api/stacks", { headers: { Authorization: `Bearer ${given}` } })).status;
    expect(await status("first")).toBe(200);
    now = () => "second";
    expect([await status("first"), await status("second")]).toEqual([401, 200]);
    now = () => "";
    expect([await status(""), await status("first")]).toEqual([401, 401]);
    now = () => {
      throw new EdgewiseError("config", "the file is gone");
    };
    expect([await status("second"), problems.length]).toEqual([503, 1]);
  });
});

describe("without a token", () => {
  it.each(["0.0.0.0", "edge.example.com"])("does not listen on %s", async (host) => {
    await expect(startFake(fakeFleet(), { listen: { host, port: 0 } })).rejects.toMatchObject({
      code: "config",
      message: expect.stringContaining(host),
      remedy: expect.stringContaining("http.token"),
    });
  });

  it("does not start when the token can't be read, or the port is taken", async () => {
    const readToken = async () => await Promise.reject(new EdgewiseError("config", "unreadable"));
    await expect(startFake(fakeFleet(), { readToken })).rejects.toThrow("unreadable");
    const { url } = await startFake(fakeFleet());
    const listen = { host: "127.0.0.1", port: Number(new URL(url).port) };
    await expect(startFake(fakeFleet(), { listen })).rejects.toMatchObject({ code: "io" });
  });

  it("takes the names of the loopback address as Host, and others for probes and metrics alone", async () => {
    const { ask } = await startFake(fakeFleet());
    const status = async (Host: string, path = "/api/stacks") => (await ask(path, { headers: { Host } })).status;
    for (const host of ["localhost", "127.0.0.1", "[::1]", "localhost:7070"])
      expect([host, await status(host)]).toEqual([host, 200]);
    for (const host of ["evil.example", "localhost.evil.example", "127.0.0.1@evil.example", "[::1]evil"]) {
      for (const path of guarded) expect([host, path, await status(host, path)]).toEqual([host, path, 421]);
      for (const path of open) expect([host, path, await status(host, path)]).toEqual([host, path, 200]);
    }
    const { text } = await ask("/", { headers: { Host: "evil.example" } });
    expect(violations("serve-error", JSON.parse(text))).toEqual([]);
    expect(text).not.toContain("evil");
  });
});

describe("probes", () => {
  it("say that the loop turns, and that it stopped", async () => {
    const fleet = fakeFleet();
    const { ask } = await startFake(fleet);
    const good = await ask("/healthz");
    expect([good.status, good.text]).toEqual([200, '{"format":"edgewise.health/v1","ok":true,"problems":[]}\n']);
    fleet.heartbeat = Date.now() - 61_000;
    const bad = await ask("/healthz");
    expect(bad.status).toBe(503);
    expect(JSON.parse(bad.text)).toMatchObject({ ok: false, problems: [expect.stringContaining("loop")] });
    expect(violations("serve-health", JSON.parse(bad.text))).toEqual([]);
    // A clock that was set back is no reason to restart.
    fleet.heartbeat = Date.now() + 3_600_000;
    expect((await ask("/healthz")).status).toBe(200);
  });

  it("say what is not ready, computed at most once a second", async () => {
    const fleet = fakeFleet();
    let now = 0;
    const { ask } = await startFake(fleet, { clock: { now: () => now, sleep: async () => undefined } });
    expect((await ask("/readyz")).status).toBe(200);
    fleet.problems = ["The first look at everything is not done yet."];
    now += 999;
    expect((await ask("/readyz")).status).toBe(200);
    now += 1;
    const { status, text } = await ask("/readyz");
    expect(status).toBe(503);
    expect(JSON.parse(text)).toEqual({ format: "edgewise.health/v1", ok: false, problems: fleet.problems });
  });
});
