import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hostToken } from "../../commands/ci-hosts.ts";
import { root } from "../../repository/source-files.ts";
import { hostileChange } from "./hostile-change.ts";
import { type Strings, checkOut, edit, runBash, team } from "./repository.ts";

const program = join(root, "test/slow/node_modules/gitlab-ci-local/dist/index.js");

interface Pipeline {
  readonly codes: { readonly [job: string]: number };
  readonly log: string;
  readonly directory: string;
}

async function gitlab() {
  const all = await team("gitlab");
  const { host, repository, sandbox } = all;

  /** Runs a pipeline of a branch and, where its plan wrote one, the child, whose manual job somebody starts. */
  async function run(source: string, branch: string, variables: Strings = {}): Promise<Pipeline> {
    const directory = checkOut(repository, repository.commitOf(branch));
    const own = {
      CI_API_V4_URL: `${host.url}/api/v4`,
      CI_COMMIT_BRANCH: branch,
      CI_COMMIT_SHA: repository.commitOf(branch),
      CI_DEFAULT_BRANCH: "main",
      CI_PIPELINE_SOURCE: source,
      CI_PROJECT_ID: "12",
      GITLAB_CI: "true",
      ...variables,
    };
    const only = (environment: string, value: string) => ({ type: "variable", values: { [environment]: value } });
    const settings = {
      EDGEWISE_VERSION_HEADER: sandbox.env.EDGEWISE_VERSION_HEADER,
      EDGEWISE_BASE_URL: sandbox.baseUrl,
      EDGEWISE_READ_KEY: only("edgewise-read", sandbox.apiKey),
      EDGEWISE_WRITE_KEY: only("edgewise", sandbox.apiKey),
      GITLAB_TOKEN: only("edgewise*", hostToken),
    };
    const fixed = "--force-shell-executor --shell-isolation --no-color --max-job-name-padding 0";
    const local = async (file: string, jobs: string, given: object) => {
      writeFileSync(join(directory, ".gitlab-ci-local-variables.yml"), JSON.stringify(given));
      const script = `node ${program} ${jobs} --file ${file} ${fixed} --home "$TMPDIR" --ignore-predefined-vars ${Object.keys(own).join()}`;
      const { log } = await runBash(script, { cwd: directory, env: repository.env });
      for (const [name, sha] of host.applied) repository.setRef(`refs/heads/${name}`, sha);
      const ended = log.matchAll(/^(?!pipeline|parsing)(\S.*) finished in [\d.]+ m?s(?: +FAIL (\d+))?/gm);
      return { log, codes: Object.fromEntries([...ended].map(([, name = "", code]) => [name, Number(code ?? 0)])) };
    };
    const first = await local(".gitlab-ci.yml", "--stage plan", { ...settings, ...own });
    if (own.CI_PIPELINE_SOURCE === "schedule" || branch !== "main" || first.codes["plan"] !== 0)
      return { ...first, directory };
    // It knows no jobs of other pipelines, and gives a job what Git tracks.
    edit(join(directory, ".gitlab-ci.yml"), (text) => text.replace(/\n {2}needs: \[\{ pipeline: .*/u, ""));
    await runBash("git add --force edgewise-plans", { cwd: directory, env: repository.env });
    const write = { CI_PIPELINE_SOURCE: "parent_pipeline" };
    const child = await local("edgewise-plans/pipeline.yml", "--manual apply", { ...settings, ...own, ...write });
    return { codes: { ...first.codes, ...child.codes }, log: first.log + child.log, directory };
  }
  return {
    ...all,
    run,
    request: async (branch: string) =>
      run("merge_request_event", branch, {
        CI_MERGE_REQUEST_IID: "7",
        CI_MERGE_REQUEST_PROJECT_ID: "12",
        CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "12",
        CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
      }),
  };
}

function expectCodes({ codes, log }: Pipeline, expected: { readonly [job: string]: number }): void {
  expect(codes, log).toEqual(expected);
}

const fileOf = ({ directory }: Pipeline, name: string) => readFileSync(join(directory, "edgewise-plans", name), "utf8");

describe("the GitLab pipeline that init writes, run by gitlab-ci-local", () => {
  it("goes from a plan to a roll-back, with one stack and with three", async () => {
    const { changeLive, expectStatuses, host, repository, request, run } = await gitlab();
    const first = repository.commitOf("main");
    expectCodes(await run("push", "main"), { plan: 0, apply: 0 });
    await expectStatuses(503);
    repository.commit("change", (work) => {
      edit(join(work, "edge/example.yaml"), (text) => text.replace("503", "502"));
      for (const name of ["eu", "us"]) repository.addStack(name);
    });
    const planned = await request("change");
    expectCodes(planned, { check: 0, plan: 0 });
    expect(JSON.parse(fileOf(planned, "changes.gitlab.json"))).toEqual({ create: 4, update: 1, delete: 0 });
    expect(host.comments).toMatchObject([{ body: expect.stringContaining("502") }]);
    repository.merge("change");
    expectCodes(await run("push", "main"), { plan: 0, apply: 0 });
    await expectStatuses(502, 503, 503);
    for (const slug of ["edge-config", "eu", "us"])
      expect(repository.commitOf(`edge-applied-${slug}`)).toBe(repository.commitOf("main"));

    await changeLive(502, 418);
    const drifted = await run("schedule", "main");
    expectCodes(drifted, { drift: 2 });
    expect(drifted.log).toContain("418");

    const asked = { EDGEWISE_CI_REF: first, EDGEWISE_CI_STACK: "edge-config" };
    expectCodes(await run("web", "main", asked), { plan: 0, apply: 0 });
    await expectStatuses(503, 503, 503);
    expect(repository.commitOf("edge-applied-edge-config")).toBe(first);
  });

  it("gives a hostile change no key, and runs nothing of it where one is", async () => {
    const { expectStatuses, repository, request, sandbox } = await gitlab();
    const { expectHarmless } = await hostileChange(repository);
    const { codes, log } = await request("hostile");
    expect(codes, log).toMatchObject({ check: expect.any(Number), plan: 1 });
    expectHarmless(sandbox.apiKey, hostToken);
    await expectStatuses();
  });
});
