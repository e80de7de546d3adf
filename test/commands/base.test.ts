import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { backend, stage, type Stage } from "./stage.ts";

function git(dir: string, ...args: string[]): string {
  const identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"];
  return execFileSync("git", [...identity, ...args], {
    cwd: dir,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}

async function repository(): Promise<Stage> {
  const on = await stage();
  git(on.dir, "init", "-q", "-b", "main");
  await on.write("edge/all.yaml", backend("a", 'status_code: 503, body: "one", description: "one"') + backend("b"));
  git(on.dir, "add", "-A");
  git(on.dir, "commit", "-qm", "one");
  await on.run("apply", "-y");
  git(on.dir, "checkout", "-qb", "branch");
  return on;
}

const originsOf = (out: string) =>
  Object.fromEntries(
    JSON.parse(out).changes.flatMap(
      ({ address, fields }: { address: string; fields: { path: string; origin: string }[] }) =>
        fields.map(({ path, origin }) => [`${address} ${path}`, origin]),
    ),
  );

describe("--base", () => {
  it("tells what the branch changed from what somebody changed live, and from both", async () => {
    const { run, write, dir, behind, id } = await repository();
    behind("PATCH", `/backends/http_response/${id("HTTPResponseBackend", { body: "one" })}`, {
      status_code: 500,
      description: "meddled",
    });
    await write("edge/all.yaml", backend("a", 'status_code: 503, body: "two", description: "two"') + backend("b"));
    const { exit, out } = await run("plan", "--base", "main", "-o", "json");
    expect(exit).toBe(0);
    expect(originsOf(out)).toEqual({
      "HTTPResponseBackend/a spec.status_code": "drift",
      "HTTPResponseBackend/a spec.body": "desired",
      "HTTPResponseBackend/a spec.description": "both",
    });
    expect(JSON.parse(out).base).toBe(git(dir, "rev-parse", "main").trim());
  });

  it("changes no operation", async () => {
    const { run, write } = await repository();
    await write("edge/all.yaml", backend("a", "status_code: 504"));
    const plain = JSON.parse((await run("plan", "-o", "json")).out);
    const told = JSON.parse((await run("plan", "-o", "json", "--base", "main")).out);
    expect(told.operations).toEqual(plain.operations);
  });

  it("an annotated plan can be saved and applied", async () => {
    const { run, write } = await repository();
    await write("edge/all.yaml", backend("a", "status_code: 504"));
    await run("plan", "--base", "main", "--out", "plan.json");
    expect((await run("apply", "plan.json", "-y")).exit).toBe(0);
  });

  it("a commit without a configuration counts as one without manifests", async () => {
    const { run, write, dir } = await repository();
    git(dir, "checkout", "-q", "--orphan", "fresh");
    git(dir, "rm", "-qr", "--cached", ".");
    git(dir, "commit", "-qm", "empty", "--allow-empty");
    await write("edge/all.yaml", backend("a", "status_code: 504") + backend("b"));
    const { exit, out } = await run("plan", "--base", "fresh", "-o", "json");
    expect(exit).toBe(0);
    expect(new Set(Object.values(originsOf(out)))).toEqual(new Set(["desired"]));
  });

  it("manifests that were broken at the base are a warning, so that a branch can mend them", async () => {
    const { run, write, dir } = await repository();
    await write("edge/all.yaml", "kind: Nonsense\n");
    git(dir, "commit", "-qam", "broken");
    await write("edge/all.yaml", backend("a") + backend("b"));
    const { exit, err } = await run("plan", "--base", "branch");
    expect(exit).toBe(0);
    expect(err).toContain("warning:");
    expect(err).toContain("merge base");
  });

  it("a ref that is not there is an error", async () => {
    const { run } = await repository();
    const { exit, out, err } = await run("plan", "--base", "origin/nowhere");
    expect(exit).toBe(1);
    expect(out).toBe("");
    expect(err).toContain("origin/nowhere");
  });
});

describe("drift --base", () => {
  it("compares with the commit itself, and tells drift from what is merged and not yet applied", async () => {
    const { run, write, dir, behind, id } = await repository();
    const applied = git(dir, "rev-parse", "main").trim();
    await write("edge/all.yaml", backend("a", 'status_code: 503, body: "two", description: "one"') + backend("new"));
    git(dir, "commit", "-qam", "two");
    const merged = await run("drift", "--base", applied, "-o", "json");
    expect(merged.exit).toBe(0);
    expect(JSON.parse(merged.out)).toMatchObject({
      clean: true,
      base: applied,
      findings: [
        { address: "HTTPResponseBackend/a", type: "pending" },
        { address: "HTTPResponseBackend/b", type: "pending" },
        { address: "HTTPResponseBackend/new", type: "pending" },
      ],
    });
    expect((await run("drift")).exit).toBe(2);

    behind("PATCH", `/backends/http_response/${id("HTTPResponseBackend", { body: "one" })}`, { status_code: 500 });
    const meddled = await run("drift", "--base", applied);
    expect(meddled.exit).toBe(2);
    expect(meddled.out).toContain("DRIFT  1 finding: 1 modified; 3 pending");
    expect(meddled.out).toContain("Pending (3): merged and not yet applied: not drift");
    expect(meddled.out).toContain("spec.status_code: 503 -> 500");
    expect(meddled.out).not.toMatch(/conflict/u);

    // The commit that was applied last may be on another branch: the merge base would be the one before it.
    git(dir, "checkout", "-q", "-f", "-b", "other", "main");
    await write("edge/all.yaml", backend("a", 'status_code: 503, body: "two", description: "one"') + backend("b"));
    git(dir, "commit", "-qam", "other two");
    const direct = await run("drift", "--base", "branch", "-o", "json");
    expect(JSON.parse(direct.out).base).toBe(git(dir, "rev-parse", "branch").trim());
  });

  it("tells a refusal that what was merged brings about from one that was there before", async () => {
    const { run, write, dir } = await repository();
    const gone = (name: string, id: string) => backend(name, "status_code: 503", `, id: ${id}`);
    const before = backend("a", 'status_code: 503, body: "one", description: "one"') + backend("b");
    await write("edge/all.yaml", before + gone("new", "bkdhr_000000000000000000000000001"));
    git(dir, "commit", "-qam", "adopt what is not live");
    const merged = await run("drift", "--base", "main", "-o", "json");
    expect(merged.exit).toBe(0);
    expect(JSON.parse(merged.out)).toMatchObject({
      clean: true,
      findings: [{ address: "HTTPResponseBackend/new", type: "pending" }],
    });
    expect((await run("drift", "--base", "main")).out).toMatch(
      /HTTPResponseBackend\/new +edge\/all\.yaml:\d+\s+was changed in its manifest since the last apply, and the next one is refused/u,
    );
    const plan = await run("plan", "--base", "main", "-o", "json");
    expect(JSON.parse(plan.out).refusals).toMatchObject([{ code: "id-not-live", origin: "desired" }]);

    // The commit that was applied last had it already: somebody deleted it live.
    const since = await run("drift", "--base", "branch", "-o", "json");
    expect(since.exit).toBe(2);
    expect(JSON.parse(since.out).findings).toMatchObject([{ address: "HTTPResponseBackend/new", type: "missing" }]);
    expect((await run("drift")).exit).toBe(2);
  });

  it("counts everything when the manifests of that commit can't be used, and says so", async () => {
    const { run, write, dir } = await repository();
    await write("edge/all.yaml", "kind: Nonsense\n");
    git(dir, "commit", "-qam", "broken");
    await write("edge/all.yaml", backend("a") + backend("b"));
    const { exit, err } = await run("drift", "--base", "branch");
    expect(exit).toBe(2);
    expect(err).toMatch(/the manifests of the commit [0-9a-f]{12} can't be used/u);
    expect(err).toContain("what is merged and not yet applied counts as drift");
  });

  it.each(["text", "markdown", "html", "github", "junit", "sarif", "gitlab"])(
    "-o %s shows what is pending",
    async (format) => {
      const { run, write } = await repository();
      await write("edge/all.yaml", backend("a", 'status_code: 503, body: "one", description: "two"') + backend("b"));
      const { exit, out } = await run("drift", "--base", "main", "-o", format);
      expect(exit).toBe(0);
      expect(out).toMatch(/pending/iu);
      expect(out).toContain("HTTPResponseBackend/a");
    },
  );
});

describe("a secret that differs", () => {
  const policy = (name: string, status = 403) => `apiVersion: edgewise/v1
kind: TLSEdge
metadata: {name: api}
spec:
  hostports: ["api.example.com:443"]
  traffic_policy:
    value:
      on_tcp_connect:
        - actions: [{type: deny, config: {status_code: ${status}, client_secret: {env: ${name}}}}]
`;

  async function withSecret(): Promise<Stage> {
    const on = await repository();
    on.env["FIRST"] = "first-secret-value";
    on.env["SECOND"] = "second-secret-value";
    await on.write("edge/api.yaml", policy("FIRST"));
    git(on.dir, "add", "-A");
    git(on.dir, "commit", "-qm", "policy");
    git(on.dir, "branch", "-qf", "main");
    const { exit, err } = await on.run("apply", "-y");
    expect(exit, err).toBe(0);
    return on;
  }

  it("is of unknown origin, and never `changed live`: it may have been rotated", async () => {
    const on = await withSecret();
    on.env["FIRST"] = "rotated-secret-value";
    const told = await on.run("plan", "--base", "main", "-o", "json");
    expect(originsOf(told.out)).toEqual({ "TLSEdge/api spec.traffic_policy.value": "unknown" });
    expect(JSON.parse(told.out).changes[0].origin).toBe("unknown");
    for (const format of ["text", "markdown", "html"]) {
      const { out } = await on.run("plan", "--base", "main", "-o", format);
      expect(out).not.toMatch(/\(changed live|>changed live|Drift that would/u);
      expect(out).toContain("rotated or changed live");
    }
    const drift = await on.run("drift", "--base", "main");
    expect(drift.exit).toBe(2);
    expect(drift.out).toContain("rotated or changed live");
  });

  it.each(["text", "markdown", "html", "github", "junit", "sarif", "json"])(
    "is said to be rotated or changed live beside a member that somebody changed live: drift -o %s",
    async (format) => {
      const on = await withSecret();
      const value = JSON.stringify({
        on_tcp_connect: [
          { actions: [{ type: "deny", config: { status_code: 500, client_secret: "another-secret-value" } }] },
        ],
      });
      on.behind("PATCH", `/edges/tls/${on.id("TLSEdge")}`, { traffic_policy: { enabled: true, value } });
      const { exit, out } = await on.run("drift", "--base", "main", "-o", format);
      expect(exit).toBe(2);
      expect(out).toMatch(/a secret in\s+spec\.traffic\\?_policy\.value\s+was\s+rotated\s+or\s+changed\s+live/u);
      if (["text", "markdown", "html", "junit"].includes(format))
        expect(out.replaceAll(/<\/?b>/gu, "")).toMatch(/\(secret, env FIRST\) rotated or changed live/u);
      if (format === "json" || format === "sarif" || format === "junit") return;
      const plan = await on.run("plan", "--base", "main", "-o", format);
      expect(plan.out).toMatch(/a secret in\s+spec\.traffic\\?_policy\.value\s+was\s+rotated\s+or\s+changed\s+live/u);
    },
  );

  it.each(["text", "markdown", "html", "github", "junit", "sarif", "json"])(
    "alone is said to be rotated or changed live: drift -o %s",
    async (format) => {
      const on = await withSecret();
      on.env["FIRST"] = "rotated-secret-value";
      const { exit, out } = await on.run("drift", "--base", "main", "-o", format);
      expect(exit).toBe(2);
      expect(out).toMatch(/was\s+rotated\s+or\s+changed\s+live/u);
    },
  );

  it("is of unknown origin too when the branch changes its policy besides", async () => {
    const on = await withSecret();
    on.env["FIRST"] = "rotated-secret-value";
    await on.write("edge/api.yaml", policy("FIRST", 401));
    const { out } = await on.run("plan", "--base", "main", "-o", "json");
    expect(originsOf(out)).toEqual({ "TLSEdge/api spec.traffic_policy.value": "unknown" });
  });

  it("is the branch's when the branch names another source, and live has what the base names", async () => {
    const on = await withSecret();
    await on.write("edge/api.yaml", policy("SECOND"));
    const { out } = await on.run("plan", "--base", "main", "-o", "json");
    expect(originsOf(out)).toEqual({ "TLSEdge/api spec.traffic_policy.value": "desired" });
    expect((await on.run("drift", "--base", "main")).exit).toBe(0);
    // What the base names can't be read: nobody knows what was live then.
    delete on.env["FIRST"];
    const unread = await on.run("plan", "--base", "main", "-o", "json");
    expect(originsOf(unread.out)).toEqual({ "TLSEdge/api spec.traffic_policy.value": "unknown" });
  });
});

const route = (spec: string) => `apiVersion: edgewise/v1
kind: HTTPSEdgeRoute
metadata: {name: hooks, id: edghtsrt_1}
spec: {edge: {id: edghts_1}${spec}}
`;

it("a module that the base declared and the branch dropped, alone or with its manifest, is a warning", async () => {
  const { run, write, dir, env } = await repository();
  env["HOOK"] = "secret-of-the-hook";
  const both =
    ", webhook_verification: {provider: GITHUB, secret: {env: HOOK}}, traffic_policy: {value: {on_http_request: []}}";
  await write("edge/route.yaml", route(both));
  git(dir, "add", "-A");
  git(dir, "commit", "-qm", "route");
  git(dir, "checkout", "-qb", "next");
  await run("apply", "-y");
  await write("edge/route.yaml", route(", traffic_policy: {value: {on_http_request: []}}"));
  const one = JSON.parse((await run("plan", "--base", "branch", "-o", "json")).out);
  expect(one.warnings).toMatchObject([
    { code: "module-dropped", message: expect.stringContaining("webhook_verification") },
  ]);
  await write("edge/route.yaml", "# nothing\n");
  const two = JSON.parse((await run("plan", "--base", "branch", "-o", "json")).out);
  expect(two.warnings.map(({ code }: { code: string }) => code)).toEqual(["module-dropped", "module-dropped"]);
  expect(two.changes).toEqual([]);
});
