import { execFileSync } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { violations } from "../schemas/all-schemas.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { backend, stage, type Stage } from "./stage.ts";

const config = (stack: string, more = "") =>
  `apiVersion: edgewise/v1\nkind: Config\nstack: ${stack}\nmanifests: [edge/]\n${more}`;

async function two(): Promise<Stage> {
  const at = await stage();
  await rm(join(at.dir, "edgewise.yaml"));
  await at.write("a/edgewise.yaml", config("a", "environments: {staging: {stack: a-staging}}\n"));
  await at.write("a/edge/all.yaml", backend("page", "status_code: 503"));
  await at.write("b/edgewise.yaml", config("b"));
  await at.write("b/edge/all.yaml", backend("page", "status_code: 404"));
  for (const flags of [
    ["-c", "a/edgewise.yaml"],
    ["-c", "a/edgewise.yaml", "-e", "staging"],
    ["-c", "b/edgewise.yaml"],
  ]) {
    expect(await at.run("apply", "-y", ...flags)).toMatchObject({ exit: 0 });
  }
  return at;
}

const codes = (out: string) =>
  JSON.parse(out).stacks.map((each: { config: string; environment: string | null; exit: number }) => [
    `${each.config} ${each.environment ?? ""}`.trim(),
    each.exit,
  ]);

describe("plan --all", () => {
  it("plans every configuration and environment, each headed by its name", async () => {
    const at = await two();
    await at.write("b/edge/all.yaml", backend("page", "status_code: 410"));
    const { exit, out } = await at.run("plan", "--all");
    expect(exit).toBe(0);
    const parts = out.split(/^== (.*) ==$/mu).map((text) => text.trim());
    expect(parts.filter((_, index) => index % 2 === 1)).toEqual([
      "a/edgewise.yaml",
      "a/edgewise.yaml, environment staging",
      "b/edgewise.yaml",
    ]);
    expect(parts[2]).toContain("No changes");
    expect(parts[6]).toContain("HTTPResponseBackend/page");
  });

  it("exits with the worst code, and one stack's error hides no other", async () => {
    const at = await two();
    const plan = async () => at.run("plan", "--all", "-o", "json", "--detailed-exitcode");
    expect((await plan()).exit).toBe(0);
    await at.write("b/edge/all.yaml", backend("page", "status_code: 410"));
    expect((await plan()).exit).toBe(2);
    await at.write("a/edge/all.yaml", "# nothing\n");
    expect((await plan()).exit).toBe(4);
    await mkdir(join(at.dir, "c"));
    await at.write("c/edgewise.yaml", config("c", "stak: x\n"));
    await at.write("d/edgewise.yaml", config("d"));
    await at.write("d/edge/all.yaml", backend("Bad", "status_code: 1"));
    const { exit, out, err } = await plan();
    expect(exit).toBe(1);
    expect(violations("all-stacks", JSON.parse(out))).toEqual([]);
    expect(codes(out)).toEqual([
      ["c/edgewise.yaml", 1],
      ["a/edgewise.yaml", 4],
      ["a/edgewise.yaml staging", 4],
      ["b/edgewise.yaml", 2],
      ["d/edgewise.yaml", 1],
    ]);
    expect(JSON.parse(out).stacks[4]).toMatchObject({ plan: null, error: { code: "manifests" } });
    expect(err).toContain("c/edgewise.yaml:\nc/edgewise.yaml:5:1: error");
    expect(err).toContain("d/edgewise.yaml:\nedge/all.yaml:3:");
    const text = await at.run("plan", "--all");
    expect(text.exit).toBe(1);
    expect(text.out).toContain("== d/edgewise.yaml ==\nThere is no report: ");
    expect(text.out).toContain("410");
  });

  it("plans only the stacks that changed", async () => {
    const at = await two();
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], { cwd: at.dir });
    git("init", "-q", "-b", "main");
    git("add", "-A");
    git("commit", "-qm", "one");
    expect(await at.run("plan", "--all", "--changed-since", "main")).toMatchObject({
      exit: 0,
      out: "",
      err: "Nothing that changed since main touches one of the 3 stacks.\n",
    });
    await at.write("b/edge/all.yaml", backend("page", "status_code: 410"));
    const { out } = await at.run("plan", "--all", "--changed-since", "main", "--base", "main", "-o", "json");
    expect(JSON.parse(out).stacks).toMatchObject([
      { config: "b/edgewise.yaml", changed: ["b/edge/all.yaml"], plan: { changes: [{ origin: "desired" }] } },
    ]);
  });

  it.each([
    [["--all", "-c", "a/edgewise.yaml"], "--config can't be used with --all"],
    [["--all", "--out", "plan.json"], "--out can't be used with --all"],
    [["--changed-since", "main"], "needs --all"],
  ])("refuses %s", async (flags, message) => {
    const at = await stage();
    const { exit, out, err } = await at.run("plan", ...flags);
    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    expect(err).toContain(message);
    expect(at.sandbox.requests().log).toEqual([]);
  });

  it("sends the key to several origins only when each is allowed by name", async () => {
    const at = await two();
    const other = await startSandbox({ apiKey: at.sandbox.apiKey });
    onTestFinished(async () => other.close());
    await at.write("a/edgewise.yaml", config("a", `api: {baseUrl: "${at.sandbox.baseUrl}"}\n`));
    await at.write("b/edgewise.yaml", config("b", `api: {baseUrl: "${other.baseUrl}"}\n`));
    const { EDGEWISE_BASE_URL: _, ...env } = at.env;
    const before = at.sandbox.requests().log.length;
    const run = async (...flags: string[]) => at.runWith({ env }, "drift", "--all", ...flags).ran;
    for (const flags of [[], ["--allow-origin", at.sandbox.baseUrl]]) {
      const { err, exit } = await run(...flags);
      expect(exit).toBe(1);
      expect(err).toContain(`nothing says that the API key may be sent to `);
      expect(err).toContain(`${other.baseUrl} (b/edgewise.yaml)`);
      expect(err).toContain(`--allow-origin ${other.baseUrl}.`);
    }
    expect(await run("--allow-origin", "ftp://x")).toMatchObject({
      exit: 1,
      err: expect.stringContaining("not an http"),
    });
    expect([at.sandbox.requests().log.length - before, other.requests().log.length]).toEqual([0, 0]);
    const both = await run("--allow-origin", at.sandbox.baseUrl, "--allow-origin", `${other.baseUrl}/`, "-o", "json");
    expect(codes(both.out)).toEqual([
      ["a/edgewise.yaml", 0],
      ["b/edgewise.yaml", 2],
    ]);
    await at.write("b/edgewise.yaml", config("b", `api: {baseUrl: "${at.sandbox.baseUrl}"}\n`));
    expect((await run()).exit).toBe(0);
  });
});

