import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startSandbox } from "../../../scripts/sandbox.mjs";
import { Team, codes, logOf } from "./team.ts";

const example = "edge/example.yaml";
let sandbox: Awaited<ReturnType<typeof startSandbox>>;
let team: Team;

beforeAll(async () => {
  sandbox = await startSandbox();
  team = new Team(sandbox);
  await team.takeComments();
  team.commit(example, (text) => text.replace("503", "502"));
});
beforeEach(() => {
  team.api.faults = [];
});
afterAll(() => {
  sandbox.stop();
  team.api.stop();
  team.repository.remove();
});

const head = () => team.api.pull.head.sha;
const applied = () => team.github.tags.get("edge-applied-edge-config");
const backends = async () => {
  const { backends: all } = await sandbox.request("GET", "/backends/http_response");
  return all as readonly { readonly id: string; readonly metadata: string; readonly status_code: number }[];
};
const own = async () => (await backends()).find(({ metadata }) => metadata.includes('"edge-config"'));
const status = async () => (await own())?.status_code;
const planComment = () => {
  const found = team.github.comments.find(({ body }) => body.startsWith("<!-- edgewise plan of edge-config by"));
  if (found === undefined) throw new Error("no plan");
  return found;
};
type Event = Parameters<Team["comment"]>[1];

/** A command that is refused with a text, uses no key, and changes nothing. */
async function refused(body: string, text: RegExp, event: Event = {}): Promise<void> {
  const before = [await status(), applied(), team.github.comments.length + 2];
  const jobs = await team.comment(body, event);
  expect(Object.values(codes(jobs)).at(-1), logOf(jobs)).toBe(1);
  expect(Object.keys(codes(jobs)).filter((job) => !["check", "stacks"].includes(job))).toEqual([]);
  expect(team.last).toMatch(text);
  expect([await status(), applied(), team.github.comments.length]).toEqual(before);
}

