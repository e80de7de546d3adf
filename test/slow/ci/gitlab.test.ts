import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSandbox } from "../../../scripts/sandbox.mjs";
import { root } from "../../repository/source-files.ts";
import { type InitRepository, checkOut, initRepository } from "./init-repository.ts";
import type { Strings } from "./recipes.ts";
import { runBash } from "./run-bash.ts";

interface Pipeline {
  /** The exit codes of the jobs. */
  readonly codes: Readonly<Record<string, number>>;
  readonly log: string;
  /** The checkout, with the artifacts and reports of the jobs. */
  readonly directory: string;
}

// One story in order: each test continues where the last one ended.
describe("the GitLab pipeline that init writes, run by gitlab-ci-local", () => {
  const example = "edge/example.yaml";
  const stacks = ["edge-config", "eu"];
  let sandbox: Awaited<ReturnType<typeof startSandbox>>;
  let repository: InitRepository;

  beforeAll(async () => {
    sandbox = await startSandbox();
    repository = initRepository("gitlab", stacks.slice(1));
  });
  afterAll(() => {
    sandbox.stop();
    repository.remove();
  });

  /** Runs the first pipeline on a branch and, where that passed, the child that it wrote, with these manual jobs. */
  async function run(branch: string, variables: Strings, manual: readonly string[] = []): Promise<Pipeline> {
    const directory = mkdtempSync(join(repository.scratch, "pipeline-"));
    checkOut(repository, directory, { sha: repository.commitOf(branch), whole: true });
    const all = {
      EDGEWISE_VERSION_HEADER: sandbox.env.EDGEWISE_VERSION_HEADER,
      EDGEWISE_BASE_URL: sandbox.baseUrl,
      EDGEWISE_READ_KEY: sandbox.apiKey,
      EDGEWISE_WRITE_KEY: sandbox.apiKey,
      EDGE_APPLIED_REMOTE: `file://${repository.origin}`,
      CI_COMMIT_BRANCH: branch,
      CI_DEFAULT_BRANCH: "main",
      ...variables,
    };
    writeFileSync(join(directory, ".gitlab-ci-local-variables.yml"), JSON.stringify(all));
    const program = join(root, "test/slow/node_modules/gitlab-ci-local/dist/index.js");
    const fixed =
      "--force-shell-executor --shell-isolation --no-color --no-evaluate-rule-changes --max-job-name-padding 0";
    const local = async (args: string) => {
      const script = `node ${program} ${fixed} --home "$TMPDIR" --ignore-predefined-vars CI_PIPELINE_SOURCE,CI_COMMIT_BRANCH,CI_DEFAULT_BRANCH,CI_MERGE_REQUEST_TARGET_BRANCH_NAME ${args}`;
      const { text } = await runBash(script, { cwd: directory, env: repository.env });
      const ended = text.matchAll(/^(?!pipeline|parsing)(\S.*) finished in [\d.]+ m?s(?: +FAIL (\d+))?/gm);
      return { log: text, codes: [...ended].map(([, name = "", code]) => [name, Number(code ?? 0)] as const) };
    };
    const first = await local(`--stage validate --variable CI_PIPELINE_SOURCE=${variables["CI_PIPELINE_SOURCE"]}`);
    if (first.codes.some(([, code]) => code !== 0) || first.codes.length === 0)
      return { codes: Object.fromEntries(first.codes), log: first.log, directory };
    const clicks = manual.map((name) => `--manual '${name}'`).join(" ");
    const child = await local(`--file edgewise-child.yml --variable CI_PIPELINE_SOURCE=parent_pipeline ${clicks}`);
    return { codes: Object.fromEntries([...first.codes, ...child.codes]), log: first.log + child.log, directory };
  }
  const request = { CI_PIPELINE_SOURCE: "merge_request_event", CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main" };
  const fileOf = ({ directory }: Pipeline, name: string) => readFileSync(join(directory, name), "utf8");

  it("plans every stack, and applies each", async () => {
    const planned = stacks.map((name) => [`plan-merged ${name}`, 0]);
    const clicks = stacks.map((name) => `apply ${name}`);
    const { codes, log } = await run("main", { CI_PIPELINE_SOURCE: "push" }, clicks);
    const applied = stacks.map((name) => [`apply ${name}`, 0]);
    expect(codes, log).toEqual({ validate: 0, ...Object.fromEntries([...planned, ...applied]) });
    for (const name of stacks) expect(repository.commitOf(`edge-applied-${name}`)).toBe(repository.commitOf("main"));
  });

  it("plans only the stack that a merge request changes, by the target branch's program", async () => {
    const stolen = join(repository.scratch, "stolen");
    const evil = `import fs from "node:fs"; fs.writeFileSync(${JSON.stringify(stolen)}, "key");\n`;
    repository.change("change", ".edgewise/edgewise.mjs", evil);
    repository.change("change", example, (text) => text.replace("503", "502"));
    // Git reads origin/main as this tag.
    repository.tag("origin/main", repository.commitOf("change"));
    const pipeline = await run("change", request);
    expect(pipeline.codes, pipeline.log).toEqual({ validate: 0, "plan edge-config": 0 });
    expect(fileOf(pipeline, "plan.html")).toContain("502");
    expect(existsSync(stolen)).toBe(false);
  });

  it("tells drift from what is merged and not yet applied", async () => {
    const { backends } = await sandbox.request("GET", "/backends/http_response");
    const { id } =
      (backends as { id: string; metadata: string }[]).find(({ metadata }) => metadata.includes('"eu"')) ?? {};
    await sandbox.request("PATCH", `/backends/http_response/${id}`, { status_code: 418 });
    const pipeline = await run("main", { CI_PIPELINE_SOURCE: "schedule" });
    const expected = { validate: 0, "drift edge-config": 0, "drift eu": 2 };
    expect(pipeline.codes, pipeline.log).toEqual(expected);
    expect(JSON.parse(fileOf(pipeline, "drift.json"))).toMatchObject({ stack: "eu", clean: false });
  });
});
