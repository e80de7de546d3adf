import { describe, expect, it, onTestFinished, vi } from "vitest";
import { systemClock } from "../../src/api/system-clock.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { relay } from "../support/relay.ts";
import { applied, backend, edge, stage, type Stage } from "./stage.ts";

const config = (stack = "demo", lock = "{settle: 50ms}"): string =>
  `apiVersion: edgewise/v1\nkind: Config\nstack: ${stack}\nmanifests: [edge/]\nlock: ${lock}\n`;

const manifests = backend("down") + edge("api", "api.example.com:443", ", backend: {backend: {name: down}}");

const inTenMinutes = (): string => new Date(Date.now() + 600_000).toISOString();

function leave(on: Stage, stack = "other", until = inTenMinutes()): string {
  const metadata = JSON.stringify({ edgewise: { lock: true, stack, run: "r-1", by: "ann@ci", until } });
  return String(on.behind("POST", "/backends/http_response", { status_code: 503, metadata })["id"]);
}

function locksOf({ sandbox }: Stage): readonly JsonObject[] {
  return sandbox.world().lists.HTTPResponseBackend.filter(({ metadata }) => String(metadata).includes('"lock":true'));
}

describe("apply with the account's lock", () => {
  it("creates the lock before it writes, which says whose it is and until when, and removes it in the end", async () => {
    const on = await stage({ manifests });
    await on.write("edgewise.yaml", config());
    let seen: JsonObject | undefined;
    const github = { GITHUB_SERVER_URL: "https://github.com", GITHUB_REPOSITORY: "a/b", GITHUB_RUN_ID: "7" };
    const env = { ...on.env, ...github, GITHUB_ACTOR: "ann" };
    const { ran } = on.runWith({ env, onStderr: () => (seen ??= locksOf(on)[0]) }, "apply", "-y");
    const { exit, err } = await ran;
    expect(exit, err).toBe(0);
    expect(err).toContain("Taking the account's lock, and waiting 0.1s for lists to settle (twice lock.settle).");
    expect(JSON.parse(String(seen?.["metadata"]))).toEqual({
      edgewise: {
        lock: true,
        stack: "demo",
        run: expect.stringMatching(/^[0-9a-f-]{36}$/u),
        by: "ann, https://github.com/a/b/actions/runs/7",
        until: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/u),
      },
    });
    expect(seen?.["description"]).toContain("edgewise unlock");
    const writes = on.sandbox.requests().log.filter(({ method }) => method !== "GET");
    expect(writes.map(({ method }) => method)).toEqual(["POST", "POST", "POST", "DELETE"]);
    expect(locksOf(on)).toEqual([]);
  });

  it("counts the requests of the lock towards the limit per minute", async () => {
    const on = await stage();
    const limited = `${config()}api: {requestsPerMinute: 20}\n`;
    await on.write("edgewise.yaml", limited);
    await on.write("edge/all.yaml", Array.from({ length: 12 }, (_, at) => backend(`b-${at}`)).join(""));
    const sent: number[] = [];
    let skippedMs = 0;
    const { now, sleep } = systemClock;
    vi.spyOn(systemClock, "now").mockImplementation(() => now() + skippedMs);
    vi.spyOn(systemClock, "sleep").mockImplementation(async (ms, signal) => {
      // Others wait less, or as long as a lock is renewed.
      if (ms < 10_000 || ms > 100_000) return sleep(ms, signal);
      sent.push(on.sandbox.requests().log.length);
      skippedMs += ms;
    });
    onTestFinished(() => void vi.restoreAllMocks());
    const { exit, err } = await on.run("apply", "-y", "--concurrency", "1");
    expect(exit, err).toBe(0);
    expect(sent[0]).toBe(20);
  });

  it("takes no lock for an empty plan, nor for a refused one", async () => {
    const on = await stage();
    await on.write("edgewise.yaml", config());
    await on.write("edge/all.yaml", manifests);
    await on.run("apply", "-y");
    const before = on.writes();
    expect((await on.run("apply", "-y")).exit).toBe(0);
    await on.write("edge/all.yaml", "");
    expect((await on.run("apply", "-y")).exit).toBe(4);
    expect(on.writes()).toBe(before);
  });

  it("waits for another's lock, then finds out what is left", async () => {
    const on = await stage();
    await on.write("edgewise.yaml", config());
    await on.write("edge/all.yaml", manifests);
    const id = leave(on);
    const { ran, io } = on.runWith(
      {
        onStderr: (text) => {
          if (text.includes("Waiting")) on.behind("DELETE", `/backends/http_response/${id}`);
        },
      },
      "apply",
      "-y",
    );
    expect((await ran).exit, io.err()).toBe(0);
    expect(io.err()).toContain(
      `Waiting up to 10 min for the account's lock: ann@ci (stack "other", ${id}) holds it since`,
    );
    expect(locksOf(on)).toEqual([]);
  });

  it("exits 4 with the code locked when the wait is over, and says whose it is", async () => {
    const on = await stage();
    await on.write("edgewise.yaml", config());
    await on.write("edge/all.yaml", manifests);
    const until = inTenMinutes();
    const id = leave(on, "other", until);
    const { exit, out } = await on.run("apply", "-y", "-o", "json", "--lock-timeout", "0s");
    expect(exit).toBe(4);
    expect(JSON.parse(out)).toMatchObject({
      outcome: "refused",
      refusals: [{ code: "locked", message: expect.stringContaining(`ann@ci (stack "other", ${id})`) }],
    });
    expect(out).toContain(`until ${until}`);
    expect(on.writes()).toBe(0);
  });

  it("removes an expired lock and goes on", async () => {
    const on = await stage();
    await on.write("edgewise.yaml", config());
    await on.write("edge/all.yaml", manifests);
    leave(on, "other", new Date(Date.now() - 61_000 - 5000).toISOString());
    const { exit, err } = await on.run("apply", "-y", "--lock-timeout", "0s");
    expect(exit, err).toBe(0);
    expect(locksOf(on)).toEqual([]);
  });

  it("knows by the service's clock that a lock has expired, from its first answer on", async () => {
    const on = await stage();
    await on.write("edgewise.yaml", config());
    await on.write("edge/all.yaml", manifests);
    leave(on, "other", new Date(Date.now() + 3_600_000).toISOString());
    const date = new Date(Date.now() + 2 * 3_600_000).toUTCString();
    const env = { ...on.env, EDGEWISE_BASE_URL: await relay(on.env["EDGEWISE_BASE_URL"] ?? "", { date }) };
    const { exit, err } = await on.runWith({ env }, "apply", "-y", "--lock-timeout", "0s").ran;
    expect(exit, err).toBe(0);
    expect(locksOf(on)).toEqual([]);
  });

  it("also guards destroy and a saved plan", async () => {
    const on = await stage();
    await on.write("edgewise.yaml", config());
    await on.write("edge/all.yaml", manifests);
    await on.run("plan", "--out", "plan.json");
    const id = leave(on);
    const args = ["-y", "--lock-timeout", "0s"];
    expect((await on.run("apply", "plan.json", ...args)).exit).toBe(4);
    on.behind("DELETE", `/backends/http_response/${id}`);
    expect((await on.run("apply", "plan.json", ...args)).exit).toBe(0);
    leave(on);
    expect((await on.run("destroy", "--max-deletes", "100%", ...args)).exit).toBe(4);
    expect((await on.run("apply", "-y", "--only", "TLSEdge/api")).exit).toBe(0);
  });
});