describe("a comment", () => {
  /** Nothing runs but the check, and nobody is answered. */
  const ignored = async (body: string, event: Event = {}, code = 0) => {
    const before = team.github.comments.length;
    const jobs = await team.comment(body, event);
    for (const job of jobs) expect([job.job, job.code], job.log).toEqual(["check", code]);
    expect(team.github.comments.length).toBe(before + 1);
  };

  it.each(["Please /edgewise apply", "> /edgewise apply", "/edgewise-plan", "/edgewise\u00a0apply", ""])(
    "is no command: %j",
    async (body) => ignored(body),
  );

  it.each([
    ["an option", "/edgewise apply --allow TLSEdge/evil"],
    ["a substitution", "/edgewise plan $(touch evil)"],
    ["a second line", "/edgewise apply\nbut not before Monday"],
    ["an output", "/edgewise plan eu\ncommand=evil"],
    ["sixty-five thousand characters", `/edgewise plan ${"evil ".repeat(13_000)}`],
  ])("with %s is answered with how commands look", async (_, body) => {
    const jobs = await team.comment(body);
    expect(codes(jobs), logOf(jobs)).toEqual({ check: 0 });
    expect(team.last).toMatch(/^Commands are/);
    for (const word of ["evil", "--", "$("]) expect(team.last + logOf(jobs).slice(4)).not.toContain(word);
  });

  it("counts only when a person who may give it has written it just now", async () => {
    await ignored("/edgewise plan", { type: "Bot" });
    await ignored("/edgewise plan", { action: "edited" });
    for (const login of ["eve", "tom", "nobody"]) {
      // oxlint-disable-next-line no-await-in-loop
      await ignored("/edgewise plan", { login });
    }
    await refused("/edgewise plan", /can't be repeated/, { attempt: "2" });
    await refused("/edgewise apply", /Your role in this repository is write/, { login: "ben" });
  });

  it("does nothing when the API doesn't say who may do what, and what the pull request is", async () => {
    for (const [status, body] of [
      [500, ""],
      [200, "<html>"],
    ] as const) {
      team.api.faults = [{ path: /\/permission$/, status, body }];
      // oxlint-disable-next-line no-await-in-loop
      await ignored("/edgewise plan", {}, 1);
    }
    for (const path of [/\/pulls\/7$/, /\/reviews$/, /\/timeline$/]) {
      team.api.faults = [{ path, status: 500, body: "" }];
      // oxlint-disable-next-line no-await-in-loop
      await refused("/edgewise apply", /^This could not be checked, so nothing was done/);
    }
  });
});

// One story in order: each test continues where the last one ended.
describe("the comment commands", () => {
  it("plan what the pull request changes, in a comment for each stack, by the main branch's programs", async () => {
    const pushed = await team.apply();
    expect(Object.values(codes(pushed)), logOf(pushed)).toEqual(Array(7).fill(0));
    const stolen = join(team.repository.scratch, "stolen");
    const evil = `import fs from "node:fs"; fs.writeFileSync(${JSON.stringify(stolen)}, "key");\n`;
    const harmless = head();
    team.repository.change("evil", ".edgewise/edgewise.mjs", evil);
    team.repository.change("evil", ".github/edgewise/comment-command.mjs", evil);
    team.api.pull.head.sha = team.repository.change("evil", example, (text) => text.replace("503", "502"));
    // Git would read these in place of the branch.
    team.repository.tag("origin/main", head());
    team.repository.tag("refs/remotes/origin/main", head());
    const jobs = await team.comment("/edgewise plan", { login: "ben" });
    expect(codes(jobs), logOf(jobs)).toEqual({ check: 0, stacks: 0, "plan edge-config": 0, answer: 0 });
    expect(existsSync(stolen)).toBe(false);
    expect(planComment().body).toContain("502");
    expect(planComment().body.split("\n")[1]).toMatch(
      new RegExp(`^<!-- commit=${head()} hash=sha256:[0-9a-f]{64} -->$`),
    );
    team.api.pull.head.sha = harmless;
    await refused("/edgewise plan nothing", /no stack `nothing`. Stacks: `edge-config`, `eu`/);
    await team.comment("/edgewise plan edge-config");
    expect(team.last).toContain("planned");
    expect(await status()).toBe(503);
  });

  it("refuse to apply without an approval of exactly this commit, for this base, by another writer", async () => {
    const { api } = team;
    const none = /Nobody but its author has approved commit/;
    api.review("ben", "APPROVED", head()); // the author
    api.review("eve", "APPROVED", head()); // can't write
    api.review("root", "APPROVED", team.repository.commitOf("main")); // another commit
    await refused("/edgewise apply", none);
    api.review("ann", "APPROVED", head());
    api.review("ann", "DISMISSED", head());
    await refused("/edgewise apply", none);
    // More than one page of reviews, the newest of which counts.
    api.review("root", "APPROVED", head());
    for (let n = 0; n < 130; n++) api.review("eve", "APPROVED", head());
    api.review("root", "CHANGES_REQUESTED", head());
    await refused("/edgewise apply", /requests changes/);
    api.reviews = [];
    api.review("root", "APPROVED", head());
    api.timeline = [{ event: "base_ref_changed", created_at: "2029-01-02T00:00:00Z" }];
    await refused("/edgewise apply", /since its base branch was changed/);
    api.timeline = [];
  });

  it("refuse what GitHub would not merge", async () => {
    const { pull } = team.api;
    const before = { ...pull };
    for (const [change, text] of [
      [{ draft: true }, /draft/],
      [{ mergeable_state: "blocked" }, /checks or reviews/],
      [{ mergeable_state: "constructor" }, /GitHub doesn't allow it/],
      [{ state: "closed" }, /closed without a merge/],
      [{ base: { ref: "release" } }, /default branch/],
      [{ head: { ...pull.head, repo: { full_name: "eve/edge" } } }, /fork/],
    ] as const) {
      Object.assign(pull, change);
      // oxlint-disable-next-line no-await-in-loop
      await refused("/edgewise apply", text);
      Object.assign(pull, before);
    }
  });

  it("refuse a plan that is newer than the comment, of another commit, of somebody else, or edited", async () => {
    const plan = planComment();
    const { updated_at, body } = plan;
    plan.updated_at = "2031-01-01T00:00:00Z";
    await refused("/edgewise apply", /newer than your comment/);
    plan.updated_at = updated_at;
    plan.body = `${body}\nNothing is deleted.`;
    await refused("/edgewise apply", /Somebody has edited the comment/);
    // The commit and the hash stay: only what people read is another text.
    plan.body = body.replaceAll("502", "503");
    const edited = await team.comment("/edgewise apply");
    expect(codes(edited), logOf(edited)).toEqual({ check: 0, stacks: 0, "apply/plan edge-config": 4, answer: 0 });
    expect(logOf(edited)).toContain("The comment doesn't show this plan");
    plan.body = body;
    // Somebody pushes after the approval and the plan, between the comment and its run.
    const seen = head();
    await refused("/edgewise apply", /Nobody but its author has approved/, {
      meanwhile: () => team.commit(example, (text) => text.replace("502", "599")),
    });
    team.api.review("root", "APPROVED", head());
    const forged = body.replaceAll(seen, head());
    team.github.say(forged);
    team.github.say(forged, { type: "Bot", login: "other[bot]", id: 8 });
    await refused("/edgewise apply", /No plan of `edge-config` was shown for commit/);
    // The hash is that of another plan: nothing is applied.
    plan.body = forged;
    const jobs = await team.comment("/edgewise apply");
    expect(codes(jobs), logOf(jobs)).toEqual({ check: 0, stacks: 0, "apply/plan edge-config": 4, answer: 0 });
    expect(logOf(jobs)).toContain("The plan is another one than the comment showed");
    expect(team.last).toContain("failed or refused");
    expect(await status()).toBe(503);
    team.commit(example, (text) => text.replace("599", "502"));
    team.api.review("root", "APPROVED", head());
    await team.comment("/edgewise plan");
  });

  it("refuse a plan when live resources changed after the approval", async () => {
    const { id } = (await own()) ?? {};
    const change = async (status_code: number) =>
      sandbox.request("PATCH", `/backends/http_response/${id}`, { status_code });
    const after = await team.comment("/edgewise apply", { approve: async () => change(418) });
    expect(codes(after), logOf(after)).toMatchObject({ "apply/plan edge-config": 0, "apply/apply edge-config": 4 });
    expect([await status(), applied()]).toEqual([418, team.repository.commitOf("main")]);
    await change(503);
  });

  it("apply exactly the plan that was shown, before the merge, and hold the stack until it is merged", async () => {
    const { api, repository } = team;
    const jobs = await team.comment("/edgewise apply");
    const run = { "apply/plan edge-config": 0, "apply/apply edge-config": 0, "apply/record edge-config": 0 };
    expect(codes(jobs), logOf(jobs)).toEqual({ check: 0, stacks: 0, ...run, answer: 0 });
    expect([await status(), applied()]).toEqual([502, head()]);
    expect(team.last).toMatch(/`\/edgewise apply` of `edge-config` at [0-9a-f]{12}: done/);
    expect(team.last).toContain("HTTPResponseBackend/maintenance");
    // What a pull request applied is no drift, though the main branch says something else.
    const drift = await team.drift();
    expect(codes(drift), logOf(drift)).toEqual({ stacks: 0, "drift edge-config": 0, "drift eu": 0 });
    expect(team.github.issues).toEqual([]);

    const held = head();
    api.pull.head.sha = repository.change("other", example, (text) => text.replace("503", "501"));
    api.review("root", "APPROVED", head());
    await refused("/edgewise apply", /Another pull request holds the stack `edge-config`/);
    api.pull.head.sha = held;
    api.review("root", "APPROVED", held);
    repository.change("next", "README.md", "New\n");
    repository.merge("next");
    await refused("/edgewise apply", /Its branch lacks commits/);
  });

  it("apply the merged commit again, no older one, and warn when that would undo another pull request", async () => {
    const { repository, api } = team;
    const merge = (branch: string) => {
      repository.merge(branch);
      Object.assign(api.pull, { state: "closed", merged: true, merge_commit_sha: repository.commitOf("main") });
    };
    merge("change");
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
    repository.change("later", "README.md", "Newer\n");
    repository.merge("later");
    await refused("/edgewise apply edge-config", /has moved on/);

    Object.assign(api.pull, { state: "open", merged: false });
    team.commit(example, (text) => text.replace("502", "505"));
    api.review("root", "APPROVED", head());
    await team.comment("/edgewise plan");
    await team.comment("/edgewise apply");
    expect(await status()).toBe(505);
    repository.change("third", example, (text) => `${text}# Third\n`);
    merge("third");
    const undone = await team.comment("/edgewise apply");
    expect(logOf(undone)).toContain("may undo what a pull request applied before its merge");
    expect(await status()).toBe(502);
  });
});
