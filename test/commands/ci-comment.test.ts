import { expect, it } from "vitest";
import { githubJob, pullRequest } from "./ci-hosts.ts";

async function reviewed() {
  const { at, head, main, on } = await pullRequest();
  const user = (login: string, id: number) => ({ login, id, type: "User" });
  const people = { ann: user("ann", 1), ben: user("ben", 2), eve: user("eve", 5), root: user("root", 3) };
  const roles = { ann: "maintain", ben: "write", eve: "read", root: "admin" };
  for (const [login, role_name] of Object.entries(roles))
    at.answers[`collaborators/${login}/permission`] = { role_name, user: people[login as keyof typeof people] };
  const pull = {
    number: 3,
    state: "open",
    draft: false,
    merged: false,
    mergeable_state: "clean",
    user: people.ben,
    base: { ref: "main" },
    head: { sha: head, ref: "change", repo: { full_name: "o/r" } },
  };
  const reviews: object[] = [];
  at.answers["pulls/3"] = pull;
  at.answers["pulls/3/reviews"] = reviews;
  at.answers["pulls/3/commits"] = [{ author: people.ben, committer: null }];
  at.answers["issues/3/timeline"] = [];
  at.answers["activity"] = [{ actor: people.ann, after: head }];
  const review = (login: keyof typeof people, commit_id: string, state = "APPROVED") =>
    reviews.push({ user: people[login], state, commit_id, submitted_at: "2026-01-01T00:00:00Z" });
  const comment = async (action: string, body: string, login: keyof typeof people, env = {}) => {
    const details = {
      action: "created",
      issue: { number: 3, pull_request: {} },
      comment: { body, user: people[login], created_at: "2026-02-01T00:00:00Z" },
      repository: { default_branch: "main" },
    };
    const { output, run } = await githubJob(on, at, "issue_comment", details, action);
    const { err, exit } = await run(env);
    return { exit, err, answer: at.comments.at(-1)?.body ?? "", output: exit === 0 ? await output() : {} };
  };
  return { at, comment, head, main, on, pull, review };
}

it("a command plans, and applies exactly what its comment shows once another writer approved", async () => {
  const { at, comment, head, main, on, pull, review } = await reviewed();
  const decided = await comment("comment", "/edgewise plan", "ben");
  expect(decided).toMatchObject({ exit: 0, output: { command: "plan", commit: head } });
  expect(await comment("plan", "/edgewise plan", "ben")).toMatchObject({ exit: 0 });
  expect(at.comments).toHaveLength(1);
  expect(at.comments[0]?.body).toContain("To apply exactly this, comment `/edgewise apply`.");

  const steps = ["comment", "apply", "comment"].values();
  const refused = async (text: RegExp, login: Parameters<typeof comment>[2] = "root", env = {}) => {
    const { answer, err, exit } = await comment(steps.next().value ?? "apply", "/edgewise apply", login, env);
    expect({ exit, answer }, err).toEqual({ exit: 4, answer: expect.stringMatching(text) });
    expect(on.writes()).toBe(0);
  };
  await refused(/Your role in this repository is write/u, "ben");
  review("ben", head);
  review("ann", head);
  review("root", main);
  await refused(/Nobody but its authors has approved commit/u);
  review("root", head);
  await refused(/can't be repeated/u, "root", { GITHUB_RUN_ATTEMPT: "2" });
  pull.draft = true;
  await refused(/is a draft/u);
  pull.draft = false;
  pull.head.sha = main;
  await refused(/doesn't say who pushed/u);
  pull.head.sha = head;
  const [shown] = at.comments;
  if (shown === undefined) throw new Error("no plan was shown");
  const body = shown.body;
  shown.updated_at = "2026-03-01T00:00:00Z";
  await refused(/newer than your comment/u);
  shown.updated_at = "2026-01-01T00:00:00Z";
  shown.body = body.replace("HTTPResponseBackend/b", "HTTPResponseBackend/harmless");
  expect(await comment("apply", "/edgewise apply", "root")).toMatchObject({
    exit: 4,
    answer: expect.stringMatching(/The comment doesn't show this plan/u),
  });
  shown.body = body.replaceAll("\n", "\r\n");
  expect(on.writes()).toBe(0);
  const applied = await comment("apply", "/edgewise apply", "root", { ORIGIN_KEY: "secret-of-a-manifest" });
  expect(applied, applied.err).toMatchObject({ exit: 0 });
  expect(at.applied.get("edge-applied-b")).toBe(head);
  expect(applied.answer).toContain("Merge this: until then, an apply of the default branch takes it back.");
  expect(applied.answer).not.toContain("revert");
});

it("what is no command, or by somebody who may give none, does nothing", async () => {
  const { at, comment, pull } = await reviewed();
  const nothing = { exit: 0, output: { command: "", commit: "" } };
  for (const [text, login] of [
    ["please /edgewise apply", "root"],
    ["/edgewise-apply", "root"],
    ["/edgewise apply", "eve"],
  ] as const)
    expect(await comment("comment", text, login)).toMatchObject(nothing);
  expect(at.comments).toEqual([]);
  expect(await comment("comment", "/edgewise apply --allow $(id)", "root")).toMatchObject(nothing);
  expect(at.comments.map(({ body }) => body)).toEqual([expect.stringContaining("Commands are `/edgewise plan`")]);
  pull.head.repo.full_name = "eve/r";
  expect(await comment("comment", "/edgewise plan", "ben")).toMatchObject({
    exit: 4,
    answer: expect.stringContaining("a fork"),
  });
});

it("a command applies nothing while one of its stacks can't be applied", async () => {
  const { comment, head, on, review } = await reviewed();
  await on.write("c/edgewise.yaml", "kind: [\n");
  expect(await comment("plan", "/edgewise plan", "ben")).toMatchObject({ exit: 1 });
  review("root", head);
  expect(await comment("apply", "/edgewise apply", "root")).toMatchObject({
    exit: 4,
    answer: expect.stringContaining("Not every stack can be applied"),
  });
  expect(on.writes()).toBe(0);
});
