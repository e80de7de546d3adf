import { describe, expect, it } from "vitest";
import { Troubles } from "../../../src/serve/serve-events.ts";
import { change, planOf } from "../../report/sample-plan.ts";
import { fakeFleet, stackOf, startFake } from "./fake-view.ts";
import { digest, fleetForPages } from "./pages-fleet.ts";

function namesOn(html: string): readonly string[] {
  return [...html.matchAll(/<a class="name" href="stacks\/([^"]*)"/g)].map(([, name = ""]) => decodeURIComponent(name));
}

describe("the page of the fleet", () => {
  it("shows every stack, the worst first, with its state, age, commit and impact", async () => {
    const { ask } = await startFake(fleetForPages());
    const { status, headers, text } = await ask("/");
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    const order = ["tenants/acme", "tenants/initech", "old", "gone", "prod", "tenants/globex", "preview", "staging"];
    expect(namesOn(text)).toEqual(order);
    for (const shown of ["waiting: approval", "31 min ago", "0123456789ab", "security", "3 changes"])
      expect(text).toContain(shown);
    expect(text).toContain('<a href="?state=waiting"><b>2</b>waiting</a>');
  });

  it("says what goes on that no stack's state says, for how long, and counts it for Prometheus", async () => {
    const fleet = fleetForPages();
    const now = Date.now();
    let at = now - 120_000;
    const troubles = new Troubles(() => at);
    const silent = { event: "request", account: "main", status: 0 } as const;
    expect(troubles.onEvent(silent)).toEqual({ event: "service-silent", account: "main" });
    at = now;
    expect(troubles.onEvent(silent)).toBeNull();
    troubles.onEvent({ event: "fleet-refused", fleet: "/f.yaml", message: "f.yaml:3:1: there is no source x" });
    troubles.onEvent({ event: "store-failed", message: "the database is gone" });
    troubles.onEvent({ event: "notify-failed", receiver: "/run/hook", message: "it answers 500" });
    fleet.troubles = [...troubles.list()];
    const { ask } = await startFake(fleet);
    const { text } = await ask("/");
    for (const said of [
      "For 2 min: account main",
      "there is no source x",
      "the database is gone",
      "/run/hook can&#39;t",
    ])
      expect(text).toContain(said);
    const { text: metrics } = await ask("/metrics");
    for (const kind of ["fleet", "store", "notify", "service"])
      expect(metrics).toContain(`edgewise_troubles{kind="${kind}"} 1`);
    troubles.onEvent({ ...silent, status: 200 });
    troubles.onEvent({ event: "fleet-loaded", fleet: "/f.yaml", stacks: 1 });
    troubles.onEvent({ event: "store-recovered" });
    troubles.onEvent({ event: "notify-recovered", receiver: "/run/hook" });
    expect(troubles.list()).toEqual([]);
  });

  it("filters and searches without a script, and says so when nothing is found", async () => {
    const { ask } = await startFake(fleetForPages());
    expect(namesOn((await ask("/?state=waiting&state=failed")).text)).toEqual([
      "tenants/acme",
      "prod",
      "tenants/globex",
    ]);
    expect(namesOn((await ask("/?state=&q=TENANTS")).text)).toEqual([
      "tenants/acme",
      "tenants/initech",
      "tenants/globex",
    ]);
    expect(namesOn((await ask("/?q=0123456&state=synced")).text)).toEqual(["staging"]);
    expect((await ask("/?q=nothing-like-this")).text).toContain("No stack is like this.");
    const { status, text } = await ask("/?state=broken");
    expect(status).toBe(400);
    expect(text).toContain("An unknown state");
  });

  it("tells of brakes and of sources that are not followed", async () => {
    const fleet = fleetForPages();
    const problem = { code: "unreachable", message: "the connection was refused", since: 1 } as const;
    fleet.sources = [{ name: "edge", followed: null, tip: null, fetchedAt: null, problem }];
    const { ask } = await startFake(fleet);
    expect((await ask("/")).text).toContain("Source edge is not followed (unreachable): the connection was refused");
  });
});

