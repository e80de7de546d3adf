import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { config, githubJob, gitlabJob, pullRequest } from "./ci-hosts.ts";
import { backend } from "./stage.ts";

it("applies what --approved names, as the plan said", async () => {
  const { on } = await pullRequest();
  const { err } = await on.run("ci", "plan");
  const [, approved = ""] = /approved=(sha256:[0-9a-f]{64})/u.exec(err) ?? [];
  const applied = await on.run("ci", "apply", "--approved", approved);
  expect(applied.exit, applied.err).toBe(0);
  expect(on.sandbox.world().lists.HTTPResponseBackend).toHaveLength(2);
});

it("plans nothing while two configurations own one stack: each would delete what the other makes", async () => {
  const { on } = await pullRequest();
  await on.run("apply", "-y", "-c", "a/edgewise.yaml");
  await on.write("b/edgewise.yaml", config("a"));
  const message = "a/edgewise.yaml and b/edgewise.yaml both own the stack";
  expect(await on.run("ci", "plan")).toMatchObject({ exit: 1, err: expect.stringContaining(message) });
  expect(await on.run("ci", "plan", "--slug", "b")).toMatchObject({ exit: 0 });
});

it("is not green where there is no stack, or where a variable selects one", async () => {
  const { on } = await pullRequest();
  const chosen = on.runWith({ env: { ...on.env, EDGEWISE_CONFIG: "a/edgewise.yaml" } }, "ci", "check");
  expect(await chosen.ran).toMatchObject({ exit: 1, err: expect.stringContaining("Unset EDGEWISE_CONFIG.") });
  for (const name of ["a", "b"]) await rm(join(on.dir, name), { recursive: true });
  for (const step of ["check", "drift", "plan"])
    expect(await on.run("ci", step)).toMatchObject({ exit: 1, err: expect.stringContaining("no edgewise.yaml") });
});

it("sends nothing to the service for a fork, whichever event it is and whatever key there is", async () => {
  const { at, details, on } = await pullRequest();
  details.pull_request.head.repo = { full_name: "somebody/r" };
  for (const event of ["pull_request", "pull_request_target", "pull_request_review"]) {
    const { output, run } = await githubJob(on, at, event, details, "plan");
    expect(await run()).toMatchObject({ exit: 0, out: expect.stringContaining("not with the live account") });
    expect(await output()).toEqual({ "": undefined });
  }
  expect([...at.requests, ...on.sandbox.requests().log]).toEqual([]);
  await expect(on.read("edgewise-plans/b.json")).rejects.toThrow("ENOENT");
});

it("says which file of the job can't be used, and plans nothing by an event that it can't read", async () => {
  const { at, details, on } = await pullRequest();
  const { run } = await githubJob(on, at, "workflow_dispatch", details, "plan");
  const unread = await run({ GITHUB_EVENT_PATH: on.dir });
  expect(unread).toMatchObject({ exit: 1, err: expect.stringContaining("can't be read as JSON") });
  const unwritten = await run({ GITHUB_OUTPUT: on.dir });
  expect(unwritten).toMatchObject({ exit: 1, err: expect.stringContaining("the file in GITHUB_OUTPUT can't be") });
});

it("GitLab's counts replace no plan of a stack", async () => {
  const { at, on } = await pullRequest();
  await on.write("changes/edgewise.yaml", config("changes"));
  await on.write("changes/edge/all.yaml", backend("changes"));
  expect(await gitlabJob(on, at, "push", "plan")()).toMatchObject({ exit: 0 });
  const { variables } = JSON.parse(await on.read("edgewise-plans/pipeline.yml"));
  const applied = await gitlabJob(on, at, "parent_pipeline", "apply")(variables);
  expect(applied.exit, applied.err).toBe(0);
  expect([...at.applied.keys()]).toContain("edge-applied-changes");
});
