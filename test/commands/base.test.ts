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
