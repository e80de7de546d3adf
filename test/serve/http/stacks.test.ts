import { describe, expect, it } from "vitest";
import { EdgewiseError } from "../../../src/core/errors.ts";
import { isObject } from "../../../src/core/json.ts";
import { samplePlan } from "../../report/sample-plan.ts";
import { violations } from "../../schemas/all-schemas.ts";
import { historyEntry } from "../store/support.ts";
import { type FakeFleet, commit, fakeFleet, stackOf, startFake, viewOf } from "./fake-view.ts";

const minute = 60_000;

function parsed(text: string): { readonly [member: string]: unknown } {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw new Error("no object");
  return value;
}

function namesIn(text: string): readonly string[] {
  const { stacks } = JSON.parse(text) as { readonly stacks: readonly { readonly name: string }[] };
  return stacks.map(({ name }) => name);
}

function mixedFleet(): FakeFleet {
  return fakeFleet([
    stackOf("a"),
    stackOf("b", { state: "failed", message: "The service answers 500." }),
    stackOf("many/t1", {
      state: "waiting",
      reason: "approval",
      digest: "ab12",
      impact: "routing",
      changes: { commit: 1, drift: 0, both: 0 },
    }),
    stackOf("many/t2", { state: "waiting", reason: "window", impact: "security" }),
    stackOf("new", { state: "unknown", lookedAt: null, commit: null, appliedCommit: null }),
    stackOf("old", { lookedAt: Date.now() - 31 * minute }, 10 * minute),
    stackOf("r", { state: "refused" }),
    stackOf("z", { state: "pending" }),
    stackOf("zz", { state: "orphaned" }),
  ]);
}

describe("/api/stacks", () => {
  it("shows every member of every stack, the worst first, as its schema says", async () => {
    const { ask } = await startFake(mixedFleet());
    const { status, headers, text } = await ask("/api/stacks");
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    const document = parsed(text);
    expect(violations("serve-stacks", document)).toEqual([]);
    expect(document).toMatchObject({ format: "edgewise.stacks/v1", next: null });
    expect(namesIn(text)).toEqual(["b", "r", "new", "old", "zz", "many/t2", "many/t1", "z", "a"]);
    const [, , fresh, old, , , waiting] = document["stacks"] as readonly unknown[];
    expect(waiting).toEqual({
      name: "many/t1",
      state: "waiting",
      reason: "approval",
      message: "Live is what Git says.",
      since: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      commit,
      appliedCommit: commit,
      ageSeconds: expect.any(Number),
      impact: "routing",
      changes: { commit: 1, drift: 0, both: 0 },
      digest: "ab12",
      nextLook: expect.stringMatching(/Z$/),
      uncomparedSecrets: 0,
      intervalSeconds: 600,
      account: "main",
      source: "edge",
    });
    expect(fresh).toMatchObject({ state: "unknown", ageSeconds: null, commit: null, appliedCommit: null });
    expect(old).toMatchObject({
      state: "unknown",
      reason: null,
      message: expect.stringMatching(/^It is not known .*: synced\. Live is what Git says\.$/),
    });
  });

  it("shows a state that became too old, although nothing was looked at since", async () => {
    let now = Date.now();
    const { ask } = await startFake(fakeFleet([stackOf("a")]), {
      clock: { now: () => now, sleep: async () => undefined },
    });
    expect((await ask("/api/stacks")).text).toContain('"state":"synced"');
    now += 31 * minute;
    const later = parsed((await ask("/api/stacks")).text)["stacks"] as readonly { readonly ageSeconds: number }[];
    expect(later).toMatchObject([{ state: "unknown", message: expect.stringContaining("not known") }]);
    expect(later[0]?.ageSeconds).toBeGreaterThan(1860);
  });

  it("picks states, as they are shown", async () => {
    const { ask } = await startFake(mixedFleet());
    expect(namesIn((await ask("/api/stacks?state=unknown")).text)).toEqual(["new", "old"]);
    expect(namesIn((await ask("/api/stacks?state=synced&state=failed")).text)).toEqual(["b", "a"]);
    expect(namesIn((await ask("/api/stacks?state=synced,failed&limit=")).text)).toEqual(["b", "a"]);
  });

  it.each(["state=broken", "limit=0", "limit=1000000", "limit=1&limit=2", "sort=name", "after=none"])(
    "refuses ?%s",
    async (query) => {
      const { ask } = await startFake(mixedFleet());
      const { status, text } = await ask(`/api/stacks?${query}`);
      expect(status).toBe(400);
      expect(violations("serve-error", parsed(text))).toEqual([]);
      expect(parsed(text)).toMatchObject({ format: "edgewise.error/v1", status: 400 });
    },
  );

  it("gives pages that follow each other, by what next says or by a name", async () => {
    const { ask } = await startFake(mixedFleet());
    const all = namesIn((await ask("/api/stacks")).text);
    const byCursor: string[] = [];
    for (let after: string | null = ""; after !== null;) {
      const { text } = await ask(`/api/stacks?limit=2&after=${encodeURIComponent(after)}`);
      byCursor.push(...namesIn(text));
      const next = parsed(text)["next"];
      after = typeof next === "string" ? next : null;
    }
    expect(byCursor).toEqual(all);
    expect(namesIn((await ask("/api/stacks?limit=2&after=many%2Ft2")).text)).toEqual(["many/t1", "z"]);
  });
});