describe("the page of a stack", () => {
  it("shows its state and what to do, its plan as the report does, its history, and how it is approved", async () => {
    const { ask, url } = await startFake(fleetForPages());
    const { status, text } = await ask("/stacks/prod", { headers: { Host: new URL(url).host } });
    expect(status).toBe(200);
    expect(text).toContain("read its plan and approve it with a signed tag");
    expect(text).toContain('<section id="plan" class="plan"');
    expect(text).toContain("<h2>Plan for edge-prod</h2>");
    expect(text).toContain("apply: applied");
    expect(text).toContain(`edgewise approve prod --server ${url}`);
    expect(text).toContain(`git -c gpg.format=ssh tag -s edgewise/approve/prod/${digest}/YOU -m &quot;why&quot;`);
    expect(text).toContain(`git push origin refs/tags/edgewise/approve/prod/${digest}/YOU`);
  });

  it("asks for https behind a proxy that says so, and never repeats a header that is no address", async () => {
    const { ask } = await startFake(fleetForPages(), { readToken: async () => "token" });
    const Authorization = "Bearer token";
    const page = async (headers: { readonly [name: string]: string }) =>
      (await ask("/stacks/prod", { headers: { Authorization, ...headers } })).text;
    expect(await page({ Host: "edgewise.example.com", "X-Forwarded-Proto": "https" })).toContain(
      "--server https://edgewise.example.com",
    );
    expect(await page({ Host: "x;rm -rf /" })).not.toContain("rm -rf");
  });

  it("gives no command that can't work", async () => {
    const stack = { ...stackOf("a", { state: "waiting", reason: "approval" }), approvable: false };
    const { ask } = await startFake(fakeFleet([stack, stackOf("b", { state: "waiting", reason: "window" })]));
    const closed = (await ask("/stacks/a")).text;
    expect(closed).toContain("Nobody can approve here");
    expect(closed).not.toContain("git tag");
    expect((await ask("/stacks/b")).text).not.toContain("<h2>Approve</h2>");
  });

  it("quotes what a shell would take for its own", async () => {
    const name = "a$(id)'b";
    const waiting = stackOf(name, { state: "waiting", reason: "approval", digest });
    const { ask } = await startFake(fakeFleet([waiting]));
    const { text } = await ask(`/stacks/${encodeURIComponent(name)}`);
    expect(text).toContain("edgewise approve &#39;a$(id)&#39;\\&#39;&#39;b&#39; --server");
  });

  it("draws no more of a huge plan than a page can hold", async () => {
    const fleet = fleetForPages();
    const changes = Array.from({ length: 5000 }, (_, at) => change(`TLSEdge/e${at}`, "create", []));
    fleet.plans.set("prod", planOf(changes));
    const { ask } = await startFake(fleet);
    const { text } = await ask("/stacks/prod");
    expect(text).toContain("This plan is large: it has 5000 changes");
    expect(text.match(/class="name mono"/g)).toHaveLength(500);
  });
});

describe("pages and those who must not", () => {
  it("allow nothing from elsewhere, and no frame", async () => {
    const { ask } = await startFake(fleetForPages());
    for (const path of ["/", "/stacks/prod", "/stacks/nobody"]) {
      const { headers, text } = await ask(path);
      const policy = String(headers["content-security-policy"]);
      expect(policy).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; base-uri 'none'/,
      );
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain("unsafe");
      expect(headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
      expect(text.replace(/<pre[\s\S]*?<\/pre>/g, "")).not.toMatch(/(?:src|href|action)="?(?:https?:)?\/\//);
      expect(text).not.toMatch(/ style="| on[a-z]+="/);
    }
  });

  it("escape every text that comes from elsewhere", async () => {
    const evil = `"><script>alert(1)</script><img src=x onerror=alert(1)>'\u202e`;
    const name = "x\"><script>alert(1)<'";
    const fleet = fakeFleet([
      stackOf(name, {
        state: "waiting",
        reason: "approval",
        message: evil,
        commit: evil,
        appliedCommit: evil,
        digest: evil,
      }),
    ]);
    fleet.plans.set(name, planOf([change(`TLSEdge/${evil}`, "create", [])]));
    const entry = { at: evil, stack: name, commit: evil, event: evil, outcome: evil, message: evil, approval: null };
    fleet.entries.set(name, [{ ...entry, impact: "none", operations: [] }]);
    const problem = { code: "unusable", message: evil, since: 1 } as const;
    fleet.sources = [{ name: evil, followed: null, tip: null, fetchedAt: null, problem }];
    const { ask } = await startFake(fleet);
    for (const path of ["/", `/stacks/${encodeURIComponent(name)}`, `/?q=${encodeURIComponent(evil)}`]) {
      const { status, text } = await ask(path);
      expect(status).toBe(200);
      expect(text).not.toMatch(/<script>alert|<img/);
      expect(text).not.toContain("\u202e");
    }
  });
});
