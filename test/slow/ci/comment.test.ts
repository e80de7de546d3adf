import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startSandbox } from "../../../scripts/sandbox.mjs";
import { root } from "../../repository/source-files.ts";
import { FakeGithub } from "./fake-github.ts";
import { GithubApi } from "./github-api.ts";
import { type InitRepository, initRepository } from "./init-repository.ts";
import { type Strings, recipeText } from "./recipes.ts";
import { runBash } from "./run-bash.ts";
import { type RanJob, runWorkflow } from "./run-workflow.ts";

type Sandbox = Awaited<ReturnType<typeof startSandbox>>;
interface CommentEvent {
  readonly action?: string;
  /** A comment on an issue, not on a pull request. */
  readonly onIssue?: boolean;
  readonly attempt?: string;
  readonly login?: string;
  /** The number of the user; by default that of who has the name. */
  readonly id?: number;
  readonly type?: string;
  readonly deleted?: boolean;
  /** What happens before each approval of the environment. */
  readonly approve?: () => unknown;
  /** What happens between the comment and the run. */
  readonly meanwhile?: () => unknown;
}

/** A repository with the recipe, its pull request 7 from the branch `change`, and GitHub's API on loopback. */
class Team {
  readonly github = new FakeGithub();
  readonly api = new GithubApi(this.github);
  readonly repository: InitRepository = initRepository("github", ["eu"]);
  readonly #sandbox: Sandbox;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
    for (const [path, from] of [
      [".github/workflows/edgewise-comment.yaml", "edgewise-comment.yaml"],
      [".github/edgewise/comment-command.mjs", "comment-command.mjs"],
    ] as const)
      this.repository.change("recipe", path, recipeText(`examples/ci/github-comments/${from}`));
    this.repository.merge("recipe");
  }

  async #run(name: string, values: Strings, env: Strings, approve: () => unknown = () => {}) {
    const { repository, github, api } = this;
    const sha = repository.commitOf("main");
    const jobs = await runWorkflow(name, {
      repository,
      sha,
      values: {
        "github.repository": "example/edge",
        "github.event.repository.default_branch": "main",
        "github.token": api.token,
        "secrets.EDGEWISE_READ_KEY": this.#sandbox.apiKey,
        "environment.EDGEWISE_API_KEY": this.#sandbox.apiKey,
        "vars.EDGEWISE_BASE_URL": this.#sandbox.baseUrl,
        ...values,
      },
      script: (code, own, directory) => github.run({ directory, sha, code, env: own }),
      approve,
      env: { EDGEWISE_VERSION_HEADER: this.#sandbox.env.EDGEWISE_VERSION_HEADER, ...env },
    });
    for (const [tag, commit] of github.tags) repository.tag(tag, commit);
    return jobs;
  }

  /** Somebody comments, and the workflow runs. */
  async comment(body: string, event: CommentEvent = {}): Promise<readonly RanJob[]> {
    const { login = "ann", type = "User", attempt = "1", action = "created" } = event;
    const id = event.id ?? this.api.people.find((person) => person.login === login)?.id ?? 99;
    const comment = this.github.say(body, event.deleted === true ? null : { login, id, type });
    const file = join(this.repository.scratch, "event.json");
    const issue = { number: 7, ...(event.onIssue === true ? {} : { pull_request: { url: "x" } }) };
    writeFileSync(file, JSON.stringify({ action, issue, comment, repository: { default_branch: "main" } }));
    await event.meanwhile?.();
    const values = {
      "github.event.issue.pull_request": event.onIssue === true ? "" : "Object",
      "github.event.comment.body": body,
      "github.event.comment.user.type": comment.user?.type ?? "",
      "github.run_attempt": attempt,
    };
    const env = {
      GITHUB_API_URL: this.api.url,
      GITHUB_EVENT_NAME: "issue_comment",
      GITHUB_EVENT_PATH: file,
      GITHUB_REPOSITORY: "example/edge",
      GITHUB_RUN_ATTEMPT: attempt,
      GITHUB_RUN_ID: "1",
      GITHUB_SERVER_URL: "https://github.example.com",
    };
    return this.#run("edgewise-comment.yaml", values, env, event.approve);
  }

  /** The workflow of a push to the main branch. */
  async push(): Promise<readonly RanJob[]> {
    return this.#run("edgewise-apply.yaml", {}, { GITHUB_EVENT_NAME: "push" });
  }

  async drift(): Promise<readonly RanJob[]> {
    return this.#run("edgewise-drift.yaml", {}, { GITHUB_EVENT_NAME: "schedule" });
  }

  /** A commit on the pull request's branch, which GitHub shows as its head. */
  commit(path: string, text: (before: string) => string): string {
    const sha = this.repository.change("change", path, text);
    this.api.pull.head.sha = sha;
    return sha;
  }

  /** The newest comment. */
  get last(): string {
    return this.github.comments.at(-1)?.body ?? "";
  }
}

