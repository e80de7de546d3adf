import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSandbox } from "../../../scripts/sandbox.mjs";
import { type InitRepository, initRepository } from "./init-repository.ts";
import type { Strings } from "./recipes.ts";
import { type GitlabRun, type RanGitlabJob, runPipeline } from "./run-pipeline.ts";

const codes = (jobs: readonly RanGitlabJob[]) => Object.fromEntries(jobs.map(({ name, code }) => [name, code]));
const logOf = (jobs: readonly RanGitlabJob[]) => jobs.map(({ name, log }) => `--- ${name}\n${log}`).join("\n");
const fileOf = (job: RanGitlabJob | undefined, name: string) => readFileSync(join(job?.directory ?? "", name), "utf8");

// One story in order: each test continues where the last one ended.
describe("the GitLab pipeline that init writes", () => {
  const example = "edge/example.yaml";
  let sandbox: Awaited<ReturnType<typeof startSandbox>>;
  let repository: InitRepository;

  beforeAll(async () => {
    sandbox = await startSandbox();
    repository = initRepository("gitlab", ["eu"]);
  });
  afterAll(() => {
    sandbox.stop();
    repository.remove();
  });

  async function run(branch: string, own: Strings, approve?: GitlabRun["approve"]) {
    const jobs = await runPipeline({
      repository,
      sha: repository.commitOf(branch),
      env: {
        EDGEWISE_VERSION_HEADER: sandbox.env.EDGEWISE_VERSION_HEADER,
        EDGEWISE_BASE_URL: sandbox.baseUrl,
        EDGEWISE_READ_KEY: sandbox.apiKey,
        EDGEWISE_WRITE_KEY: sandbox.apiKey,
        EDGE_APPLIED_REMOTE: repository.origin,
        ...own,
      },
      ...(approve === undefined ? {} : { approve }),
    });
    for (const { name, untracked } of jobs) expect([name, untracked]).toEqual([name, ""]);
    return jobs;
  }
  const plan = async (branch: string, target = "main") =>
    run(branch, { CI_PIPELINE_SOURCE: "merge_request_event", CI_MERGE_REQUEST_TARGET_BRANCH_NAME: target });
  const apply = async (approve?: GitlabRun["approve"]) => run("main", { CI_PIPELINE_SOURCE: "push" }, approve);
  const drift = async () => run("main", { CI_PIPELINE_SOURCE: "schedule" });

  it("uses no key before the target branch holds the program", async () => {
    repository.change("empty", ".edgewise/edgewise.mjs", null);
    repository.change("first", example, (text) => text.replace("503", "501"));
    const jobs = await plan("first", "empty");
    expect(codes(jobs), logOf(jobs)).toEqual({ validate: 0, "plan edge-config": 0 });
    expect(jobs[1]?.log).toContain("empty holds no .edgewise/edgewise.mjs yet");
    expect(existsSync(join(jobs[1]?.directory ?? "", "edgewise.plan"))).toBe(false);
  });

  it("applies exactly the plan that was shown, of each stack, and records it", async () => {
    const changed = await apply((directory) => {
      const file = join(directory, "edgewise.plan");
      const saved = JSON.parse(readFileSync(file, "utf8"));
      writeFileSync(file, JSON.stringify({ ...saved, hash: `sha256:${"0".repeat(64)}` }));
    });
    expect(codes(changed), logOf(changed)).toMatchObject({
      "plan-merged eu": 0,
      "apply edge-config": 4,
      "apply eu": 4,
    });

    const jobs = await apply();
    const [validate, ...others] = jobs;
    expect([validate?.code, codes(others)], logOf(jobs)).toEqual([
      0,
      { "plan-merged edge-config": 0, "apply edge-config": 0, "plan-merged eu": 0, "apply eu": 0 },
    ]);
    const child = JSON.parse(fileOf(validate, "edgewise-child.yml"));
    expect(child["apply eu"].resource_group).toBe("edgewise-apply-eu");
    expect(repository.commitOf("edge-applied-edge-config")).toBe(repository.commitOf("main"));
    const again = await apply();
    expect(codes(again), logOf(again)).toEqual({ validate: 0, "nothing to do": 0 });
  });

  it("plans only the stack that a merge request changes, by the target branch's program", async () => {
    const stolen = join(repository.scratch, "stolen");
    const evil = `import fs from "node:fs"; fs.writeFileSync(${JSON.stringify(stolen)}, "key");\n`;
    repository.change("change", ".edgewise/edgewise.mjs", evil);
    repository.change("change", example, (text) => text.replace("503", "502"));
    // Git reads origin/main as this tag.
    repository.tag("origin/main", repository.commitOf("change"));
    const jobs = await plan("change");
    expect(codes(jobs), logOf(jobs)).toEqual({ validate: 0, "plan edge-config": 0 });
    expect(JSON.parse(fileOf(jobs[1], "plan.json"))).toMatchObject({ create: 0, update: 1, delete: 0 });
    expect(fileOf(jobs[1], "plan.html")).toContain("maintenance");
    expect(existsSync(stolen)).toBe(false);
  });

  it("is red for an error, with a code quality report, and for a plan that is refused", async () => {
    repository.change("broken", "edge/broken.yaml", "apiVersion: edgewise/v1\nkind: TLSEdge\nmetadata: {name: x}\n");
    const broken = await plan("broken");
    expect(codes(broken), logOf(broken)).toEqual({ validate: 1 });
    expect(JSON.parse(fileOf(broken[0], "code-quality.json"))[0]).toMatchObject({
      location: { path: "edge/broken.yaml" },
    });
    repository.change("gone", "edgewise.yaml", (text) => text.replace("maxDeletes: 3", "maxDeletes: 0"));
    repository.change("gone", example, (text) => text.replace(/---\n[^]*/, ""));
    const refused = await plan("gone");
    expect(codes(refused), logOf(refused)).toEqual({ validate: 0, "plan edge-config": 4 });
    repository.merge("gone");
    const merged = await apply();
    expect(codes(merged), logOf(merged)).toEqual({ validate: 0, "plan-merged edge-config": 4 });
  });

  it("tells drift from what is merged and not yet applied", async () => {
    const pending = await drift();
    expect(codes(pending), logOf(pending)).toEqual({ validate: 0, "drift edge-config": 0, "drift eu": 0 });
    expect(fileOf(pending[1], "drift.xml")).toContain("<skipped");
    const { backends } = await sandbox.request("GET", "/backends/http_response");
    for (const { id, metadata } of backends as { id: string; metadata: string }[]) {
      if (!metadata.includes('"eu"')) continue;
      // oxlint-disable-next-line no-await-in-loop
      await sandbox.request("PATCH", `/backends/http_response/${id}`, { status_code: 418 });
    }
    const drifted = await drift();
    expect(codes(drifted), logOf(drifted)).toEqual({ validate: 0, "drift edge-config": 0, "drift eu": 2 });
    expect(fileOf(drifted[2], "drift.xml")).toContain("<failure");
    expect(JSON.parse(fileOf(drifted[2], "drift.json"))).toMatchObject({ format: "edgewise.drift/v1", clean: false });
  });
});
