import { expect, it } from "vitest";
import { gitlabJob, pullRequest } from "./ci-hosts.ts";
import { backend } from "./stage.ts";

it("GitLab gets one note that is updated, counts and code quality, and a fork a plan that nobody is told", async () => {
  const { at, on } = await pullRequest();
  at.comments.push({ id: 1, body: "<!-- edgewise ci -->", state: "", user: { id: 5 }, updated_at: "" });
  await on.write("b/edge/more.yaml", backend("more", 'status_code: 503, body: "/close\\n/merge"'));
  const plan = gitlabJob(on, at, "merge_request_event", "plan");
  for (const _ of [1, 2]) expect(await plan()).toMatchObject({ exit: 0, out: expect.stringContaining("2 to create") });
  expect(at.comments[1]?.body).not.toMatch(/^\s*\//mu);
  expect(at.comments.map(({ body }) => body.includes("HTTPResponseBackend/b"))).toEqual([false, true]);
  expect(JSON.parse(await on.read("edgewise-plans/changes.gitlab.json"))).toEqual({ create: 2, update: 0, delete: 0 });
  const requests = at.requests.length;
  const fork = await plan({ CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "13" });
  expect(fork, fork.out).toMatchObject({ exit: 0, out: expect.stringContaining("not with the live account") });
  expect(await plan({ GITLAB_TOKEN: "" })).toMatchObject({
    exit: 0,
    err: expect.stringContaining("GITLAB_TOKEN is not"),
  });
  expect(at.requests).toHaveLength(requests);

  await on.write("b/edge/all.yaml", "kind: Nonsense\n");
  expect(await gitlabJob(on, at, "merge_request_event", "check")()).toMatchObject({ exit: 1 });
  const quality = JSON.parse(await on.read("edgewise-plans/code-quality.json"));
  expect(quality).toMatchObject([{ location: { path: "b/edge/all.yaml" } }]);
});

it("GitLab applies in a child pipeline where something changes, and moves the branch where nothing does", async () => {
  const { at, head, on } = await pullRequest();
  const plan = gitlabJob(on, at, "push", "plan");
  const child = async () => JSON.parse(await on.read("edgewise-plans/pipeline.yml"));
  expect(await plan()).toMatchObject({ exit: 0 });
  const written = await child();
  expect(written.include).toEqual([{ local: ".gitlab-ci.yml" }]);
  const apply = gitlabJob(on, at, "parent_pipeline", "apply");
  const applied = await apply(written.variables);
  expect(applied.exit, applied.err).toBe(0);
  const branches = { "edge-applied-a": head, "edge-applied-b": head };
  expect(Object.fromEntries(at.applied)).toEqual(branches);
  for (const name of Object.keys(branches)) on.git("update-ref", `refs/remotes/origin/${name}`, head);

  await on.write("a/edge/all.yaml", `# a comment\n${backend("a")}`);
  const next = on.commit("comment");
  const again = await gitlabJob(on, at, "push", "plan")();
  expect(again.exit, again.err).toBe(0);
  expect(Object.keys(await child())).toEqual(["nothing to apply"]);
  expect(Object.fromEntries(at.applied)).toEqual({ ...branches, "edge-applied-a": next });
});

it("GitLab's look for drift prints what it found, reports tests, and opens and closes an issue", async () => {
  const { at, on } = await pullRequest();
  for (const name of ["a", "b"]) await on.run("apply", "-y", "-c", `${name}/edgewise.yaml`);
  const path = `/backends/http_response/${on.id("HTTPResponseBackend", { status_code: 404 })}`;
  const drift = gitlabJob(on, at, "schedule", "drift");
  on.behind("PATCH", path, { description: "by hand" });
  for (const _ of [1, 2]) expect(await drift()).toMatchObject({ exit: 2, out: expect.stringContaining("by hand") });
  expect(await on.read("edgewise-plans/drift-b.xml")).toContain('failures="1"');
  expect(at.issues).toMatchObject([{ state: "open", body: expect.stringContaining("by hand") }]);
  on.behind("PATCH", path, { description: "" });
  expect(await drift()).toMatchObject({ exit: 0 });
  expect(at.issues).toMatchObject([{ state: "closed" }]);
});
