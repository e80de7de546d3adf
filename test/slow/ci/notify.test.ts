import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { plainEnvironment } from "../../../scripts/sandbox.mjs";
import { root } from "../../repository/source-files.ts";
import { holds } from "./expressions.ts";
import { recipeText, workflow } from "./recipes.ts";
import { runBash } from "./run-bash.ts";

interface Received {
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly text: string;
}

/** An incoming webhook on loopback. */
class Receiver {
  received: Received[] = [];
  readonly server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    request.on("end", () => {
      this.received.push({ headers: request.headers, text });
      response.writeHead(200, { location: "http://127.0.0.1:1/" }).end();
    });
  });

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/services/T0/B0/secret-part`;
  }

  /** What was posted, and nothing else: the bodies as JSON. */
  get bodies(): readonly { readonly [name: string]: unknown }[] {
    return this.received.map(({ text }) => JSON.parse(text));
  }
}

const receiver = new Receiver();
let folder: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.server.listen(0, "127.0.0.1", resolve));
});
beforeEach(() => {
  receiver.received = [];
  if (folder !== undefined) rmSync(folder, { recursive: true });
  folder = mkdtempSync(join(tmpdir(), "edgewise-notify-"));
});
afterAll(() => {
  receiver.server.close();
  rmSync(folder, { recursive: true });
});

async function bash(script: string, more: { readonly [name: string]: string } = {}) {
  const env = { ...plainEnvironment(), NOTIFY_URL: receiver.url, ...more };
  const { status: code, text: log } = await runBash(script, { cwd: folder, env });
  expect(log).not.toContain("secret-part");
  return { code, log };
}

const script = join(root, "examples/ci/notify/notify.mjs");
const notify = async (env: { readonly [name: string]: string } = {}, paths = ".") =>
  bash(`node '${script}' ${paths}`, env);
const put = (name: string, ...values: readonly unknown[]) =>
  writeFileSync(join(folder, name), values.map((value) => `${JSON.stringify(value)}\n`).join(""));

const finding = { id: "x", fields: [], source: null, message: "a live text", impact: "routing" };
const drift = (...findings: readonly object[]) => ({
  format: "edgewise.drift/v1",
  stack: "prod",
  clean: false,
  findings,
});
const commit = "0123456789abcdef0123456789abcdef01234567";

function journal(outcome: string | null, ...statuses: readonly string[]) {
  const run = "r1";
  return [
    { run, event: "run-started", stack: "prod", commit, by: "ann, https://ci.example.com/7" },
    ...statuses.map((status, n) => ({
      run,
      event: "operation-ended",
      address: `TLSEdge/e${n}`,
      status,
      error: "evil",
    })),
    ...(outcome === null ? [] : [{ run, event: "run-ended", outcome }]),
  ];
}

describe("notify.mjs", () => {
  it("lets no name be a link, call anybody, break a line or fill the channel", async () => {
    const hostile = [
      "TLSEdge/<!channel>",
      "TLSEdge/<https://evil.example.com|a&b>",
      "TLSEdge/a\n🟢 prod: applied",
      "TLSEdge/\u001b[31m\u202egro\u2028x",
      `TLSEdge/${"x".repeat(5000)}`,
      ..."😀".repeat(30),
    ].map((address) => ({ ...finding, address, type: "modified" }));
    put("drift.json", { ...drift(...hostile), stack: "<@U012345>" });
    await notify();
    const text = String(receiver.bodies[0]?.["text"]);
    expect(text.split("\n")).toHaveLength(10);
    expect(text).toContain("&lt;@U012345&gt;: drift, 35 findings");
    expect(text).toContain("• TLSEdge/&lt;!channel&gt;: modified");
    expect(text).toContain("• and 27 more");
    expect(text).not.toMatch(/[<>\u001b\u202e\u2028]/);
    expect(text.length).toBeLessThan(2000);
    expect(text).not.toContain("a live text");
  });
});

describe("the notification recipes", () => {
  it("follow the workflows of the default branch that they name, and no pull request", () => {
    const { on, jobs } = workflow("edgewise-notify.yaml");
    const names = ["apply", "rollback", "comment", "drift"].map((name) => {
      const directory = name === "comment" ? "github-comments" : "github";
      return parse(recipeText(`examples/ci/${directory}/edgewise-${name}.yaml`)).name;
    });
    expect(on).toEqual({ workflow_run: { workflows: names, types: ["completed"] } });
    const run = "github.event.workflow_run";
    const values = {
      "github.repository": "example/edge",
      "github.event.repository.default_branch": "main",
      [`${run}.head_repository.full_name`]: "example/edge",
      [`${run}.head_branch`]: "main",
      [`${run}.event`]: "schedule",
      [`${run}.conclusion`]: "success",
    };
    const condition = jobs["notify"]?.if;
    expect(holds(condition, values, true)).toBe(true);
    for (const [name, value] of [
      ["head_repository.full_name", "eve/edge"],
      ["head_branch", "change"],
      ["event", "pull_request"],
      ["event", "pull_request_target"],
      ["conclusion", "skipped"],
    ]) {
      expect(holds(condition, { ...values, [`${run}.${name}`]: value ?? "" }, true), name).toBe(false);
    }
  });

  it("tell of no run whose commit was never merged, as that of a tag with the branch's name", async () => {
    const steps = workflow("edgewise-notify.yaml").jobs["notify"]?.steps ?? [];
    const place = steps.findIndex(({ name }) => name === "Only what was merged");
    expect(place).toBeGreaterThan(0);
    expect(place).toBeLessThan(steps.findIndex(({ name }) => name === "Journals"));
    const commits = await bash(`
      git init --quiet && git config user.name Test && git config user.email test@example.com
      for n in 1 2 3; do git commit --quiet --allow-empty --message $n && git rev-parse HEAD; done
      git update-ref refs/remotes/origin/main HEAD~1 && git tag origin/main HEAD && git tag main HEAD`);
    const [first = "", , last = ""] = commits.log.trim().split("\n").slice(-3);
    const check = async (HEAD_SHA: string) => bash(String(steps[place]?.run), { HEAD_SHA, MAIN: "main" });
    expect(await check(first)).toEqual({ code: 0, log: "" });
    expect((await check(last)).code).toBe(1);
    expect((await check("0123456789abcdef0123456789abcdef01234567")).code).toBe(1);
  });

  it("run on GitHub", async () => {
    const step = workflow("edgewise-notify.yaml").jobs["notify"]?.steps?.find(({ name }) => name === "Tell");
    const run = String(step?.run).replace(".github/edgewise/notify.mjs", script);
    mkdirSync(join(folder, "results/edgewise-journal-prod"), { recursive: true });
    put("results/edgewise-journal-prod/journal.jsonl", ...journal("applied", "done"));
    expect(await bash(run, { EVENT: "push", CONCLUSION: "failure", NOTIFY_TITLE: "edgewise apply" })).toMatchObject({
      code: 0,
    });
    expect(receiver.bodies.map(({ text }) => String(text).split("\n")[0])).toEqual([
      "🟢 prod: applied, 1 of 1 operations done",
      "🔴 edgewise apply: the pipeline failed, look at the run",
    ]);
  });

  it("run on GitLab, after a job that succeeded or failed", async () => {
    const job = parse(recipeText("examples/ci/notify/gitlab-notify.yml"))[".notify"];
    const run = job.after_script.join("\n").replace(".gitlab/notify.mjs", script);
    await bash(run, { CI_JOB_STATUS: "success", SLUG: "prod" });
    await bash(run, { CI_JOB_STATUS: "failed", SLUG: "prod" });
    put("drift.json", drift({ ...finding, address: "TLSEdge/a", type: "modified" }));
    await bash(run, { CI_JOB_STATUS: "failed", SLUG: "prod" });
    expect(receiver.bodies.map(({ text }) => String(text).split("\n")[0])).toEqual([
      "🔴 prod: the pipeline failed, look at the run",
      "🟠 prod: drift, 1 finding",
    ]);
  });
});
