import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { startSandbox } from "../../scripts/sandbox.mjs";
import { makeConfiguration } from "./configuration.ts";
import type { Configuration } from "./configuration.ts";
import { action, gitlabJobs, recipeText } from "./recipes.ts";
import type { Strings } from "./recipes.ts";

let sandbox: Awaited<ReturnType<typeof startSandbox>>;
let repository: Configuration;

beforeAll(async () => {
  sandbox = await startSandbox();
  repository = makeConfiguration();
});
afterAll(() => {
  sandbox.stop();
  repository.remove();
});

function bash(script: string, env: Strings) {
  return spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script], {
    cwd: repository.directory,
    encoding: "utf8",
    env: { ...repository.env, EDGEWISE_VERSION_HEADER: sandbox.env.EDGEWISE_VERSION_HEADER, ...env },
  });
}

const read = (file: string) => readFileSync(join(repository.directory, file), "utf8");

describe("the GitLab pipeline, run against the sandbox", () => {
  function run(job: string, env: Strings = {}) {
    const script = gitlabJobs.get(job)?.script.join("\n");
    if (script === undefined) throw new Error(`no job ${job}`);
    const { status, stderr } = bash(script, {
      EDGEWISE_ENVIRONMENT: "prod",
      EDGEWISE_BASE_URL: sandbox.baseUrl,
      EDGEWISE_READ_KEY: sandbox.apiKey,
      EDGEWISE_WRITE_KEY: sandbox.apiKey,
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
      ...env,
    });
    return { status, stderr };
  }

  it("validates, and shows the change counts of a merge request", () => {
    expect(run("validate")).toMatchObject({ status: 0 });
    expect(run("plan")).toMatchObject({ status: 0 });
    expect(JSON.parse(read("plan.json"))).toMatchObject({ create: 4, update: 0, delete: 0 });
    expect(read("plan.html")).toContain("TLSEdge/api");
  });

  it("applies the plan made after the merge, and then finds no drift", async () => {
    expect(run("plan-merged")).toMatchObject({ status: 0 });
    expect(run("apply")).toMatchObject({ status: 0 });
    expect(read("journal.jsonl").trim().split("\n").length).toBeGreaterThan(0);
    expect(run("drift")).toMatchObject({ status: 0 });
    expect(read("drift.xml")).toContain("<testsuite");
  });

  it("records the applied commit, and tells what is merged since from drift", () => {
    const remote = join(repository.directory, "..", "remote.git");
    const git = (...args: string[]) => spawnSync("git", args, { cwd: repository.directory, encoding: "utf8" }).stdout;
    git("init", "--quiet", "--bare", remote);
    run("plan-merged");
    expect(run("apply", { EDGE_APPLIED_REMOTE: remote })).toMatchObject({ status: 0 });
    const applied = git("ls-remote", remote, "refs/heads/edge-applied").split("\t")[0] ?? "";
    expect(applied).toBe(git("rev-parse", "HEAD").trim());
    repository.fetched("edge-applied", applied);
    const before = read("edge/maintenance.yaml");
    repository.commit("edge/maintenance.yaml", before.replace("503", "502"));
    expect(run("drift")).toMatchObject({ status: 0 });
    expect(read("drift.xml")).toContain("<skipped");
    repository.commit("edge/maintenance.yaml", before);
  });

  it("fails the scheduled pipeline on drift", async () => {
    const { backends } = await sandbox.request("GET", "/backends/http_response");
    await sandbox.request("PATCH", `/backends/http_response/${backends[0].id}`, { status_code: 418 });
    expect(run("drift")).toMatchObject({ status: 2 });
    expect(read("drift.xml")).toContain("<failure");
  });
});

describe("the CronJob's container", () => {
  const { containers } = parse(recipeText("examples/ci/kubernetes/drift-cronjob.yaml")).spec.jobTemplate.spec.template
    .spec;
  const [container]: readonly { args: string[]; env: { name: string; value: string }[] }[] = containers;

  it("finds the drift with its key from a file, and reports it as JSON", () => {
    const keyFile = join(repository.directory, "..", "key");
    writeFileSync(keyFile, `${sandbox.apiKey}\n`);
    const args = container?.args.map((arg) => (arg === "/run/edgewise/key" ? keyFile : arg)) ?? [];
    const env = Object.fromEntries(container?.env.map(({ name, value }) => [name, value]) ?? []);
    const { status, stdout, stderr } = bash(["edgewise", ...args].join(" "), {
      ...env,
      EDGEWISE_BASE_URL: sandbox.baseUrl,
    });
    expect(status, stderr).toBe(2);
    expect(stdout).toContain("HTTPResponseBackend/maintenance");
  });
});

describe("the action's command", () => {
  const step = action.runs.steps.find(({ name }) => name === "Run");

  function run(command: string, args: string) {
    const outputs = join(repository.directory, ".output");
    writeFileSync(outputs, "");
    const result = bash(step?.run ?? "exit 99", {
      COMMAND: command,
      ARGS: args,
      EDGEWISE_ENVIRONMENT: "prod",
      EDGEWISE_API_KEY: sandbox.apiKey,
      EDGEWISE_BASE_URL: sandbox.baseUrl,
      GITHUB_OUTPUT: outputs,
    });
    return { status: result.status, stderr: result.stderr, outputs: readFileSync(outputs, "utf8") };
  }

  it("passes its arguments, one on each line, and returns the exit code", () => {
    expect(run("validate", "-o\njson")).toMatchObject({ status: 0, outputs: "code=0\n" });
    expect(run("plan", "--detailed-exitcode\n")).toMatchObject({ status: 0, outputs: "code=2\n" });
  });

  it("works without arguments, and fails the step on errors", () => {
    expect(run("validate", "")).toMatchObject({ status: 0 });
    expect(run("no-such-command", "")).toMatchObject({ status: 1, outputs: "code=1\n" });
  });

  it("never evaluates an input as shell", () => {
    run("validate", "; touch pwned\n$(touch pwned)\n`touch pwned`");
    expect(existsSync(join(repository.directory, "pwned"))).toBe(false);
  });
});
