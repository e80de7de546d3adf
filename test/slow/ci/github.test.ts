import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSandbox } from "../../../scripts/sandbox.mjs";
import { FakeGithub } from "./fake-github.ts";
import { type InitRepository, initRepository } from "./init-repository.ts";
import type { Strings } from "./recipes.ts";
import { type RanJob, type WorkflowRun, runWorkflow } from "./run-workflow.ts";

type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/** A repository that holds only what `init` wrote, on a GitHub of its own, beside the service. */
class Team {
  readonly github = new FakeGithub();
  readonly #sandbox: Sandbox;
  readonly repository: InitRepository;

  constructor(sandbox: Sandbox, others: readonly string[] = []) {
    this.#sandbox = sandbox;
    this.repository = initRepository("github", others);
  }

  async #run(name: string, sha: string, values: Strings, more: Partial<WorkflowRun> = {}) {
    const { repository, github } = this;
    const jobs = await runWorkflow(name, {
      repository,
      sha,
      values: {
        "github.repository": "example/edge",
        "github.event.repository.default_branch": "main",
        "secrets.EDGEWISE_READ_KEY": this.#sandbox.apiKey,
        "environment.EDGEWISE_API_KEY": this.#sandbox.apiKey,
        "vars.EDGEWISE_BASE_URL": this.#sandbox.baseUrl,
        ...values,
      },
      script: (code, env, directory) => github.run({ directory, sha, code, env }),
      ...more,
      env: { EDGEWISE_VERSION_HEADER: this.#sandbox.env.EDGEWISE_VERSION_HEADER, ...more.env },
    });
    // What the record job wrote through the API is a tag of the repository.
    for (const [tag, commit] of github.tags) repository.tag(tag, commit);
    for (const { job, untracked } of jobs) if (untracked !== "") throw new Error(`${job} leaves ${untracked}`);
    return jobs;
  }

  /** The workflow of a pull request. */
  async plan(branch: string, base = "main", head = "example/edge"): Promise<readonly RanJob[]> {
    const values = {
      "github.event.pull_request.number": "7",
      "github.event.pull_request.head.repo.full_name": head,
      // GitHub gives no secrets and variables to pull requests from forks.
      ...(head === "example/edge" ? {} : { "secrets.EDGEWISE_READ_KEY": "", "vars.EDGEWISE_BASE_URL": "" }),
    };
    const sha = this.repository.commitOf(branch);
    return this.#run("edgewise-plan.yaml", sha, values, {
      env: { GITHUB_EVENT_NAME: "pull_request", GITHUB_BASE_REF: base },
    });
  }

  /** The workflow of a push to the main branch; `approve` = what happens before each approval. */
  async apply(approve: WorkflowRun["approve"] = () => {}, event = "push"): Promise<readonly RanJob[]> {
    const sha = this.repository.commitOf("main");
    return this.#run("edgewise-apply.yaml", sha, {}, { approve, env: { GITHUB_EVENT_NAME: event } });
  }

  /** The workflow that rolls back, started by hand on a branch. */
  async rollBack(ref: string, slug = "", from = "main"): Promise<readonly RanJob[]> {
    const values = { "inputs.ref": ref, "inputs.slug": slug };
    const env = { GITHUB_EVENT_NAME: "workflow_dispatch" };
    return this.#run("edgewise-rollback.yaml", this.repository.commitOf(from), values, { env });
  }

  async drift(): Promise<readonly RanJob[]> {
    return this.#run(
      "edgewise-drift.yaml",
      this.repository.commitOf("main"),
      {},
      { env: { GITHUB_EVENT_NAME: "schedule" } },
    );
  }
}

/** The jobs and their exit codes. */
function codes(jobs: readonly RanJob[]): Readonly<Record<string, number>> {
  return Object.fromEntries(jobs.map(({ job, stack, code }) => [`${job} ${stack}`.trim(), code]));
}

function logOf(jobs: readonly RanJob[]): string {
  return jobs.map(({ job, stack, log }) => `--- ${job} ${stack}\n${log}`).join("\n");
}

const bodies = ({ comments }: FakeGithub) => comments.map(({ body }) => body);

