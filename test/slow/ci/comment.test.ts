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

  it.each(["> /edgewise apply", "/edgewise\u00a0apply"])("is no command: %j", async (body) => ignored(body));

  it.each(["/edgewise apply --allow TLSEdge/evil", "/edgewise plan eu\ncommand=evil"])(
    "with %j is answered with how commands look",
    async (body) => {
      const jobs = await team.comment(body);
      expect(codes(jobs), logOf(jobs)).toEqual({ check: 0 });
      expect(team.last).toMatch(/^Commands are/);
      expect(team.last + logOf(jobs).slice(4)).not.toMatch(/evil|--/);
    },
  );

  it("counts only when a person who may give it has written it just now, and the API says so", async () => {
    await ignored("/edgewise plan", { action: "edited" });
    await ignored("/edgewise plan", { login: "eve" });
    await refused("/edgewise plan", /can't be repeated/, { attempt: "2" });
    await refused("/edgewise apply", /Your role in this repository is write/, { login: "ben" });
    team.api.faults = [{ path: /\/permission$/, status: 500, body: "" }];
    await ignored("/edgewise plan", {}, 1);
    team.api.faults = [{ path: /\/reviews$/, status: 500, body: "" }];
    await refused("/edgewise apply", /^This could not be checked, so nothing was done/);
  });
});

// One story in order: each test continues where the last one ended.
describe("the comment commands", () => {
  it("plan what a pull request changes, in a comment for each stack, by the main branch's programs", async () => {
    await team.apply();
    const stolen = join(team.repository.scratch, "stolen");
    const evil = `import fs from "node:fs"; fs.writeFileSync(${JSON.stringify(stolen)}, "key");\n`;
    const harmless = head();
    team.repository.change("evil", ".edgewise/edgewise.mjs", evil);
    team.repository.change("evil", ".github/edgewise/comment-command.mjs", evil);
    team.api.pull.head.sha = team.repository.change("evil", example, (text) => text.replace("503", "502"));
    // Git would read this in place of the branch.
    team.repository.tag("origin/main", head());
    const jobs = await team.comment("/edgewise plan", { login: "ben" });
    expect(codes(jobs), logOf(jobs)).toEqual({ check: 0, stacks: 0, "plan edge-config": 0, answer: 0 });
    expect(existsSync(stolen)).toBe(false);
    expect(planComment().body).toContain("502");
    team.api.pull.head.sha = harmless;
    await team.comment("/edgewise plan edge-config");
    expect(team.last).toContain("planned");
    expect(await status()).toBe(503);
  });

  it("refuse to apply without an approval of exactly this commit by another writer, or what GitHub would not merge", async () => {
    const { api } = team;
    api.review("ben", "APPROVED", head()); // the author
    api.review("eve", "APPROVED", head()); // can't write
    api.review("root", "APPROVED", team.repository.commitOf("main")); // another commit
    await refused("/edgewise apply", /Nobody but its author has approved commit/);
    api.review("root", "APPROVED", head());
    api.review("ann", "CHANGES_REQUESTED", head());
    await refused("/edgewise apply", /requests changes/);
    api.reviews = [];
    api.review("root", "APPROVED", head());
    const before = { ...api.pull };
    for (const [change, text] of [
      [{ mergeable_state: "blocked" }, /checks or reviews/],
      [{ head: { ...before.head, repo: { full_name: "eve/edge" } } }, /fork/],
    ] as const) {
      Object.assign(api.pull, change);
      // oxlint-disable-next-line no-await-in-loop
      await refused("/edgewise apply", text);
      Object.assign(api.pull, before);
    }
  });

  it("refuse a plan that is newer than the comment, edited, of another commit, or of somebody else", async () => {
    const plan = planComment();
    const { updated_at, body } = plan;
    plan.updated_at = "2031-01-01T00:00:00Z";
    await refused("/edgewise apply", /newer than your comment/);
    plan.updated_at = updated_at;
    // The commit and the hash stay: only what people read is another text.
    plan.body = body.replaceAll("502", "503");
    const edited = await team.comment("/edgewise apply");
    expect(codes(edited), logOf(edited)).toEqual({ check: 0, stacks: 0, "apply/plan edge-config": 4, answer: 0 });
    expect(logOf(edited)).toContain("The comment doesn't show this plan");
    plan.body = body;
    const seen = head();
    team.commit(example, (text) => text.replace("502", "599"));
    team.api.review("root", "APPROVED", head());
    team.github.say(body.replaceAll(seen, head()));
    await refused("/edgewise apply", /No plan of `edge-config` was shown for commit/);
    expect(await status()).toBe(503);
    team.commit(example, (text) => text.replace("599", "502"));
    team.api.review("root", "APPROVED", head());
    await team.comment("/edgewise plan");
  });

  it("apply exactly the plan that was shown, before the merge, and hold the stack until it is merged", async () => {
    const { api, repository } = team;
    const jobs = await team.comment("/edgewise apply");
    const run = { "apply/plan edge-config": 0, "apply/apply edge-config": 0, "apply/record edge-config": 0 };
    expect(codes(jobs), logOf(jobs)).toEqual({ check: 0, stacks: 0, ...run, answer: 0 });
    expect([await status(), applied()]).toEqual([502, head()]);
    expect(team.last).toMatch(/`\/edgewise apply` of `edge-config` at [0-9a-f]{12}: done/);
    api.pull.head.sha = repository.change("other", example, (text) => text.replace("503", "501"));
    api.review("root", "APPROVED", head());
    await refused("/edgewise apply", /Another pull request holds the stack `edge-config`/);
  });
});
