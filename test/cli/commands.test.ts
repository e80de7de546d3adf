import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cli, type Ended, sandboxProcess, temporary } from "../support/cli.ts";

const backend = (name: string, status = 503): string =>
  `apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: ${name}}\nspec: {status_code: ${status}}\n---\n`;

const config = `apiVersion: edgewise/v1
kind: Config
stack: demo
manifests: [edge/]
policies:
  - name: no-teapots
    expression: "change.action == 'create' && change.fields.exists(field, field.after == 418)"
    message: no teapots
    tests: [{plan: plan.json, expect: allow}]
`;

function runner(cwd: string, env: { readonly [name: string]: string } = {}) {
  return async (exit: number, ...args: readonly string[]): Promise<Ended> => {
    const ended = await cli(args, { cwd, env });
    expect(ended, args.join(" ")).toMatchObject({ exit });
    return ended;
  };
}

it("commands that need no service answer on stdout, and say nothing else", async () => {
  const cwd = await temporary();
  const run = runner(cwd);
  const said = async (...args: readonly string[]): Promise<string> => {
    const { out, err } = await run(0, ...args);
    expect(err, args.join(" ")).toBe("");
    return out;
  };
  expect(JSON.parse(await said("version", "-o", "json"))).toMatchObject({ version: expect.stringMatching(/^\d/u) });
  expect(JSON.parse(await said("schema", "TLSEdge"))).toMatchObject({ title: "TLSEdge" });
  expect(await said("explain", "TLSEdge.tls_termination.min_version")).toContain("min_version");
  expect(await said("completion", "bash")).toContain("_edgewise()");
  expect(await said("plan", "--help")).toContain("--detailed-exitcode");
  expect((await run(1, "help", "nope")).err).toContain("unknown command 'nope'");
  const approve = await run(1, "approve", "prod", "--server", "http://127.0.0.1:9", "-y");
  expect(approve.out).toBe("");
  expect(approve.err).toMatch(/^error: /u);
});

it("commands take a repository from init to destroy", async () => {
  const dir = await temporary();
  const env = await sandboxProcess();
  const run = runner(dir, env);
  const cwd = join(dir, "repo");
  const here = runner(cwd, env);

  await run(0, "init", "repo");
  expect((await readFile(join(cwd, ".edgewise/edgewise.mjs"), "utf8")).startsWith("#!")).toBe(true);
  expect((await here(0, "validate")).out).toContain("no manifests found");
  await writeFile(join(cwd, "edgewise.yaml"), config);
  await writeFile(join(cwd, "edge/more.yaml"), backend("a") + backend("b"));
  expect(JSON.parse((await here(0, "stacks", "-o", "json")).out)).toMatchObject({
    stacks: [expect.objectContaining({ stack: "demo" })],
  });
  expect((await here(0, "graph")).out).toContain("HTTPResponseBackend");
  expect((await here(0, "ping")).exit).toBe(0);
  expect((await here(2, "plan", "--out", "plan.json", "--detailed-exitcode")).out).toContain("HTTPResponseBackend/a");
  expect((await here(0, "show", "plan.json", "-o", "markdown")).out).toContain("HTTPResponseBackend/a");
  expect((await here(0, "policy", "test")).out).toContain("1");

  expect((await here(1, "apply", "plan.json")).err).toContain("--auto-approve");
  const applied = await here(0, "apply", "plan.json", "-y", "-o", "json");
  expect(JSON.parse(applied.out)).toMatchObject({ outcome: "applied", verified: true });
  expect((await here(4, "apply", "plan.json", "-y")).out).toContain("stale-plan");
  expect((await here(0, "drift")).exit).toBe(0);
  expect(JSON.parse((await here(0, "list", "-o", "json")).out)).toMatchObject({
    format: expect.stringContaining("list"),
  });
  expect((await here(0, "export", "--all")).out).toContain("kind: HTTPResponseBackend");
  expect((await here(0, "unlock")).out).toContain("Nothing to unlock");

  // A pull takes what is live into the manifest.
  await writeFile(join(cwd, "edge/more.yaml"), backend("a", 504) + backend("b"));
  await here(0, "pull", "-y");
  expect(await readFile(join(cwd, "edge/more.yaml"), "utf8")).toBe(backend("a") + backend("b"));
  await here(0, "plan", "--detailed-exitcode");

  await writeFile(join(cwd, "edge/more.yaml"), backend("a", 504) + backend("b"));
  const git = (...args: readonly string[]): void => {
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd });
  };
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "all");
  const { EDGEWISE_API_KEY = "", EDGEWISE_BASE_URL = "" } = env;
  await mkdir(join(dir, "fleet"));
  await writeFile(join(dir, "fleet/key"), EDGEWISE_API_KEY, { mode: 0o600 });
  const fleet = {
    apiVersion: "edgewise/v1",
    kind: "Fleet",
    sources: { edge: { git: cwd } },
    accounts: { main: { baseUrl: EDGEWISE_BASE_URL, key: { file: "key" } } },
    stacks: { prod: { source: "edge", account: "main", stack: "demo" } },
  };
  await writeFile(join(dir, "fleet/fleet.yaml"), JSON.stringify(fleet));
  const served = await runner(join(dir, "fleet"))(2, "serve", "fleet.yaml", "--once", "--dry-run", "-o", "json");
  expect(JSON.parse(served.out)).toMatchObject({ stacks: [{ name: "prod" }] });
  expect((await here(2, "drift")).out).toContain("HTTPResponseBackend/a");

  await here(0, "destroy", "-y", "--max-deletes", "100%");
  expect((await here(0, "list", "--owned")).out).not.toContain("HTTPResponseBackend/a");
});
