import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSandbox } from "../../../scripts/sandbox.mjs";
import { type InitRepository, initRepository } from "./init-repository.ts";
import type { Strings } from "./recipes.ts";
import { type GitlabRun, type RanGitlabJob, runPipeline } from "./run-pipeline.ts";

type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/** A project that holds only what `init --ci gitlab` wrote. */
class Project {
  readonly repository: InitRepository;
  readonly #sandbox: Sandbox;

  constructor(sandbox: Sandbox, others: readonly string[] = []) {
    this.#sandbox = sandbox;
    this.repository = initRepository("gitlab", others);
  }

  async #run(branch: string, env: Strings, approve?: GitlabRun["approve"]) {
    const { repository } = this;
    const jobs = await runPipeline({
      repository,
      sha: repository.commitOf(branch),
      env: {
        EDGEWISE_VERSION_HEADER: this.#sandbox.env.EDGEWISE_VERSION_HEADER,
        EDGEWISE_BASE_URL: this.#sandbox.baseUrl,
        EDGEWISE_READ_KEY: this.#sandbox.apiKey,
        EDGEWISE_WRITE_KEY: this.#sandbox.apiKey,
        EDGE_APPLIED_REMOTE: repository.origin,
        ...env,
      },
      ...(approve === undefined ? {} : { approve }),
    });
    for (const { name, untracked } of jobs) if (untracked !== "") throw new Error(`${name} leaves ${untracked}`);
    return jobs;
  }

  async plan(branch: string, target = "main") {
    return this.#run(branch, {
      CI_PIPELINE_SOURCE: "merge_request_event",
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: target,
    });
  }

  async apply(approve?: GitlabRun["approve"]) {
    return this.#run("main", { CI_PIPELINE_SOURCE: "push" }, approve);
  }

  async drift() {
    return this.#run("main", { CI_PIPELINE_SOURCE: "schedule" });
  }
}

function codes(jobs: readonly RanGitlabJob[]): Readonly<Record<string, number>> {
  return Object.fromEntries(jobs.map(({ name, code }) => [name, code]));
}

function logOf(jobs: readonly RanGitlabJob[]): string {
  return jobs.map(({ name, log }) => `--- ${name}\n${log}`).join("\n");
}

const example = "edge/example.yaml";
const fileOf = (job: RanGitlabJob | undefined, name: string) => readFileSync(join(job?.directory ?? "", name), "utf8");