function codes(jobs: readonly RanJob[]): Readonly<Record<string, number>> {
  return Object.fromEntries(jobs.map(({ job, stack, code }) => [`${job} ${stack}`.trim(), code]));
}

function logOf(jobs: readonly RanJob[]): string {
  return jobs.map(({ job, stack, log }) => `--- ${job} ${stack}\n${log}`).join("\n");
}

const example = "edge/example.yaml";

// One story in order: each test continues where the last one ended.
describe("the comment commands", () => {
  let sandbox: Sandbox;
  let team: Team;

  beforeAll(async () => {
    sandbox = await startSandbox();
    team = new Team(sandbox);
    await team.api.start();
    const jobs = await team.push();
    if (jobs.length !== 7 || jobs.some(({ code }) => code !== 0)) throw new Error(logOf(jobs));
    team.commit(example, (text) => text.replace("503", "502"));
  });
  afterAll(() => {
    sandbox.stop();
    team.api.stop();
    team.repository.remove();
  });

  const status = async () => {
    const { backends } = await sandbox.request("GET", "/backends/http_response");
    return (backends as { description: string; metadata: string; status_code: number }[])
      .filter(({ metadata }) => metadata.includes('"edge-config"'))
      .map(({ status_code }) => status_code)
      .join();
  };
  const head = () => team.api.pull.head.sha;
  const applied = () => team.github.tags.get("edge-applied-edge-config");
  /** A command that is refused with a text, and changes nothing. */
  const refused = async (body: string, text: string | RegExp, event: CommentEvent = {}) => {
    const before = [await status(), applied(), team.github.comments.length] as const;
    const jobs = await team.comment(body, event);
    expect(Object.values(codes(jobs)).at(-1), logOf(jobs)).toBe(1);
    expect(team.last).toMatch(text);
    expect([await status(), applied(), team.github.comments.length]).toEqual([before[0], before[1], before[2] + 2]);
    expect(Object.keys(codes(jobs)).filter((job) => !["check", "stacks"].includes(job))).toEqual([]);
  };

  it("plan the stacks that the pull request changes, in a comment for each", async () => {
    const jobs = await team.comment("/edgewise plan", { login: "ben" });
    expect(codes(jobs), logOf(jobs)).toEqual({ check: 0, stacks: 0, "plan edge-config": 0, answer: 0 });
    const [plan] = team.github.comments.filter(({ body }) => body.startsWith("<!-- edgewise plan of edge-config by"));
    expect(plan?.body).toContain("502");
    expect(plan?.body.split("\n")[1]).toMatch(new RegExp(`^<!-- commit=${head()} hash=sha256:[0-9a-f]{64} -->$`));
    expect(team.last).toContain("planned");
    expect(await status()).toBe("503");
  });

  it("plan again in the same comment, and any stack that is named", async () => {
    const jobs = await team.comment("/edgewise plan eu edge-config\r\n  \n");
    expect(codes(jobs), logOf(jobs)).toEqual({
      check: 0,
      stacks: 0,
      "plan edge-config": 0,
      "plan eu": 0,
      answer: 0,
    });
    const marked = team.github.comments.filter(({ body }) => body.startsWith("<!-- edgewise plan of"));
    expect(marked).toHaveLength(2);
    await refused("/edgewise plan nothing", /no stack `nothing`. Stacks: `edge-config`, `eu`/);
  });

  it("refuse to apply without an approval of exactly this commit by another writer", async () => {
    const { api } = team;
    const text = /Nobody but its author has approved commit/;
    await refused("/edgewise apply", text);
    api.review("ben", "APPROVED", head()); // the author
    api.review("eve", "APPROVED", head()); // can't write
    api.review("zoe", "APPROVED", head()); // nobody here
    api.review("root", "APPROVED", team.repository.commitOf("main")); // another commit
    api.reviews.push({ user: null, state: "APPROVED", commit_id: head(), submitted_at: "2029-01-01T00:00:00Z" });
    await refused("/edgewise apply", text);
    api.review("ann", "APPROVED", head());
    api.review("ann", "DISMISSED", head());
    await refused("/edgewise apply", text);
    api.review("root", "CHANGES_REQUESTED", head());
    await refused("/edgewise apply", /requests changes/);
    api.review("root", "APPROVED", head());
    // More than one page of reviews, the newest of which counts.
    for (let n = 0; n < 130; n++) api.review("eve", "APPROVED", head());
    api.review("root", "CHANGES_REQUESTED", head());
    await refused("/edgewise apply", /requests changes/);
    api.reviews = [];
    api.review("root", "APPROVED", head());
  });

  it("refuse an approval from before the base branch was changed: it was of another difference", async () => {
    const { api } = team;
    // Comments and commits are on the timeline, too, and more than fit on a page.
    for (let n = 0; n < 120; n++) api.timeline.push({ event: "commented", created_at: "2029-02-01T00:00:00Z" });
    api.timeline.push({ event: "base_ref_changed", created_at: "2029-01-02T00:00:00Z" });
    await refused("/edgewise apply", /has approved commit [0-9a-f]{12} since its base branch was changed/);
    api.review("root", "APPROVED", head(), "not a time");
    await refused("/edgewise apply", /since its base branch was changed/);
    api.review("root", "APPROVED", head(), "2029-01-03T00:00:00Z");
    api.timeline.push({ event: "automatic_base_change_succeeded", created_at: "2029-01-04T00:00:00Z" });
    await refused("/edgewise apply", /since its base branch was changed/);
    api.timeline = [];
  });

  it("refuse what GitHub would not merge", async () => {
    const { pull } = team.api;
    const cases = [
      [{ draft: true }, /draft/],
      [{ mergeable_state: "blocked" }, /checks or reviews/],
      [{ mergeable_state: "behind" }, /update the branch/],
      [{ mergeable_state: "dirty" }, /conflicts/],
      [{ mergeable_state: "unknown" }, /doesn't know yet/],
      [{ mergeable_state: "constructor" }, /GitHub doesn't allow it/],
      [{ state: "closed" }, /closed without a merge/],
      [{ base: { ref: "release" } }, /default branch/],
      [{ head: { ...pull.head, repo: { full_name: "eve/edge" } } }, /fork/],
      [{ head: { ...pull.head, repo: null } }, /fork/],
    ] as const;
    const before = { ...pull };
    for (const [change, text] of cases) {
      Object.assign(pull, change);
      // oxlint-disable-next-line no-await-in-loop
      await refused("/edgewise apply", text);
      Object.assign(pull, before);
    }
  });

  it("refuse a plan that is newer than the comment, and one of another commit", async () => {
    const [plan] = team.github.comments.filter(({ body }) => body.startsWith("<!-- edgewise plan of edge-config by"));
    if (plan === undefined) throw new Error("no plan");
    const { updated_at, body } = plan;
    plan.updated_at = "2031-01-01T00:00:00Z";
    await refused("/edgewise apply", /newer than your comment/);
    plan.updated_at = "not a time";
    await refused("/edgewise apply", /newer than your comment/);
    plan.updated_at = updated_at;
    // Somebody pushes after the approval and the plan, between the comment and its run.
    const seen = head();
    await refused("/edgewise apply", /Nobody but its author has approved/, {
      meanwhile: () => team.commit(example, (text) => text.replace("502", "599")),
    });
    team.api.review("root", "APPROVED", head());
    await refused("/edgewise apply", /No plan of `edge-config` was shown for commit/);
    // People and other programs write plans, too.
    const forged = body.replaceAll(seen, head());
    team.github.say(forged);
    team.github.say(forged, { type: "Bot", login: "other[bot]", id: 8 });
    team.github.say(forged, { type: "User", login: "github-actions[bot]", id: 8 });
    await refused("/edgewise apply", /No plan of `edge-config` was shown for commit/);
    // The hash is that of another plan: nothing is applied.
    plan.body = forged;
    const jobs = await team.comment("/edgewise apply");
    expect(codes(jobs), logOf(jobs)).toMatchObject({ "apply/plan edge-config": 4, answer: 0 });
    expect(logOf(jobs)).toContain("The plan is another one than the comment showed");
    expect(Object.keys(codes(jobs))).not.toContain("apply/apply edge-config");
    expect(team.last).toContain("failed or refused");
    expect(await status()).toBe("503");
    team.commit(example, (text) => text.replace("599", "502"));
    team.api.reviews = [];
    team.api.review("root", "APPROVED", head());
    await team.comment("/edgewise plan");
  });

  it("refuse a plan whose comment somebody with the role write has edited to hide a change", async () => {
    const [plan] = team.github.comments.filter(({ body }) => body.startsWith("<!-- edgewise plan of edge-config by"));
    if (plan === undefined) throw new Error("no plan");
    const { body } = plan;
    // The commit and the hash stay: only what people read is another text.
    plan.body = body.replaceAll("502", "503");
    const jobs = await team.comment("/edgewise apply");
    expect(codes(jobs), logOf(jobs)).toMatchObject({ "apply/plan edge-config": 4, answer: 0 });
    expect(logOf(jobs)).toContain("The comment doesn't show this plan");
    expect(Object.keys(codes(jobs))).not.toContain("apply/apply edge-config");
    expect(await status()).toBe("503");
    for (const edited of [
      `${body}\nNothing is deleted.`,
      body.replace("\n", "\n<!-- "),
      body.split("\n", 2).join("\n"),
    ]) {
      plan.body = edited;
      // oxlint-disable-next-line no-await-in-loop
      await refused("/edgewise apply", /Somebody has edited the comment|No plan of/);
    }
    plan.body = body;
  });

  it("refuse a plan when live resources changed since, before and after the approval", async () => {
    const { backends } = await sandbox.request("GET", "/backends/http_response");
    const own = (backends as { id: string; metadata: string }[]).find(({ metadata }) =>
      metadata.includes('"edge-config"'),
    );
    const change = async (code: number) =>
      sandbox.request("PATCH", `/backends/http_response/${own?.id}`, { status_code: code });
    await change(417);
    const before = await team.comment("/edgewise apply");
    expect(codes(before), logOf(before)).toMatchObject({ "apply/plan edge-config": 4 });
    await change(503);
    const after = await team.comment("/edgewise apply", { approve: async () => change(418) });
    expect(codes(after), logOf(after)).toMatchObject({ "apply/plan edge-config": 0, "apply/apply edge-config": 4 });
    expect(await status()).toBe("418");
    expect(applied()).toBe(team.repository.commitOf("main"));
    await change(503);
  });

  it("apply exactly the plan that was shown, before the merge, and keep the commit as the stack's tag", async () => {
    const jobs = await team.comment("/edgewise apply");
    expect(codes(jobs), logOf(jobs)).toEqual({
      check: 0,
      stacks: 0,
      "apply/plan edge-config": 0,
      "apply/apply edge-config": 0,
      "apply/record edge-config": 0,
      answer: 0,
    });
    expect(await status()).toBe("502");
    expect(applied()).toBe(head());
    expect(team.last).toMatch(/`\/edgewise apply` of `edge-config` at [0-9a-f]{12}: done/);
    expect(team.last).toContain("HTTPResponseBackend/maintenance");
    // What a pull request applied is no drift, though the main branch says something else.
    const drift = await team.drift();
    expect(codes(drift), logOf(drift)).toEqual({ stacks: 0, "drift edge-config": 0, "drift eu": 0 });
    expect(team.github.issues).toEqual([]);
  });

  it("hold the stack for the pull request that was applied, until it is merged", async () => {
    const { repository, api } = team;
    const own = head();
    api.pull.head.sha = repository.change("other", example, (text) => text.replace("503", "501"));
    await team.comment("/edgewise plan");
    api.review("root", "APPROVED", head());
    await refused("/edgewise apply", /Another pull request holds the stack `edge-config`/);
    api.pull.head.sha = own;
    api.review("root", "APPROVED", own);
  });

  it("refuse a branch that lacks commits of the default branch", async () => {
    team.repository.change("next", "README.md", "New\n");
    team.repository.merge("next");
    await refused("/edgewise apply", /update the branch/);
    await refused("/edgewise plan", /update the branch/);
  });

  it("apply the merged commit again, and no older one", async () => {
    const { repository, api } = team;
    repository.merge("change");
    Object.assign(api.pull, { state: "closed", merged: true, merge_commit_sha: repository.commitOf("main") });
    // Nothing is left to do: the tag moves to the merged commit.
    const jobs = await team.comment("/edgewise apply edge-config");
    expect(codes(jobs), logOf(jobs)).toEqual({
      check: 0,
      stacks: 0,
      "apply/plan edge-config": 0,
      "apply/record edge-config": 0,
      answer: 0,
    });
    expect(applied()).toBe(repository.commitOf("main"));
    await refused("/edgewise apply", /Every stack has been applied already/);
    repository.change("later", example, (text) => text.replace("502", "500"));
    repository.merge("later");
    await refused("/edgewise apply edge-config", /has moved on/);
    await refused("/edgewise plan edge-config", /has moved on/);
    api.pull.merge_commit_sha = repository.commitOf("main");
    const later = await team.comment("/edgewise apply");
    expect(codes(later), logOf(later)).toMatchObject({ "apply/apply edge-config": 0, "apply/record edge-config": 0 });
    expect(await status()).toBe("500");
  });

  it("warn when a push would undo what another pull request applied", async () => {
    const { repository, api } = team;
    Object.assign(api.pull, { state: "open", merged: false });
    repository.change("change", example, (text) => text.replace("500", "505"));
    api.pull.head.sha = repository.commitOf("change");
    api.review("root", "APPROVED", head());
    await team.comment("/edgewise plan");
    await team.comment("/edgewise apply");
    expect(await status()).toBe("505");
    repository.change("next", example, (text) => `${text}# A comment\n`);
    repository.merge("next");
    const jobs = await team.push();
    expect(logOf(jobs)).toContain("may undo what a pull request applied before its merge");
    expect(await status()).toBe("500");
  });

  it("warn when a command after the merge would undo it, and not when a pull request is applied twice", async () => {
    const { repository, api } = team;
    const warning = "may undo what a pull request applied before its merge";
    repository.change("again", example, (text) => text.replace("500", "506"));
    for (const text of ["# One\n", "# Two\n"]) {
      api.pull.head.sha = repository.change("again", example, (before) => `${before.replace("506", "507")}${text}`);
      api.review("root", "APPROVED", head());
      // oxlint-disable-next-line no-await-in-loop
      await team.comment("/edgewise plan");
      // oxlint-disable-next-line no-await-in-loop
      const jobs = await team.comment("/edgewise apply");
      expect(applied(), logOf(jobs)).toBe(head());
      expect(logOf(jobs)).not.toContain(warning);
    }
    repository.change("third", example, (text) => `${text}# Third\n`);
    repository.merge("third");
    Object.assign(api.pull, { state: "closed", merged: true, merge_commit_sha: repository.commitOf("main") });
    const jobs = await team.comment("/edgewise apply");
    expect(logOf(jobs)).toContain(warning);
    expect(codes(jobs)).toMatchObject({ "apply/apply edge-config": 0, "apply/record edge-config": 0 });
  });
});

describe("hostile comments", () => {
  let team: Team;
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await startSandbox();
    team = new Team(sandbox);
    await team.api.start();
    team.commit(example, (text) => text.replace("503", "502"));
    team.api.review("root", "APPROVED", team.api.pull.head.sha);
  });
  beforeEach(() => {
    team.api.faults = [];
    team.api.requests.length = 0;
  });
  afterAll(() => {
    sandbox.stop();
    team.api.stop();
    team.repository.remove();
  });

  /** Nothing runs but the check, nobody is answered, and nothing was asked of the API beyond the permission. */
  const ignored = async (body: string, event: CommentEvent = {}, code = 0) => {
    team.api.requests.length = 0;
    const before = team.github.comments.length;
    const jobs = await team.comment(body, event);
    expect(
      jobs.filter(({ job }) => job !== "check"),
      logOf(jobs),
    ).toEqual([]);
    for (const job of jobs) expect(job.code, job.log).toBe(code);
    expect(team.github.comments.length).toBe(before + 1);
    expect(team.api.requests.filter((what) => !what.endsWith("/permission"))).toEqual([]);
  };
  /** The person is told how commands look, in words of the recipe alone. */
  const told = async (body: string, text: RegExp = /^Commands are/, event: CommentEvent = {}) => {
    const jobs = await team.comment(body, event);
    expect(codes(jobs), logOf(jobs)).toEqual({ check: text.source === "^Commands are" ? 0 : 1 });
    expect(team.last).toMatch(text);
    expect(team.last.length).toBeLessThan(1000);
    for (const word of ["evil", "--", "$("]) expect(team.last + (jobs[0]?.log ?? "")).not.toContain(word);
  };

  it.each([
    ["a sentence", "Please /edgewise apply"],
    ["a quoted reply", "> /edgewise apply\n\nWhat about this?"],
    ["a code block", "```\n/edgewise apply\n```"],
    ["an HTML comment", "<!--\n/edgewise apply\n-->"],
    ["the second line", "\n/edgewise apply"],
    ["indented", " /edgewise apply"],
    ["another word", "/edgewise-plan"],
    ["another word with a letter of another script", "/edgewisе apply"],
    ["an invisible letter", "/edgewise\u200b apply"],
    ["a letter that writes from right to left", "\u202e/edgewise apply"],
    ["upper case", "/EDGEWISE apply"],
    ["a space that is none", "/edgewise\u00a0apply"],
    ["a byte of zero", "/edgewise\u0000apply"],
    ["nothing", ""],
  ])("are no commands: %s", async (_, body) => ignored(body));

  it.each([
    ["options", "/edgewise apply --allow TLSEdge/evil"],
    ["a configuration", "/edgewise plan -c ../evil.yaml"],
    ["another service", "/edgewise plan --base-url https://evil.example.com"],
    ["an option in place of a stack", "/edgewise plan -e"],
    ["a path", "/edgewise plan ../../evil"],
    ["a substitution", "/edgewise plan $(touch evil)"],
    ["backticks", "/edgewise plan `touch evil`"],
    ["an expression", "/edgewise plan ${{ secrets.EDGEWISE_READ_KEY }}"],
    ["a second command", "/edgewise plan; /edgewise apply"],
    ["a second line", "/edgewise apply\nbut not before Monday"],
    ["a second line of a Mac", "/edgewise apply\r/edgewise evil"],
    ["an output", "/edgewise plan eu\ncommand=apply"],
    ["a workflow command", "/edgewise plan ::add-mask::evil\n::set-output name=command::apply"],
    ["a line separator", "/edgewise apply\u2028evil"],
    ["a tab", "/edgewise\tapply"],
    ["a look-alike of a stack", "/edgewise plan еu"],
    ["direction marks", "/edgewise plan \u202eeu"],
    ["a name of the language", "/edgewise constructor"],
    ["a ref", "/edgewise plan refs/heads/main"],
    ["nothing else", "/edgewise"],
    ["a question", "/edgewise help"],
    ["sixty-five thousand characters", `/edgewise plan ${"evil ".repeat(13_000)}`],
    ["sixty-five thousand spaces", `/edgewise plan${" ".repeat(65_000)}evil`],
  ])("are answered with how commands look: %s", async (_, body) => told(body));

  it("count only when a person has written them just now", async () => {
    await ignored("/edgewise apply", { type: "Bot", login: "ann" });
    await ignored("/edgewise apply", { deleted: true });
    await ignored("/edgewise apply", { action: "edited" });
    await ignored("/edgewise apply", { onIssue: true });
    await told("/edgewise plan", /can't be repeated/, { attempt: "2" });
  });

  it("count only from those who may give them", async () => {
    for (const login of ["eve", "tom", "zoe", "nobody", "../pulls/7", "ann/permission?"]) {
      // oxlint-disable-next-line no-await-in-loop
      await ignored("/edgewise plan", { login });
    }
    await told("/edgewise apply", /Your role in this repository is write/, { login: "ben" });
    // A server that knows no roles.
    await told("/edgewise help", undefined, { login: "old-hand" });
    // The name belongs to somebody else by now.
    await ignored("/edgewise plan", { login: "ann", id: 77 });
  });

  it("do nothing when the API doesn't say who may do what", async () => {
    const path = /\/permission$/;
    for (const fault of [
      { path, status: 500, body: "" },
      { path, status: 200, body: "<html>evil</html>" },
      { path, status: 200, body: "null" },
      { path, status: 200, body: '{"role_name":"admin"}' },
      { path, status: 302, body: "", headers: { location: "https://evil.example.com/" } },
      { path, status: 403, body: "{}", headers: { "x-ratelimit-remaining": "0" } },
      { path, status: 429, body: "{}" },
    ]) {
      team.api.faults = [fault];
      const quiet = fault.body === "null" || fault.body.startsWith('{"role');
      // oxlint-disable-next-line no-await-in-loop
      await ignored("/edgewise plan", {}, quiet ? 0 : 1);
    }
  });

  it("do nothing when the API doesn't say what the pull request is", async () => {
    const faults = [
      { path: /GET .*\/pulls\/7$/, status: 500, body: "" },
      { path: /GET .*\/pulls\/7$/, status: 200, body: "<html>" },
      { path: /GET .*\/pulls\/7$/, status: 200, body: "{}" },
      { path: /GET .*\/pulls\/7$/, status: 200, body: "null" },
      { path: /GET .*\/reviews$/, status: 200, body: "{}" },
      { path: /GET .*\/reviews$/, status: 404, body: "{}" },
      { path: /GET .*\/timeline$/, status: 403, body: "{}" },
      { path: /GET .*\/timeline$/, status: 200, body: '[{"event":"base_ref_changed"}]' },
    ];
    for (const fault of faults) {
      team.api.faults = [fault];
      // oxlint-disable-next-line no-await-in-loop
      const jobs = await team.comment("/edgewise apply");
      expect(codes(jobs), logOf(jobs)).toEqual({ check: 1 });
      expect(team.last).toMatch(
        /could not be checked|default branch|since its base branch was changed|Nobody but its author/,
      );
    }
    const { sha } = team.api.pull.head;
    for (const odd of ["main", "refs/heads/main", "--upload-pack=evil", `${sha}\nmerged=true`]) {
      team.api.pull.head.sha = odd;
      // oxlint-disable-next-line no-await-in-loop
      const jobs = await team.comment("/edgewise plan");
      expect(codes(jobs), logOf(jobs)).toEqual({ check: 1 });
    }
    team.api.pull.head.sha = sha;
  });

  it("run the programs of the default branch, whatever the pull request brings", async () => {
    const stolen = join(team.repository.scratch, "stolen");
    const evil = `import fs from "node:fs"; fs.writeFileSync(${JSON.stringify(stolen)}, "key");\n`;
    const { repository, api } = team;
    repository.change("change", ".edgewise/edgewise.mjs", evil);
    repository.change("change", ".github/edgewise/comment-command.mjs", evil);
    repository.change("change", "git", "#!/bin/sh\ntouch stolen\n");
    api.pull.head.sha = repository.change("change", "package.json", '{"type": "commonjs"}');
    // Git would read these in place of the branch, the commit and the record.
    repository.tag("origin/main", api.pull.head.sha);
    repository.tag("refs/remotes/origin/main", api.pull.head.sha);
    repository.change("refs/tags/edge-applied-eu", "README.md", "evil");
    const jobs = await team.comment("/edgewise plan");
    expect(codes(jobs), logOf(jobs)).toEqual({ check: 0, stacks: 0, "plan edge-config": 0, answer: 0 });
    expect(() => readFileSync(stolen)).toThrow();
  });

  it("say so when the stacks can't be listed", async () => {
    const { repository, api } = team;
    const before = api.pull.head.sha;
    api.pull.head.sha = repository.change("broken", "eu/edgewise.yaml", "stack: [evil\n");
    const jobs = await team.comment("/edgewise plan");
    expect(codes(jobs), logOf(jobs)).toEqual({ check: 0, stacks: 1 });
    expect(team.last).toMatch(/^This could not be checked, so nothing was done/);
    expect(team.last).not.toContain("evil");
    api.pull.head.sha = before;
  });

  it("show the longest plan that edgewise writes as Markdown, and no hint in its place", async () => {
    const { api, repository, github } = team;
    const [cwd, slug] = [mkdtempSync(join(repository.scratch, "long-")), "x".repeat(100)];
    writeFileSync(join(cwd, "edgewise.plan"), JSON.stringify({ hash: `sha256:${"0".repeat(64)}` }));
    const env = {
      ...repository.env,
      GITHUB_API_URL: api.url,
      GITHUB_REPOSITORY: "example/edge",
      GITHUB_TOKEN: api.token,
      SLUG: slug,
      COMMIT: api.pull.head.sha,
      NUMBER: "7",
    };
    const show = async (length: number) => {
      writeFileSync(join(cwd, "plan.md"), "é".repeat(length));
      const program = join(root, "examples/ci/github-comments/comment-command.mjs");
      expect(await runBash(`node '${program}' plan`, { cwd, env })).toEqual({ status: 0, text: "" });
      return github.comments.findLast(({ body }) => body.startsWith(`<!-- edgewise plan of ${slug} by`))?.body;
    };
    expect(await show(65_000)).toContain("é".repeat(65_000));
    expect(await show(65_536)).toContain("The plan is too long for a comment");
  });

  it("find a plan among more comments than fit on a page", async () => {
    for (let n = 0; n < 230; n++) team.github.say("Me too");
    const before = team.github.comments.filter(({ body }) => body.startsWith("<!-- edgewise plan of edge-config by"));
    await team.comment("/edgewise plan");
    const after = team.github.comments.filter(({ body }) => body.startsWith("<!-- edgewise plan of edge-config by"));
    expect([before.length, after.length]).toEqual([1, 1]);
  });
});
