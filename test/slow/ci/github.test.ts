import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hostToken } from "../../commands/ci-hosts.ts";
import { root } from "../../repository/source-files.ts";
import { hostileChange } from "./hostile-change.ts";
import { edit, put, team } from "./repository.ts";
import { type RanJob, type WorkflowEvent, runWorkflow } from "./run-workflow.ts";

async function github() {
  const all = await team("github");
  const { host, repository, sandbox } = all;
  const main = { repository: { default_branch: "main", full_name: "o/r" } };
  const run = async (file: string, name: string, payload: object, more: Partial<WorkflowEvent> = {}) =>
    runWorkflow(file, {
      repository,
      host,
      name,
      payload: { ...main, ...payload },
      sha: repository.commitOf("main"),
      secrets: { EDGEWISE_READ_KEY: sandbox.apiKey },
      environment: { EDGEWISE_API_KEY: sandbox.apiKey },
      vars: { EDGEWISE_BASE_URL: sandbox.baseUrl },
      env: { EDGEWISE_VERSION_HEADER: sandbox.env.EDGEWISE_VERSION_HEADER },
      ...more,
    });
  return {
    ...all,
    plan: async (branch: string, from = "o/r") => {
      const head = { sha: repository.commitOf(branch), repo: { full_name: from } };
      const base = { ref: "main", sha: repository.commitOf("main"), repo: { full_name: "o/r" } };
      const fork = from === "o/r" ? {} : { secrets: {}, vars: {} };
      const payload = { number: 7, pull_request: { number: 7, base, head } };
      return run("edgewise-plan.yaml", "pull_request", payload, { sha: head.sha, ...fork });
    },
    queue: async (branch: string) => {
      const group = { base_sha: repository.commitOf("main"), head_sha: repository.commitOf(branch) };
      return run("edgewise-plan.yaml", "merge_group", { merge_group: group }, { sha: group.head_sha });
    },
    apply: async () => run("edgewise-apply.yaml", "push", {}),
    rollBack: async (ref: string, stack: string) =>
      run("edgewise-apply.yaml", "workflow_dispatch", { inputs: { ref, stack, allow: "", "max-deletes": "" } }),
    comment: async (body: string, user: object) => {
      const comment = { body, user, created_at: "2026-02-01T00:00:00Z" };
      const payload = { action: "created", issue: { number: 7, pull_request: {} }, comment };
      return run("edgewise-comment.yaml", "issue_comment", payload);
    },
    drift: async () => run("edgewise-drift.yaml", "schedule", {}),
  };
}

function expectCodes(jobs: { readonly [job: string]: RanJob }, codes: { readonly [job: string]: number }): void {
  const log = Object.values(jobs).map((job) => job.log);
  expect(Object.fromEntries(Object.entries(jobs).map(([name, { code }]) => [name, code])), log.join("\n")).toEqual(
    codes,
  );
}

describe("the GitHub workflows that init writes", () => {
  it("go from a plan to a roll-back, with one stack and with three", async () => {
    const { apply, changeLive, drift, host, plan, queue, repository, rollBack, expectStatuses } = await github();
    const first = repository.commitOf("main");
    expectCodes(await apply(), { plan: 0, apply: 0 });
    await expectStatuses(503);
    repository.commit("change", (work) => {
      edit(join(work, "edge/example.yaml"), (text) => text.replace("503", "502"));
      for (const name of ["eu", "us"]) repository.addStack(name);
    });
    expectCodes(await plan("change"), { check: 0, plan: 0 });
    expect(host.comments).toMatchObject([{ body: expect.stringContaining("502") }]);
    repository.merge("change");
    expectCodes(await apply(), { plan: 0, apply: 0 });
    await expectStatuses(502, 503, 503);
    for (const slug of ["edge-config", "eu", "us"])
      expect(repository.commitOf(`edge-applied-${slug}`)).toBe(repository.commitOf("main"));

    await changeLive(502, 418);
    expectCodes(await drift(), { drift: 2 });
    expect(host.issues).toMatchObject([{ state: "open", body: expect.stringContaining("418") }]);
    expectCodes(await rollBack(first, "edge-config"), { plan: 0, apply: 0 });
    await expectStatuses(503, 503, 503);
    expect(repository.commitOf("edge-applied-edge-config")).toBe(first);

    const policy = "policies: [{name: no, expression: 'true', message: no}]\nstack: ";
    repository.commit("refused", (work) =>
      edit(join(work, "edgewise.yaml"), (text) => text.replace("stack: ", policy)),
    );
    expectCodes(await queue("refused"), { check: 0, plan: 4 });
  });

  it("give a hostile change no key, and run nothing of it where one is", async () => {
    const { host, plan, repository, sandbox, expectStatuses } = await github();
    const { expectHarmless } = await hostileChange(repository);
    const jobs = await plan("hostile");
    expect(jobs["plan"]?.code).not.toBe(0);
    expect(JSON.stringify(host.comments)).toContain("elsewhere");
    const { plan: forked } = await plan("hostile", "somebody/r");
    expect(forked?.log).toContain("not with the live account");
    expect(forked?.log).not.toContain(sandbox.apiKey);
    expectHarmless(sandbox.apiKey, hostToken);
    expect(JSON.stringify(jobs)).not.toMatch(/^::error::pwned/mu);
    await expectStatuses();
    expect(readFileSync(join(repository.scratch, "stolen"), "utf8")).toContain("GITHUB_ACTIONS");
  });

  it("plan and apply by comments, with the recipe to copy", async () => {
    const { comment, host, repository, expectStatuses } = await github();
    const workflow = ".github/workflows/edgewise-comment.yaml";
    repository.commit("recipe", (work) =>
      put(work, workflow, readFileSync(join(root, "examples/ci/github/edgewise-comment.yaml"), "utf8")),
    );
    repository.merge("recipe");
    const { sha } = await hostileChange(repository, { broken: false });
    const [ben, ann] = ["ben", "ann"].map((login, index) => ({ login, id: index + 1, type: "User" }));
    const role = (user: object, role_name: string) => ({ role_name, user });
    const reviews: object[] = [];
    Object.assign(host.answers, {
      "collaborators/ben/permission": role(ben ?? {}, "write"),
      "collaborators/ann/permission": role(ann ?? {}, "maintain"),
      "pulls/7": {
        number: 7,
        state: "open",
        draft: false,
        merged: false,
        mergeable_state: "clean",
        user: ben,
        base: { ref: "main" },
        head: { sha, ref: "hostile", repo: { full_name: "o/r" } },
      },
      "pulls/7/reviews": reviews,
      "pulls/7/commits": [{ author: ben, committer: null }],
      "issues/7/timeline": [],
      activity: [{ actor: ben, after: sha }],
    });
    expectCodes(await comment("/edgewise plan", ben ?? {}), { command: 0, plan: 0 });
    expect(host.comments[0]?.body).toContain("502");
    expectCodes(await comment("/edgewise apply", ann ?? {}), { command: 4 });
    await expectStatuses();
    reviews.push({ user: ann, state: "APPROVED", commit_id: sha, submitted_at: "2026-01-01T00:00:00Z" });
    expectCodes(await comment("/edgewise apply", ann ?? {}), { command: 0, apply: 0 });
    await expectStatuses(502);
    expect(repository.commitOf("edge-applied-edge-config")).toBe(sha);
    expect(readFileSync(join(repository.scratch, "stolen"), "utf8")).toBe("");
  });
});
