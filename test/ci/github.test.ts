import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSandbox } from "../../scripts/sandbox.mjs";
import { makeConfiguration } from "./configuration.ts";
import type { Configuration } from "./configuration.ts";
import { FakeGithub } from "./fake-github.ts";
import { workflow } from "./recipes.ts";
import type { Workflow } from "./recipes.ts";
import { runJob } from "./run-job.ts";
import type { JobRun } from "./run-job.ts";

const response = (name: string): string =>
  `apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: ${name}}\nspec: {status_code: 204}\n`;

// One story in order: a team's first week with the three workflows. Each test continues where the last one ended.
describe("the GitHub workflows, run against the sandbox", () => {
  let sandbox: Awaited<ReturnType<typeof startSandbox>>;
  let repository: Configuration;
  const github = new FakeGithub();

  beforeAll(async () => {
    sandbox = await startSandbox();
    repository = makeConfiguration();
  });
  afterAll(() => {
    sandbox.stop();
    repository.remove();
  });

  /** The outputs that jobs pass to the jobs that need them. */
  const needed: { [name: string]: string } = {};

  async function run(name: string, job: string): Promise<JobRun> {
    const found: Workflow = workflow(name);
    const steps = found.jobs[job];
    if (steps === undefined) throw new Error(`${name} has no job ${job}`);
    const result = await runJob(found, steps, {
      directory: repository.directory,
      artifacts: join(repository.directory, "..", "artifacts"),
      env: { ...repository.env, EDGEWISE_VERSION_HEADER: sandbox.env.EDGEWISE_VERSION_HEADER },
      values: {
        "secrets.EDGEWISE_READ_KEY": sandbox.apiKey,
        "secrets.EDGEWISE_API_KEY": sandbox.apiKey,
        "vars.EDGEWISE_BASE_URL": sandbox.baseUrl,
        "github.base_ref": "main",
        ...needed,
      },
      script: (code, env) => github.run(repository.directory, code, env),
    });
    for (const [output, value] of Object.entries(result.outputs)) needed[`needs.${job}.outputs.${output}`] = value;
    return result;
  }

  /** A run that must succeed; otherwise its log is the message. */
  async function succeed(name: string, job: string): Promise<JobRun> {
    const result = await run(name, job);
    expect(result.code, result.log).toBe(0);
    return result;
  }

  const edges = async () => {
    const list: { tls_edges: { id: string; description?: string }[] } = await sandbox.request("GET", "/edges/tls");
    return list.tls_edges;
  };
  const oneEdge = async () => {
    const [edge] = await edges();
    if (edge === undefined) throw new Error("no edge");
    return edge;
  };

  const status = async () => {
    const list: { backends: { status_code: number }[] } = await sandbox.request("GET", "/backends/http_response");
    return list.backends[0]?.status_code;
  };

  it("validates without any key", async () => {
    await succeed("plan.yaml", "validate");
  });

  it("shows the first plan in a comment, beside the comments of people", async () => {
    github.say("Looks good to me");
    const { summary } = await succeed("plan.yaml", "plan");
    expect(github.comments).toHaveLength(2);
    expect(github.comments[1]?.body).toMatch(/^<!-- edgewise:plan:edge-prod -->\n/);
    expect(github.comments[1]?.body).toContain("TLSEdge/api");
    expect(summary).toContain("TLSEdge/api");
    expect(await edges()).toEqual([]);
  });

  it("keeps that one comment up to date", async () => {
    const before = github.comments[1]?.body;
    repository.commit(
      "edge/maintenance.yaml",
      readFileSync(join(repository.directory, "edge/maintenance.yaml"), "utf8").replace("503", "500"),
    );
    await succeed("plan.yaml", "plan");
    expect(github.comments).toHaveLength(2);
    expect(github.comments[0]?.body).toBe("Looks good to me");
    expect(github.comments[1]?.body).not.toBe(before);
    expect(github.comments[1]?.body).toContain("500");
  });

  it("applies the merged plan once it is approved", async () => {
    repository.pushMain();
    const planned = await succeed("apply.yaml", "plan");
    expect(planned.outputs).toMatchObject({ code: "2" });
    expect(planned.summary).toContain("TLSEdge/api");
    expect(await edges()).toEqual([]);

    const applied = await succeed("apply.yaml", "apply");
    expect(applied.summary).toContain("TLSEdge/api");
    expect(await edges()).toHaveLength(1);
    expect(existsSync(join(repository.directory, "../artifacts/edgewise-journal-journal.jsonl"))).toBe(true);
  });

  it("has nothing to approve when nothing changed", async () => {
    expect((await succeed("apply.yaml", "plan")).outputs).toMatchObject({ code: "0" });
    expect(workflow("apply.yaml").jobs["apply"]?.if).toBe("needs.plan.outputs.code == '2'");
  });

  it("records the applied commit in a branch, which it makes the first time", async () => {
    await succeed("apply.yaml", "record");
    const recorded = github.branches.get("edge-applied");
    expect(recorded).toMatch(/^[0-9a-f]{40}$/u);
    await succeed("apply.yaml", "record");
    expect(github.branches.get("edge-applied")).toBe(recorded);
  });

  it("finds no drift, and opens no issue", async () => {
    await succeed("drift.yaml", "drift");
    expect(github.issues).toEqual([]);
  });

  it("opens no issue for what is merged and not yet applied, once the applied commit is known", async () => {
    const file = join(repository.directory, "edge/maintenance.yaml");
    const applied = readFileSync(file, "utf8");
    repository.fetched("edge-applied", github.branches.get("edge-applied") ?? "");
    repository.commit("edge/maintenance.yaml", applied.replace("500", "502"));
    const { summary } = await succeed("drift.yaml", "drift");
    expect(summary).toContain("No drift: 1 pending.");
    repository.commit("edge/maintenance.yaml", applied);
    expect(github.issues).toEqual([]);
  });

  it("opens one issue for drift, and keeps it up to date", async () => {
    const { id } = await oneEdge();
    await sandbox.request("PATCH", `/edges/tls/${id}`, { description: "by hand" });
    await succeed("drift.yaml", "drift");
    expect(github.issues).toHaveLength(1);
    expect(github.issues[0]).toMatchObject({ state: "open", labels: ["edgewise-drift"] });
    expect(github.issues[0]?.body).toContain("by hand");

    await sandbox.request("PATCH", `/edges/tls/${id}`, { description: "by another hand" });
    await succeed("drift.yaml", "drift");
    expect(github.issues).toHaveLength(1);
    expect(github.issues[0]?.body).toContain("by another hand");
  });

  it("refuses an approved plan when live resources changed in between", async () => {
    expect((await succeed("apply.yaml", "plan")).outputs).toMatchObject({ code: "2" });
    const { id } = await oneEdge();
    await sandbox.request("PATCH", `/edges/tls/${id}`, { description: "moved" });
    const refused = await run("apply.yaml", "apply");
    expect(refused.code, refused.log).toBe(4);
    expect((await oneEdge()).description).toBe("moved");
  });

  it("refuses another plan than the approved one, though it would change the same", async () => {
    expect((await succeed("apply.yaml", "plan")).outputs).toMatchObject({ code: "2" });
    needed["needs.plan.outputs.hash"] = `sha256:${"0".repeat(64)}`;
    expect((await run("apply.yaml", "apply")).code).toBe(4);
  });

  it("closes the issue when the drift is gone", async () => {
    expect((await succeed("apply.yaml", "plan")).outputs).toMatchObject({ code: "2" });
    await succeed("apply.yaml", "apply");
    await succeed("drift.yaml", "drift");
    expect(github.issues).toHaveLength(1);
    expect(github.issues[0]).toMatchObject({ state: "closed" });
    expect(github.issues[0]?.comments.at(-1)?.body).toContain("/actions/runs/1");
  });

  it("rolls back to a commit of main, and applies that commit alone", async () => {
    const file = join(repository.directory, "edge/maintenance.yaml");
    const before = await status();
    repository.commit("edge/maintenance.yaml", readFileSync(file, "utf8").replace("500", "504"));
    repository.pushMain();
    await succeed("apply.yaml", "plan");
    await succeed("apply.yaml", "apply");
    expect(await status()).toBe(504);

    needed["inputs.ref"] = "origin/main~1";
    const planned = await succeed("rollback.yaml", "plan");
    expect(planned.summary).toContain("(`origin/main~1`)");
    expect(planned.outputs).toMatchObject({ code: "2", commit: expect.stringMatching(/^[0-9a-f]{40}$/u) });
    const applied = await succeed("rollback.yaml", "apply");
    expect(applied.summary).toContain(planned.outputs["commit"]?.slice(0, 12));
    expect(await status()).toBe(before);
    await succeed("rollback.yaml", "record");
    expect(github.branches.get("edge-applied")).toBe(planned.outputs["commit"]);
  });

  it("shows what was rolled back as pending", async () => {
    repository.fetched("edge-applied", github.branches.get("edge-applied") ?? "");
    expect((await succeed("drift.yaml", "drift")).summary).toContain("No drift: 1 pending.");
  });

  it("rolls back to nothing that was never merged, or that a guard refuses until it is named", async () => {
    repository.commit("edge/more.yaml", response("more"));
    needed["inputs.ref"] = "HEAD";
    const refused = await run("rollback.yaml", "plan");
    expect(refused.code, refused.log).toBe(1);
    expect(refused.log).toContain("was never merged into main");

    repository.commit("edge/more.yaml", ["a", "b", "c", "d"].map(response).join("---\n"));
    repository.pushMain();
    await succeed("apply.yaml", "plan");
    await succeed("apply.yaml", "apply");
    needed["inputs.ref"] = "origin/main~2";
    expect((await run("rollback.yaml", "plan")).code).toBe(4);
    needed["inputs.max-deletes"] = "4";
    needed["inputs.allow"] = "HTTPResponseBackend/a  HTTPResponseBackend/b";
    await succeed("rollback.yaml", "plan");
    const applied = await succeed("rollback.yaml", "apply");
    expect(applied.summary).toContain("HTTPResponseBackend/d");
    repository.commit("edge/more.yaml", null);
  });

  it("shows a refused plan, and fails the check", async () => {
    repository.commit("edge/tcp-eu.yaml", null);
    const refused = await run("plan.yaml", "plan");
    expect(refused.code, refused.log).toBe(4);
    expect(github.comments[1]?.body).toMatch(/ReservedAddress\/tcp-eu/);
    expect(github.comments[1]?.body).toMatch(/Refused[\s\S]*irreversible[\s\S]*allow/);
  });

  it("stops at an error, without changing the comment", async () => {
    const before = github.comments[1]?.body;
    repository.commit(
      "edge/broken.yaml",
      "apiVersion: edgewise/v1\nkind: TLSEdge\nmetadata: {name: x}\nspec: {hostport: []}\n",
    );
    const failed = await run("plan.yaml", "plan");
    expect(failed.code).toBe(1);
    expect(failed.log).toContain("hostport");
    expect(github.comments[1]?.body).toBe(before);
    expect((await run("plan.yaml", "validate")).code).toBe(1);
  });
});