describe("a lock in the account", () => {
  it("is nobody's resource: not unmanaged, exported, pruned, counted or destroyed", async () => {
    const on = await applied(manifests);
    leave(on, "demo");
    const drift = await on.run("drift", "--unmanaged", "-o", "json");
    expect(drift.exit, drift.out).toBe(0);
    expect(JSON.parse(drift.out)).toMatchObject({ findings: [], warnings: [{ code: "account-locked" }] });
    expect((await on.run("export", "--all")).out).not.toContain("ann@ci");
    expect(JSON.parse((await on.run("plan", "-o", "json")).out)).toMatchObject({
      changes: [],
      refusals: [],
      warnings: [{ code: "account-locked", message: expect.stringContaining('ann@ci (stack "demo"') }],
    });
    expect((await on.run("destroy", "-y", "--max-deletes", "100%")).exit).toBe(0);
    expect(locksOf(on)).toHaveLength(1);
    expect(on.sandbox.world().lists.TLSEdge).toEqual([]);
  });

  it("can't be adopted", async () => {
    const on = await stage();
    const id = leave(on);
    await on.write("edge/all.yaml", backend("mine", "status_code: 503", `, id: ${id}`));
    const { refusals } = JSON.parse((await on.run("plan", "-o", "json")).out);
    expect(refusals).toMatchObject([{ code: "id-not-live" }]);
  });
});

describe("unlock", () => {
  it("shows whose the stack's lock is and removes it", async () => {
    const on = await stage();
    const id = leave(on, "demo");
    const { exit, out, err } = await on.run("unlock", "-y");
    expect(exit, err).toBe(0);
    expect(err).toContain(`ann@ci (stack "demo", ${id}) holds it since`);
    expect(out).toBe(`Removed the lock ${id} of stack "demo".\n`);
    expect(err).toContain("Wait half a minute before you apply");
    expect(locksOf(on)).toEqual([]);
  });

  it("asks on a terminal, and is an error without one", async () => {
    const on = await stage();
    leave(on, "demo");
    expect((await on.run("unlock")).exit).toBe(1);
    expect((await on.runWith({ terminal: true, answer: () => "no" }, "unlock").ran).exit).toBe(1);
    expect(locksOf(on)).toHaveLength(1);
    expect((await on.runWith({ terminal: true, answer: () => "yes" }, "unlock").ran).exit).toBe(0);
    expect(locksOf(on)).toEqual([]);
  });

  it("refuses another stack's lock, unless it has expired", async () => {
    const on = await stage();
    leave(on);
    const { exit, err } = await on.run("unlock", "-y");
    expect(exit).toBe(4);
    expect(err).toContain("the lock is another stack's: ann@ci");
    expect(locksOf(on)).toHaveLength(1);
    const gone = await stage();
    leave(gone, "other", "2020-01-01T00:00:00Z");
    const removed = await gone.run("unlock", "-y");
    expect(removed.exit).toBe(0);
    expect(removed.err).not.toContain("Wait half a minute");
    expect(locksOf(gone)).toEqual([]);
  });
});
