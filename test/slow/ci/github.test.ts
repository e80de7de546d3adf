import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSandbox } from "../../../scripts/sandbox.mjs";
import { Team, codes, logOf } from "./team.ts";

// One story in order: each test continues where the last one ended.
describe("the GitHub workflows that init writes", () => {
  let sandbox: Awaited<ReturnType<typeof startSandbox>>;
  let team: Team;
  const example = "edge/example.yaml";

  beforeAll(async () => {
    sandbox = await startSandbox();
    team = new Team(sandbox, ["eu"]);
  });
  afterAll(() => {
    sandbox.stop();
    team.repository.remove();
  });

  const bodies = () => team.github.comments.map(({ body }) => body);
  const backend = async () => {
    const { backends } = await sandbox.request("GET", "/backends/http_response");
    const own = (backends as { id: string; metadata: string; status_code: number }[]).find(({ metadata }) =>
      metadata.includes('"edge-config"'),
    );
    if (own === undefined) throw new Error("no backend");
    return own;
  };
  const changeLive = async (status_code: number) =>
    sandbox.request("PATCH", `/backends/http_response/${(await backend()).id}`, { status_code });
  const merged = (from: string, to: string) => {
    team.repository.change("next", example, (text) => text.replace(from, to));
    return team.repository.merge("next");
  };

  it("use no key before the main branch holds the program, and none for a fork", async () => {
    team.repository.change("empty", ".edgewise/edgewise.mjs", null);
    team.repository.change("first", example, (text) => text.replace("503", "501"));
    const first = await team.plan("first", "empty");
    expect(codes(first), logOf(first)).toEqual({ validate: 0, "plan edge-config": 0 });
    expect(first[1]?.log).toContain("empty holds no .edgewise/edgewise.mjs yet");
    const fork = await team.plan("first", "main", "somebody/edge");
    expect(codes(fork), logOf(fork)).toEqual({ validate: 0 });
    expect(bodies()).toEqual([]);
  });

  it("apply each stack once it is approved, keep the commit as its tag, and then have nothing to do", async () => {
    const seen: string[] = [];
    const jobs = await team.apply((_, stack) => seen.push(stack));
    const each = ["plan", "apply", "record"].flatMap((job) =>
      ["edge-config", "eu"].map((stack) => [`apply/${job} ${stack}`, 0]),
    );
    expect(codes(jobs), logOf(jobs)).toEqual({ stacks: 0, ...Object.fromEntries(each) });
    expect(seen.toSorted()).toEqual(["edge-config", "eu"]);
    expect((await backend()).status_code).toBe(503);
    expect(team.github.tags.get("edge-applied-edge-config")).toBe(team.repository.commitOf("main"));
    const again = await team.apply();
    expect(codes(again), logOf(again)).toEqual({ stacks: 0 });
  });

  it("show the plan of what changed in one comment that is updated, made by the main branch's program", async () => {
    const { repository, github } = team;
    github.say("Looks good to me");
    repository.change("change", example, (text) => text.replace("503", "502"));
    await team.plan("change");
    const stolen = join(repository.scratch, "stolen");
    const evil = `import fs from "node:fs"; fs.writeFileSync(${JSON.stringify(stolen)}, "key");\n`;
    repository.change("change", ".edgewise/edgewise.mjs", evil);
    repository.change("change", ".edgewise/edgewise.mjs.sha256", "0000  edgewise.mjs\n");
    repository.change("change", ".npmrc", "node-options=--require=./evil.mjs\n");
    repository.change("change", "evil.mjs", evil);
    repository.change("change", example, (text) => text.replace("502", "500"));
    // Git reads origin/main as this tag.
    repository.tag("origin/main", repository.commitOf("change"));
    const jobs = await team.plan("change");
    expect(codes(jobs), logOf(jobs)).toEqual({ validate: 0, "plan edge-config": 0 });
    expect(bodies()).toEqual(["Looks good to me", expect.stringMatching(/^<!-- edgewise plan of edge-config -->\n/)]);
    expect(team.last).toContain("500");
    expect(existsSync(stolen)).toBe(false);
    expect((await backend()).status_code).toBe(503);
  });

  it("are red for an error, and for a refused plan", async () => {
    const { repository } = team;
    repository.change("broken", "edge/broken.yaml", "apiVersion: edgewise/v1\nkind: TLSEdge\nmetadata: {name: x}\n");
    const broken = await team.plan("broken");
    expect(codes(broken)).toEqual({ validate: 1 });
    expect(logOf(broken)).toContain("::error file=edge/broken.yaml");

    repository.change("gone", "edgewise.yaml", (text) => text.replace("maxDeletes: 3", "maxDeletes: 0"));
    repository.change("gone", example, (text) => text.replace(/---\n[^]*/, ""));
    const refused = await team.plan("gone");
    expect(codes(refused), logOf(refused)).toEqual({ validate: 0, "plan edge-config": 4 });
    expect(bodies()[1]).toMatch(/Refused[\s\S]*too-many-deletes/);
  });

  it("refuse a plan that is not the approved one", async () => {
    merged("503", "504");
    const other = await team.apply((artifacts, stack) => {
      const file = join(artifacts, `edgewise-plan-${stack}`, "edgewise.plan");
      const plan = JSON.parse(readFileSync(file, "utf8"));
      writeFileSync(file, JSON.stringify({ ...plan, hash: `sha256:${"0".repeat(64)}` }));
    });
    expect(other.at(-1), logOf(other)).toMatchObject({ job: "apply/apply", code: 4 });
    expect((await backend()).status_code).toBe(503);
    expect(team.github.tags.get("edge-applied-edge-config")).not.toBe(team.repository.commitOf("main"));
  });

  it("open one issue for drift, none for what is only pending, and close it when the drift is gone", async () => {
    const pending = await team.drift();
    expect(codes(pending), logOf(pending)).toEqual({ stacks: 0, "drift edge-config": 0, "drift eu": 0 });
    expect(pending[1]?.summary).toContain("pending");
    expect(team.github.issues).toEqual([]);
    await changeLive(419);
    const jobs = await team.drift();
    expect(team.github.issues).toMatchObject([{ state: "open", labels: ["edgewise-drift"] }]);
    expect(team.github.issues[0]?.body).toMatch(/^<!-- edgewise drift of edge-config -->\n[^]*419/);
    expect(logOf(jobs)).toContain("uploaded edgewise-drift-edge-config/drift.json");
    await changeLive(503);
    await team.drift();
    expect(team.github.issues).toMatchObject([{ state: "closed" }]);
  });

  it("roll back to a commit that was merged, and to no other", async () => {
    const before = team.repository.commitOf("main");
    merged("504", "530");
    const jobs = await team.rollBack(before, "edge-config");
    expect(codes(jobs), logOf(jobs)).toMatchObject({ "stack edge-config": 0, "apply/apply edge-config": 0 });
    expect((await backend()).status_code).toBe(504);
    expect(team.github.tags.get("edge-applied-edge-config")).toBe(before);
    const refused = await team.rollBack(team.repository.commitOf("first"), "edge-config");
    expect(codes(refused), logOf(refused)).toEqual({ "stack edge-config": 1 });
  });
});