// One story in order: each test continues where the last one ended.
describe("the GitHub workflows that init writes, with one stack", () => {
  let sandbox: Sandbox;
  let team: Team;
  const example = "edge/example.yaml";

  beforeAll(async () => {
    sandbox = await startSandbox();
    team = new Team(sandbox);
  });
  afterAll(() => {
    sandbox.stop();
    team.repository.remove();
  });

  const backend = async () => {
    const { backends } = await sandbox.request("GET", "/backends/http_response");
    return backends[0] as { readonly id: string; readonly status_code: number };
  };
  const changeLive = async (status_code: number) =>
    sandbox.request("PATCH", `/backends/http_response/${(await backend()).id}`, { status_code });
  const merged = (from: string, to: string) => {
    team.repository.change("next", example, (text) => text.replace(from, to));
    team.repository.merge("next");
  };

  it("use no key before the main branch holds the program", async () => {
    const { repository } = team;
    repository.change("empty", ".edgewise/edgewise.mjs", null);
    repository.change("first", example, (text) => text.replace("503", "501"));
    const first = await team.plan("first", "empty");
    expect(codes(first), logOf(first)).toEqual({ validate: 0, "plan edge-config": 0 });
    expect(first[1]?.log).toContain("empty holds no .edgewise/edgewise.mjs yet");
    expect(first[1]?.summary).toContain("No plan");
    expect(bodies(team.github)).toEqual([]);
  });

  it("apply what was pushed first, once it is approved", async () => {
    const seen: string[] = [];
    const jobs = await team.apply((_, stack) => seen.push(stack));
    expect(codes(jobs), logOf(jobs)).toEqual({
      stacks: 0,
      "apply/plan edge-config": 0,
      "apply/apply edge-config": 0,
      "apply/record edge-config": 0,
    });
    expect(seen).toEqual(["edge-config"]);
    expect(jobs[1]?.summary).toContain("TLSEdge/example");
    expect(jobs[2]?.summary).toContain("TLSEdge/example");
    expect((await backend()).status_code).toBe(503);
    expect(team.github.tags.get("edge-applied-edge-config")).toBe(team.repository.commitOf("main"));
  });

  it("have nothing to do when nothing differs from what was applied", async () => {
    const jobs = await team.apply();
    expect(codes(jobs), logOf(jobs)).toEqual({ stacks: 0 });
  });

  it("show a plan in one comment that is updated, beside the comments of people", async () => {
    team.github.say("Looks good to me");
    team.repository.change("change", example, (text) => text.replace("503", "502"));
    const jobs = await team.plan("change");
    expect(codes(jobs), logOf(jobs)).toEqual({ validate: 0, "plan edge-config": 0 });
    team.repository.change("change", example, (text) => text.replace("502", "500"));
    await team.plan("change");
    const [first, second, ...more] = bodies(team.github);
    expect([first, more]).toEqual(["Looks good to me", []]);
    expect(second).toMatch(/^<!-- edgewise plan of edge-config -->\n/);
    expect(second).toContain("500");
    expect((await backend()).status_code).toBe(503);
  });

  it("validate pull requests from forks, and plan none", async () => {
    const jobs = await team.plan("change", "main", "somebody/edge");
    expect(codes(jobs), logOf(jobs)).toEqual({ validate: 0 });
  });

  it("run the program of the main branch, whatever a pull request does to it", async () => {
    const stolen = join(team.repository.scratch, "stolen");
    const evil = `require("fs").writeFileSync(${JSON.stringify(stolen)}, "key")`;
    const { repository } = team;
    repository.change(
      "evil",
      ".edgewise/edgewise.mjs",
      `import fs from "node:fs"; fs.writeFileSync(${JSON.stringify(stolen)}, "key");\n`,
    );
    repository.change("evil", ".edgewise/edgewise.mjs.sha256", "0000  edgewise.mjs\n");
    repository.change("evil", "package.json", JSON.stringify({ scripts: { preinstall: `node -e '${evil}'` } }));
    repository.change("evil", ".npmrc", "node-options=--require=./evil.cjs\n");
    repository.change("evil", "evil.cjs", evil);
    repository.change("evil", example, (text) => text.replace("503", "501"));
    // Git reads origin/main as this tag.
    repository.tag("origin/main", repository.commitOf("evil"));
    const jobs = await team.plan("evil");
    expect(codes(jobs), logOf(jobs)).toEqual({ validate: 0, "plan edge-config": 0 });
    expect(bodies(team.github)[1]).toContain("501");
    expect(existsSync(stolen)).toBe(false);
  });

  it("are red when a program doesn't match its checksum", async () => {
    const { repository } = team;
    repository.change("damaged", ".edgewise/edgewise.mjs.sha256", `${"0".repeat(64)}  edgewise.mjs\n`);
    repository.change("onto-damaged", example, (text) => text.replace("503", "504"));
    const jobs = await team.plan("change", "damaged");
    expect(codes(jobs)).toEqual({ validate: 1 });
    expect(logOf(jobs)).toContain("edgewise.mjs: FAILED");
  });

  it("are red for a plan that is refused, and say why", async () => {
    const { repository } = team;
    // Two more edges, and then all of them gone: too many deletes.
    const more = [1, 2, 3].map((n) => `---\n${edge(`more-${n}`)}`).join("");
    repository.change("next", example, (text) => text + more);
    repository.merge("next");
    await team.apply();
    repository.change("gone", example, (text) => text.replace(/---\n[^]*/, ""));
    const jobs = await team.plan("gone");
    expect(codes(jobs), logOf(jobs)).toEqual({ validate: 0, "plan edge-config": 4 });
    expect(bodies(team.github)[1]).toMatch(/Refused[\s\S]*too-many-deletes/);

    repository.merge("gone");
    const applied = await team.apply();
    expect(codes(applied), logOf(applied)).toEqual({ stacks: 0, "apply/plan edge-config": 4 });
    const { tls_edges } = await sandbox.request("GET", "/edges/tls");
    expect(tls_edges).toHaveLength(4);
    repository.change("next", example, (text) => `${text}---\n${edge("example", "edge.example.com:443")}${more}`);
    repository.merge("next");
  });

  it("are red for an error, and leave the comment as it is", async () => {
    const before = bodies(team.github)[1];
    team.repository.change(
      "broken",
      "edge/broken.yaml",
      "apiVersion: edgewise/v1\nkind: TLSEdge\nmetadata: {name: x}\nspec: {hostport: []}\n",
    );
    const jobs = await team.plan("broken");
    expect(codes(jobs)).toEqual({ validate: 1 });
    expect(logOf(jobs)).toContain("::error file=edge/broken.yaml");
    expect(bodies(team.github)[1]).toBe(before);
  });

  it("refuse an approved plan when live resources changed, and one that is not the approved one", async () => {
    merged("503", "504");
    const before = (await backend()).status_code;
    const other = await team.apply(async (artifacts, stack) => {
      const file = join(artifacts, `edgewise-plan-${stack}`, "edgewise.plan");
      const plan = JSON.parse(readFileSync(file, "utf8"));
      writeFileSync(file, JSON.stringify({ ...plan, hash: `sha256:${"0".repeat(64)}` }));
    });
    expect(other.at(-1)).toMatchObject({ job: "apply/apply" });
    expect(other.at(-1)?.code, logOf(other)).not.toBe(0);
    expect((await backend()).status_code).toBe(before);
    const drifted = await team.apply(async () => changeLive(417));
    expect(drifted.at(-1), logOf(drifted)).toMatchObject({ job: "apply/apply", code: 4 });
    expect((await backend()).status_code).toBe(417);
    expect(team.github.tags.get("edge-applied-edge-config")).not.toBe(team.repository.commitOf("main"));
    await changeLive(before);
  });

  it("open no issue for what is merged and not yet applied", async () => {
    const jobs = await team.drift();
    expect(codes(jobs), logOf(jobs)).toEqual({ stacks: 0, "drift edge-config": 0 });
    expect(jobs[1]?.summary).toContain("pending");
    expect(team.github.issues).toEqual([]);
  });

  it("open one issue for drift, update it, and close it when the drift is gone", async () => {
    await changeLive(418);
    await team.drift();
    await changeLive(419);
    const jobs = await team.drift();
    expect(codes(jobs), logOf(jobs)).toEqual({ stacks: 0, "drift edge-config": 0 });
    expect(team.github.issues).toHaveLength(1);
    expect(team.github.issues[0]).toMatchObject({ state: "open", labels: ["edgewise-drift"] });
    expect(team.github.issues[0]?.body).toContain("419");
    expect(logOf(jobs)).toContain("uploaded edgewise-drift-edge-config/drift.json");
    // By hand: the plan is made for every stack, and undoes what somebody changed live.
    const applied = await team.apply(() => {}, "workflow_dispatch");
    expect(codes(applied), logOf(applied)).toMatchObject({ "apply/apply edge-config": 0 });
    await team.drift();
    expect(team.github.issues[0]).toMatchObject({ state: "closed" });
    expect(team.github.issues[0]?.comments.at(-1)?.body).toContain("/actions/runs/1");
  });

  it("roll back to a commit that was merged, and to no other", async () => {
    const before = team.repository.commitOf("main");
    const live = (await backend()).status_code;
    merged(`status_code: ${live}`, "status_code: 530");
    await team.apply();
    expect((await backend()).status_code).toBe(530);
    const jobs = await team.rollBack(before);
    expect(codes(jobs), logOf(jobs)).toEqual({
      stack: 0,
      "apply/plan edge-config": 0,
      "apply/apply edge-config": 0,
      "apply/record edge-config": 0,
    });
    expect((await backend()).status_code).toBe(live);
    expect(team.github.tags.get("edge-applied-edge-config")).toBe(before);
    // What was rolled back is merged and not applied, so the next push brings it back unless it is reverted.
    const drift = await team.drift();
    expect(drift[1]?.summary, logOf(drift)).toContain("pending");

    team.repository.change("unmerged", example, (text) => text.replace("status_code: 530", "status_code: 531"));
    for (const [ref, slug, from] of [
      [team.repository.commitOf("unmerged"), ""],
      [team.repository.commitOf("unmerged"), "", "unmerged"],
      ["--help", ""],
      ["$(touch ran)", ""],
      [before, "other"],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop
      const refused = await team.rollBack(ref, slug, from);
      expect(Object.values(codes(refused)), logOf(refused)).toEqual([1]);
    }
    expect((await backend()).status_code).toBe(live);
  });
});

function edge(name: string, hostport = `${name}.example.com:443`): string {
  return [
    "apiVersion: edgewise/v1",
    "kind: TLSEdge",
    `metadata: {name: ${name}}`,
    `spec: {hostports: ["${hostport}"], backend: {backend: {name: maintenance}}, tls_termination: {terminate_at: edge}}`,
    "",
  ].join("\n");
}

describe("the GitHub workflows that init writes, with three stacks", () => {
  let sandbox: Sandbox;
  let team: Team;

  beforeAll(async () => {
    sandbox = await startSandbox();
    team = new Team(sandbox, ["eu", "us"]);
  });
  afterAll(() => {
    sandbox.stop();
    team.repository.remove();
  });

  it("apply all of them at first, each with a record of its own", async () => {
    const jobs = await team.apply();
    expect(Object.values(codes(jobs)), logOf(jobs)).toEqual(Array(10).fill(0));
    expect([...team.github.tags.keys()].toSorted()).toEqual([
      "edge-applied-edge-config",
      "edge-applied-eu",
      "edge-applied-us",
    ]);
  });

  it("plan, comment and apply only the one that changed", async () => {
    const { repository, github } = team;
    repository.change("eu", "eu/edge/example.yaml", (text) => text.replace("503", "502"));
    const planned = await team.plan("eu");
    expect(codes(planned), logOf(planned)).toEqual({ validate: 0, "plan eu": 0 });
    expect(bodies(github)).toEqual([expect.stringMatching(/^<!-- edgewise plan of eu -->\n/)]);
    repository.merge("eu");
    const before = github.tags.get("edge-applied-us");
    const applied = await team.apply();
    expect(codes(applied), logOf(applied)).toEqual({
      stacks: 0,
      "apply/plan eu": 0,
      "apply/apply eu": 0,
      "apply/record eu": 0,
    });
    expect(github.tags.get("edge-applied-us")).toBe(before);
  });

  it("plan a stack that can't be compared with what was applied", async () => {
    const { repository, github } = team;
    const unrelated = repository.unrelated();
    github.tags.set("edge-applied-eu", unrelated);
    repository.tag("edge-applied-eu", unrelated);
    const jobs = await team.apply();
    expect(codes(jobs), logOf(jobs)).toEqual({ stacks: 0, "apply/plan eu": 0, "apply/record eu": 0 });
  });

  it("give each stack its own comment and its own issue", async () => {
    const { repository, github } = team;
    for (const name of ["eu", "us"])
      repository.change("both", `${name}/edge/example.yaml`, (text) => text.replace(/50\d/, "500"));
    const planned = await team.plan("both");
    expect(codes(planned), logOf(planned)).toEqual({ validate: 0, "plan eu": 0, "plan us": 0 });
    expect(bodies(github).map((body) => body.split("\n", 1)[0])).toEqual([
      "<!-- edgewise plan of eu -->",
      "<!-- edgewise plan of us -->",
    ]);
    const { backends } = await sandbox.request("GET", "/backends/http_response");
    for (const { id } of backends) {
      // oxlint-disable-next-line no-await-in-loop
      await sandbox.request("PATCH", `/backends/http_response/${id}`, { status_code: 418 });
    }
    const drifted = await team.drift();
    expect(Object.values(codes(drifted)), logOf(drifted)).toEqual([0, 0, 0, 0]);
    expect(github.issues.map(({ body }) => body.split("\n", 1)[0])).toEqual([
      "<!-- edgewise drift of edge-config -->",
      "<!-- edgewise drift of eu -->",
      "<!-- edgewise drift of us -->",
    ]);
  });

  it("are red, and plan none, when the configuration of one is broken", async () => {
    team.repository.change("broken", "us/edgewise.yaml", "stack: [\n");
    const jobs = await team.plan("broken");
    expect(codes(jobs), logOf(jobs)).toEqual({ validate: 1 });
    expect(logOf(jobs)).toContain("us/edgewise.yaml");
  });
});