// One story in order: each test continues where the last one ended.
describe("the GitLab pipeline that init writes, with one stack", () => {
  let sandbox: Sandbox;
  let project: Project;

  beforeAll(async () => {
    sandbox = await startSandbox();
    project = new Project(sandbox);
  });
  afterAll(() => {
    sandbox.stop();
    project.repository.remove();
  });
  const status = async () => {
    const { backends } = await sandbox.request("GET", "/backends/http_response");
    return backends[0] as { readonly id: string; readonly status_code: number };
  };

  it("uses no key before the target branch holds the program", async () => {
    project.repository.change("empty", ".edgewise/edgewise.mjs", null);
    project.repository.change("first", example, (text) => text.replace("503", "501"));
    const jobs = await project.plan("first", "empty");
    expect(codes(jobs), logOf(jobs)).toEqual({ validate: 0, "plan edge-config": 0 });
    expect(jobs[1]?.log).toContain("empty holds no .edgewise/edgewise.mjs yet");
    expect(existsSync(join(jobs[1]?.directory ?? "", "edgewise.plan"))).toBe(false);
  });

  it("applies exactly the plan that was shown, and records it", async () => {
    const changed = await project.apply((directory) => {
      const file = join(directory, "edgewise.plan");
      const plan = JSON.parse(readFileSync(file, "utf8"));
      writeFileSync(file, JSON.stringify({ ...plan, hash: `sha256:${"0".repeat(64)}` }));
    });
    expect(codes(changed), logOf(changed)).toMatchObject({ "plan-merged edge-config": 0 });
    expect(codes(changed)["apply edge-config"], logOf(changed)).not.toBe(0);

    const jobs = await project.apply();
    expect(codes(jobs), logOf(jobs)).toEqual({ validate: 0, "plan-merged edge-config": 0, "apply edge-config": 0 });
    expect(project.repository.commitOf("edge-applied-edge-config")).toBe(project.repository.commitOf("main"));
    const again = await project.apply();
    expect(codes(again), logOf(again)).toEqual({ validate: 0, "nothing to do": 0 });
  });

  it("shows the change counts of a merge request, planned by the target branch's program", async () => {
    const stolen = join(project.repository.scratch, "stolen");
    const evil = `import fs from "node:fs"; fs.writeFileSync(${JSON.stringify(stolen)}, "key");\n`;
    project.repository.change("change", ".edgewise/edgewise.mjs", evil);
    project.repository.change("change", example, (text) => text.replace("503", "502"));
    // Git reads origin/main as this tag.
    project.repository.tag("origin/main", project.repository.commitOf("change"));
    const jobs = await project.plan("change");
    expect(codes(jobs), logOf(jobs)).toEqual({ validate: 0, "plan edge-config": 0 });
    expect(JSON.parse(fileOf(jobs[1], "plan.json"))).toMatchObject({ create: 0, update: 1, delete: 0 });
    expect(fileOf(jobs[1], "plan.html")).toContain("maintenance");
    expect(JSON.parse(fileOf(jobs[0], "code-quality.json"))).toEqual([]);
    expect(existsSync(stolen)).toBe(false);
  });

  it("is red for an error, with a code quality report", async () => {
    const broken = "apiVersion: edgewise/v1\nkind: TLSEdge\nmetadata: {name: x}\nspec: {hostport: []}\n";
    project.repository.change("broken", "edge/broken.yaml", broken);
    const jobs = await project.plan("broken");
    expect(codes(jobs), logOf(jobs)).toEqual({ validate: 1 });
    expect(JSON.parse(fileOf(jobs[0], "code-quality.json"))[0]).toMatchObject({
      location: { path: "edge/broken.yaml" },
    });
  });

  it("is red for a plan that is refused, before and after the merge", async () => {
    project.repository.change("edgewise", "edgewise.yaml", (text) => text.replace("maxDeletes: 3", "maxDeletes: 0"));
    project.repository.change("edgewise", example, (text) => text.replace(/---\n[^]*/, ""));
    const jobs = await project.plan("edgewise");
    expect(codes(jobs), logOf(jobs)).toEqual({ validate: 0, "plan edge-config": 4 });
    project.repository.merge("edgewise");
    const merged = await project.apply();
    expect(codes(merged), logOf(merged)).toEqual({ validate: 0, "plan-merged edge-config": 4 });
  });

  it("tells drift from what is merged and not yet applied", async () => {
    const pending = await project.drift();
    expect(codes(pending), logOf(pending)).toEqual({ validate: 0, "drift edge-config": 0 });
    expect(fileOf(pending[1], "drift.xml")).toContain("<skipped");
    await sandbox.request("PATCH", `/backends/http_response/${(await status()).id}`, { status_code: 418 });
    const drifted = await project.drift();
    expect(codes(drifted), logOf(drifted)).toEqual({ validate: 0, "drift edge-config": 2 });
    expect(fileOf(drifted[1], "drift.xml")).toContain("<failure");
    expect(JSON.parse(fileOf(drifted[1], "drift.json"))).toMatchObject({ format: "edgewise.drift/v1", clean: false });
  });
});

describe("the GitLab pipeline that init writes, with three stacks", () => {
  let sandbox: Sandbox;
  let project: Project;

  beforeAll(async () => {
    sandbox = await startSandbox();
    project = new Project(sandbox, ["eu", "us"]);
  });
  afterAll(() => {
    sandbox.stop();
    project.repository.remove();
  });

  it("makes jobs for each at first", async () => {
    const jobs = await project.apply();
    expect(Object.keys(codes(jobs))).toHaveLength(7);
    expect(Object.values(codes(jobs)), logOf(jobs)).toEqual(Array(7).fill(0));
  });

  it("plans only the one that a merge request changes", async () => {
    project.repository.change("eu", "eu/edge/example.yaml", (text) => text.replace("503", "502"));
    const jobs = await project.plan("eu");
    expect(codes(jobs), logOf(jobs)).toEqual({ validate: 0, "plan eu": 0 });
  });

  it("applies only that one, in a group of its own", async () => {
    project.repository.merge("eu");
    const jobs = await project.apply();
    expect(codes(jobs), logOf(jobs)).toEqual({ validate: 0, "plan-merged eu": 0, "apply eu": 0 });
    const child = JSON.parse(fileOf(jobs[0], "edgewise-child.yml"));
    expect(child["apply eu"].resource_group).toBe("edgewise-apply-eu");
  });

  it("looks for drift in each, in groups of their own", async () => {
    const jobs = await project.drift();
    expect(Object.values(codes(jobs)), logOf(jobs)).toEqual([0, 0, 0, 0]);
    const child = JSON.parse(fileOf(jobs[0], "edgewise-child.yml"));
    expect(child["drift eu"].resource_group).toBe("edgewise-drift-eu");
  });
});