describe("/api/stacks/NAME", () => {
  it("shows one stack; its name is one percent-encoded segment", async () => {
    const { ask } = await startFake(mixedFleet());
    const { status, text } = await ask("/api/stacks/many%2Ft1");
    expect(status).toBe(200);
    expect(violations("serve-stack", parsed(text))).toEqual([]);
    expect(parsed(text)).toMatchObject({
      format: "edgewise.stack/v1",
      name: "many/t1",
      state: "waiting",
      digest: "ab12",
    });
  });

  it("knows only the names of the fleet, however they are written", async () => {
    const fleet = mixedFleet();
    const { ask } = await startFake(fleet);
    const strange = ["many/t1", "..%2fa", "../stacks/a", "many%252Ft1", "a%00", "a/", "", "A", "__proto__", "a/plan/x"];
    for (const name of strange) {
      const { status, text } = await ask(`/api/stacks/${name}`);
      expect([name, status]).toEqual([name, 404]);
      expect(violations("serve-error", parsed(text))).toEqual([]);
    }
    expect((await ask("/api/stacks/..%2f..%2fetc%2fpasswd/plan")).status).toBe(404);
    expect((await ask("/api/stacks/%ff")).status).toBe(400);
    expect(fleet.asked).toEqual([]);
  });

  it("gives the plan of the last look, or says that there is none", async () => {
    const fleet = mixedFleet();
    const plan = samplePlan();
    fleet.plans.set("many/t1", plan);
    const { ask } = await startFake(fleet);
    const { status, text } = await ask("/api/stacks/many%2Ft1/plan");
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual(plan);
    expect((await ask("/api/stacks/a/plan")).status).toBe(404);
  });

  it("gives the history page by page", async () => {
    const fleet = mixedFleet();
    fleet.entries.set(
      "a",
      Array.from({ length: 250 }, (_, index) => historyEntry("a", index)),
    );
    const { ask } = await startFake(fleet);
    const first = parsed((await ask("/api/stacks/a/history")).text);
    expect(violations("serve-history", first)).toEqual([]);
    expect(first).toMatchObject({ format: "edgewise.history/v1", stack: "a", next: "100" });
    const last = parsed((await ask("/api/stacks/a/history?limit=60&after=200")).text);
    expect([(last["entries"] as readonly unknown[]).length, last["next"]]).toEqual([50, null]);
    expect((await ask("/api/stacks/a/history?limit=1001")).status).toBe(400);
    expect((await ask("/api/stacks/a/history?state=failed")).status).toBe(400);
    expect((await ask("/api/stacks/z/history")).text).toContain('"entries":[]');
  });

  it("says that the state can't be read, and tells the log why", async () => {
    const fleet = mixedFleet();
    const failing = (error: Error) => ({
      ...viewOf(fleet),
      plan: async () => {
        throw error;
      },
    });
    const lost = await startFake(fleet, { view: failing(new EdgewiseError("io", "/secret/path is gone")) });
    const { status, text } = await lost.ask("/api/stacks/a/plan");
    expect([status, text.includes("/secret/path"), lost.problems.length]).toEqual([503, false, 1]);
    const broken = await startFake(fleet, { view: failing(new TypeError("bug at /secret/path")) });
    const answer = await broken.ask("/api/stacks/a/plan");
    expect([answer.status, answer.text.includes("/secret/path"), broken.problems.length]).toEqual([500, false, 1]);
    expect(violations("serve-error", parsed(answer.text))).toEqual([]);
  });
});

describe("every answer", () => {
  it.each(["/api/stacks", "/api/stacks/a/plan", "/metrics", "/readyz", "/nothing"])(
    "%s tells browsers to do nothing with it, HEAD is GET without a body, and no other method is taken",
    async (path) => {
      const { ask } = await startFake(mixedFleet());
      const got = await ask(path);
      expect(got.headers).toMatchObject({
        "cache-control": "no-store",
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
      });
      expect(Object.keys(got.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
      const { status, text, headers } = await ask(path, { method: "HEAD" });
      expect([status, text, headers["content-type"]]).toEqual([got.status, "", got.headers["content-type"]]);
      if (path === "/nothing") return;
      const posted = await ask(path, { method: "POST" });
      expect([posted.status, posted.headers.allow]).toEqual([405, "GET, HEAD"]);
    },
  );

  it("shows nothing of a request", async () => {
    const { ask } = await startFake(fakeFleet([stackOf("a", {})]));
    const probe = "<script>alert(1)</script>";
    for (const path of [`/${probe}`, `/api/stacks/${encodeURIComponent(probe)}`, `/api/stacks?${probe}`]) {
      const { text, headers } = await ask(path);
      expect(text).not.toContain("script");
      expect(JSON.stringify(headers)).not.toContain("script");
    }
  });
});
