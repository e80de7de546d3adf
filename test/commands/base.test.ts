import { describe, expect, it } from "vitest";
import { repository, type Repository } from "./ref-repository.ts";
import { backend } from "./stage.ts";

async function onBranch(): Promise<Repository> {
  const on = await repository();
  await on.write("edge/all.yaml", backend("a", 'status_code: 503, body: "one", description: "one"') + backend("b"));
  on.commit("one");
  await on.run("apply", "-y");
  on.git("checkout", "-qb", "branch");
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
    const { run, write, git, behind, id } = await onBranch();
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
    expect(JSON.parse(out).base).toBe(git("rev-parse", "main"));
  });

  it("manifests that were broken at the base are a warning, so that a branch can mend them", async () => {
    const { run, write, commit } = await onBranch();
    await write("edge/all.yaml", "kind: Nonsense\n");
    commit("broken");
    await write("edge/all.yaml", backend("a") + backend("b"));
    const { exit, err } = await run("plan", "--base", "branch");
    expect(exit).toBe(0);
    expect(err).toContain("warning:");
    expect(err).toContain("merge base");
  });
});

describe("plan --offline --base", () => {
  const offline = ["plan", "--offline", "--base", "main"] as const;

  it("compares with the manifests at the merge base, without key and network", async () => {
    const on = await onBranch();
    on.behind("DELETE", `/backends/http_response/${on.id("HTTPResponseBackend", { body: "one" })}`);
    const edge =
      "kind: TLSEdge\napiVersion: edgewise/v1\nmetadata: {name: e}\nspec:\n  hostports: [e.example.com:443]\n";
    const refers = `${edge}  backend: {enabled: true, backend: {id: bkdhr_elsewhere}}\n---\n`;
    await on.write("edge/all.yaml", refers + backend("a", 'status_code: 503, body: "two", description: "one"'));
    delete on.env["EDGEWISE_API_KEY"];
    delete on.env["EDGEWISE_BASE_URL"];
    const before = on.sandbox.requests().log.length;
    const json = await on.run(...offline, "-o", "json", "--detailed-exitcode");
    expect(json.exit).toBe(2);
    const plan = JSON.parse(json.out);
    expect(plan).toMatchObject({ comparedWith: "main", refusals: [], rehearsal: { converges: true } });
    expect(
      plan.changes.map(({ action, address }: { action: string; address: string }) => `${action} ${address}`),
    ).toEqual(["create TLSEdge/e", "update HTTPResponseBackend/a", "delete HTTPResponseBackend/b"]);
    for (const format of ["text", "markdown", "html"])
      expect((await on.run(...offline, "-o", format)).out).toContain("Compared with main, not with the live account");
    expect(on.sandbox.requests().log).toHaveLength(before);
  });

  it("compares policies that hold secrets, which are not there", async () => {
    const on = await onBranch();
    const policy = (rest: string) =>
      `kind: TLSEdge\napiVersion: edgewise/v1\nmetadata: {name: e}\nspec:\n  hostports: [e.example.com:443]\n  traffic_policy: {value: {on_tcp_connect: [{actions: [{type: log, config: {token: {env: TOKEN}, ${rest}}}]}]}}\n`;
    await on.write("edge/all.yaml", policy("a: 1"));
    on.commit("two");
    const offline = ["plan", "--offline", "--base", "HEAD", "-o", "json"] as const;
    expect(JSON.parse((await on.run(...offline)).out)).toMatchObject({ changes: [], warnings: [] });
    await on.write("edge/all.yaml", policy("a: 2"));
    expect(JSON.parse((await on.run(...offline)).out).changes).toMatchObject([
      { address: "TLSEdge/e", action: "update", fields: [{ path: "spec.traffic_policy.value" }] },
    ]);
  });

  it("shows what a new name of the stack would make a second time", async () => {
    const on = await onBranch();
    await on.write("edgewise.yaml", (await on.read("edgewise.yaml")).replace(/stack: .*/u, "stack: renamed"));
    const { changes } = JSON.parse((await on.run(...offline, "-o", "json")).out);
    const renamed = { action: "create", origin: "desired" };
    expect(changes).toMatchObject([renamed, renamed]);
  });

  it("says so when nothing differs, and saves nothing", async () => {
    const on = await onBranch();
    const { exit, out } = await on.run(...offline, "--detailed-exitcode");
    expect({ exit, out }).toMatchObject({ exit: 0, out: expect.stringContaining("No changes.") });
    expect(out).toContain("Compared with main");
    expect(await on.run(...offline, "--out", "plan.json")).toMatchObject({ exit: 1 });
    expect(await on.run("plan", "--offline")).toMatchObject({ exit: 1 });
  });
});

describe("drift --base", () => {
  it("compares with the commit itself, and tells drift from what is merged and not yet applied", async () => {
    const { run, write, git, commit, behind, id } = await onBranch();
    const applied = git("rev-parse", "main");
    await write("edge/all.yaml", backend("a", 'status_code: 503, body: "two", description: "one"') + backend("new"));
    commit("two");
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
    git("checkout", "-q", "-f", "-b", "other", "main");
    await write("edge/all.yaml", backend("a", 'status_code: 503, body: "two", description: "one"') + backend("b"));
    commit("other two");
    const direct = await run("drift", "--base", "branch", "-o", "json");
    expect(JSON.parse(direct.out).base).toBe(git("rev-parse", "branch"));
  });

  it("tells a refusal that what was merged brings about from one that was there before", async () => {
    const { run, write, commit } = await onBranch();
    const gone = (name: string, id: string) => backend(name, "status_code: 503", `, id: ${id}`);
    const before = backend("a", 'status_code: 503, body: "one", description: "one"') + backend("b");
    await write("edge/all.yaml", before + gone("new", "bkdhr_000000000000000000000000001"));
    commit("adopt what is not live");
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

  async function withSecret(): Promise<Repository> {
    const on = await onBranch();
    on.env["FIRST"] = "first-secret-value";
    on.env["SECOND"] = "second-secret-value";
    await on.write("edge/api.yaml", policy("FIRST"));
    on.commit("policy");
    on.git("branch", "-qf", "main");
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

  it("is the branch's when the branch names another source, and live has what the base names", async () => {
    const on = await withSecret();
    await on.write("edge/api.yaml", policy("SECOND"));
    const { out } = await on.run("plan", "--base", "main", "-o", "json");
    expect(originsOf(out)).toEqual({ "TLSEdge/api spec.traffic_policy.value": "desired" });
    expect((await on.run("drift", "--base", "main")).exit).toBe(0);
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
  const { run, write, git, commit, env } = await onBranch();
  env["HOOK"] = "secret-of-the-hook";
  const both =
    ", webhook_verification: {provider: GITHUB, secret: {env: HOOK}}, traffic_policy: {value: {on_http_request: []}}";
  await write("edge/route.yaml", route(both));
  commit("route");
  git("checkout", "-qb", "next");
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
