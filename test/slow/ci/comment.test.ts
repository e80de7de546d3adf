import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startSandbox } from "../../../scripts/sandbox.mjs";
import { Team, codes, logOf } from "./team.ts";

const example = "edge/example.yaml";

it("comments plan a pull request by the main branch's program, and apply the shown plan once another writer approved", async () => {
  const sandbox = await startSandbox();
  const team = new Team(sandbox);
  onTestFinished(() => {
    sandbox.stop();
    team.api.stop();
    team.repository.remove();
  });
  await team.takeComments();
  await team.apply();
  const status = async () => {
    const { backends } = await sandbox.request("GET", "/backends/http_response");
    return (backends as readonly { readonly status_code: number }[])[0]?.status_code;
  };
  const refused = async (text: RegExp, login?: string): Promise<void> => {
    const jobs = await team.comment("/edgewise apply", login);
    expect(Object.values(codes(jobs)).at(-1), logOf(jobs)).toBe(1);
    expect(Object.keys(codes(jobs)).filter((job) => !["check", "stacks"].includes(job))).toEqual([]);
    expect(team.last).toMatch(text);
    expect(await status()).toBe(503);
  };

  const stolen = join(team.repository.scratch, "stolen");
  const evil = `import fs from "node:fs"; fs.writeFileSync(${JSON.stringify(stolen)}, "key");\n`;
  team.commit(".edgewise/edgewise.mjs", evil);
  team.commit(".github/edgewise/comment-command.mjs", evil);
  team.commit(example, (text) => text.replace("503", "502"));
  const head = team.api.pull.head.sha;
  // Git would read this in place of the branch.
  team.repository.tag("origin/main", head);
  const planned = await team.comment("/edgewise plan", "ben");
  expect(codes(planned), logOf(planned)).toEqual({ check: 0, stacks: 0, "plan edge-config": 0, answer: 0 });
  expect(team.github.comments.map(({ body }) => body).join("\n")).toContain("502");

  await refused(/Your role in this repository is write/, "ben");
  team.api.review("ben", "APPROVED", head); // the author
  team.api.review("root", "APPROVED", team.repository.commitOf("main")); // another commit
  await refused(/Nobody but its author has approved commit/);
  team.api.review("root", "APPROVED", head);
  const jobs = await team.comment("/edgewise apply");
  const run = { "apply/plan edge-config": 0, "apply/apply edge-config": 0, "apply/record edge-config": 0 };
  expect(codes(jobs), logOf(jobs)).toEqual({ check: 0, stacks: 0, ...run, answer: 0 });
  expect([await status(), team.github.tags.get("edge-applied-edge-config")]).toEqual([502, head]);
  expect(existsSync(stolen)).toBe(false);
});