describe("drift --all", () => {
  it("reports every stack, and exits 2 when one of them drifted", async () => {
    const at = await two();
    expect((await at.run("drift", "--all")).exit).toBe(0);
    at.behind("PATCH", `/backends/http_response/${at.id("HTTPResponseBackend", { status_code: 404 })}`, {
      status_code: 500,
    });
    const { exit, out } = await at.run("drift", "--all", "-o", "json");
    expect(exit).toBe(2);
    expect(violations("all-stacks", JSON.parse(out))).toEqual([]);
    expect(codes(out)).toEqual([
      ["a/edgewise.yaml", 0],
      ["a/edgewise.yaml staging", 0],
      ["b/edgewise.yaml", 2],
    ]);
    expect(JSON.parse(out).stacks[2].drift).toMatchObject({
      format: "edgewise.drift/v1",
      findings: [{ type: "modified" }],
    });
  });
});

describe("apply --all", () => {
  it("applies first what others refer to, and ends with a table", async () => {
    const at = await stage();
    await rm(join(at.dir, "edgewise.yaml"));
    await at.write("a/edgewise.yaml", config("web"));
    await at.write(
      "a/edge/web.yaml",
      `apiVersion: edgewise/v1\nkind: TLSEdge\nmetadata: {name: web}\nspec: {hostports: ["w.example.com:443"], backend: {backend: {name: page, stack: shared}}}\n`,
    );
    await at.write("b/edgewise.yaml", config("shared"));
    await at.write("b/edge/all.yaml", backend("page", "status_code: 503"));
    const { exit, err, out } = await at.run("apply", "--all", "-y");
    expect(exit, err).toBe(0);
    expect(out).toMatch(
      /\n\nstack +configuration +counts +worst impact\nshared +b\/edgewise.yaml +applied, 1 done +none\nweb +a\/edgewise.yaml +applied, 1 done +routing\n$/u,
    );
    const again = await at.run("apply", "--all", "-y", "-o", "json");
    expect(violations("all-stacks", JSON.parse(again.out))).toEqual([]);
    expect(JSON.parse(again.out).stacks).toMatchObject([{ stack: "shared" }, { stack: "web", exit: 0 }]);
    const markdown = await at.run("plan", "--all", "-o", "markdown");
    expect(markdown.out).toMatch(/\| shared \| b\/edgewise.yaml \| 1 unchanged \| none \|\n$/u);
  });

  it("goes on after a stack that fails, and exits 3 once something was changed", async () => {
    const at = await two();
    await at.write("a/edge/all.yaml", "# nothing\n");
    expect((await at.run("apply", "--all", "-y")).exit).toBe(4);
    await at.write("b/edge/all.yaml", backend("page", "status_code: 410"));
    const { exit, out } = await at.run("apply", "--all", "-y");
    expect(exit).toBe(3);
    expect(out).toMatch(/a-staging +a\/edgewise.yaml, environment staging +refused/u);
    expect(out).toMatch(/\nb +b\/edgewise.yaml +applied, 1 done +routing\n$/u);
  });

  it.each(["stack: a", "stack: c\npreviousStacks: [b]"])("sends nothing when two own one stack (%s)", async (own) => {
    const at = await two();
    await at.write("c/edgewise.yaml", config("c").replace("stack: c", own));
    await at.write("c/edge/all.yaml", backend("other", "status_code: 410"));
    const before = at.sandbox.requests().log.length;
    const { err, exit } = await at.run("apply", "--all", "-y");
    expect(exit).toBe(1);
    expect(err).toMatch(/[ab]\/edgewise.yaml and c\/edgewise.yaml both own the stack "[ab]" at http:/u);
    expect(at.sandbox.requests().log.length).toBe(before);
  });

  it("asks nobody and refuses a plan file", async () => {
    const at = await two();
    for (const flags of [[], ["plan.json", "-y"], ["-y", "--approved", `sha256:${"0".repeat(64)}`]]) {
      const writes = at.writes();
      const { exit, out } = await at.run("apply", "--all", ...flags);
      expect({ exit, out, writes: at.writes() }).toEqual({ exit: 1, out: "", writes });
    }
  });
});
