import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { hostToken } from "../../commands/ci-hosts.ts";
import { hostileChange } from "./hostile-change.ts";
import { type Strings, checkOut, edit, runBash, team } from "./repository.ts";

interface Job {
  readonly stage: string;
  readonly rules: readonly { readonly if: string }[];
  readonly script?: readonly string[];
  readonly environment?: string | { readonly name: string };
}

interface Pipeline {
  /** The exit codes of the jobs. */
  readonly codes: { readonly [job: string]: number };
  readonly log: string;
  /** The artifacts and reports of the plan. */
  readonly plans: string;
}

async function gitlab() {
  const all = await team("gitlab");
  const { host, repository, sandbox } = all;
  const keys: { readonly [environment: string]: Strings } = {
    "edgewise-read": { EDGEWISE_READ_KEY: sandbox.apiKey, GITLAB_TOKEN: hostToken },
    edgewise: { EDGEWISE_WRITE_KEY: sandbox.apiKey, GITLAB_TOKEN: hostToken },
  };

  /** Runs a pipeline of a branch and, where its plan wrote one, the child, whose manual job somebody starts. */
  async function run(source: string, branch: string, variables: Strings = {}): Promise<Pipeline> {
    const sha = repository.commitOf(branch);
    const own = {
      CI_API_V4_URL: `${host.url}/api/v4`,
      CI_COMMIT_BRANCH: branch,
      CI_COMMIT_SHA: sha,
      CI_DEFAULT_BRANCH: "main",
      CI_PIPELINE_SOURCE: source,
      CI_PROJECT_ID: "12",
      EDGEWISE_BASE_URL: sandbox.baseUrl,
      EDGEWISE_VERSION_HEADER: sandbox.env.EDGEWISE_VERSION_HEADER,
      GITLAB_CI: "true",
      ...variables,
    };
    const codes: { [job: string]: number } = {};
    let [log, plans] = ["", ""];
    /** The jobs of a stage, each in a checkout of its own. */
    const runStage = async (wanted: string, given: Strings): Promise<void> => {
      const {
        stages,
        variables: _,
        default: defaults,
        ...jobs
      } = parse(readFileSync(join(checkOut(repository, sha), ".gitlab-ci.yml"), "utf8"));
      expect(stages).toContain(wanted);
      for (const [name, { environment, rules, script, stage }] of Object.entries<Job>(jobs)) {
        const scope = typeof environment === "object" ? environment.name : environment;
        const env = { ...repository.env, ...own, ...given };
        const condition = rules.map((rule) => `[[ ${rule.if} ]]`).join(" || ");
        if (stage !== wanted || script === undefined || (await runBash(condition, { cwd: "/", env })).code !== 0)
          continue;
        const cwd = checkOut(repository, sha);
        if (plans !== "") cpSync(plans, join(cwd, "edgewise-plans"), { recursive: true });
        const lines = [...defaults.before_script, ...script].join("\n");
        const ended = await runBash(lines, { cwd, env: { ...env, ...keys[scope ?? ""] } });
        codes[name] = ended.code;
        log += ended.log;
        if (name === "plan") plans = join(cwd, "edgewise-plans");
        for (const [applied, at] of host.applied) repository.setRef(`refs/heads/${applied}`, at);
      }
    };
    await runStage("plan", {});
    const child = join(plans, "pipeline.yml");
    if (branch === "main" && codes["plan"] === 0 && existsSync(child)) {
      const { include, variables: handedOn } = parse(readFileSync(child, "utf8"));
      expect(include).toEqual([{ local: ".gitlab-ci.yml" }]);
      await runStage("apply", { ...handedOn, CI_PIPELINE_SOURCE: "parent_pipeline" });
    }
    return { codes, log, plans };
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

describe("the GitLab pipeline that init writes", () => {
  it("goes from a plan to a roll-back, with two stacks", async () => {
    const { changeLive, expectStatuses, host, repository, request, run } = await gitlab();
    const first = repository.commitOf("main");
    repository.commit("change", (work) => {
      edit(join(work, "edge/example.yaml"), (text) => text.replace("503", "502"));
      repository.addStack("eu");
    });
    const planned = await request("change");
    expectCodes(planned, { check: 0, plan: 0 });
    const changes = readFileSync(join(planned.plans, "changes.gitlab.json"), "utf8");
    expect(JSON.parse(changes)).toEqual({ create: 4, update: 0, delete: 0 });
    expect(host.comments).toMatchObject([{ body: expect.stringContaining("502") }]);
    repository.merge("change");
    expectCodes(await run("push", "main"), { plan: 0, apply: 0 });
    await expectStatuses(502, 503);
    for (const slug of ["edge-config", "eu"])
      expect(repository.commitOf(`edge-applied-${slug}`)).toBe(repository.commitOf("main"));

    await changeLive(502, 418);
    const drifted = await run("schedule", "main");
    expectCodes(drifted, { drift: 2 });
    expect(drifted.log).toContain("418");

    const asked = { EDGEWISE_CI_REF: first, EDGEWISE_CI_STACK: "edge-config" };
    expectCodes(await run("web", "main", asked), { plan: 0, apply: 0 });
    await expectStatuses(503, 503);
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
