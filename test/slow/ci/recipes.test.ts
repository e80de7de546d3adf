import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type * as WorkflowParser from "@actions/workflow-parser";
import { rolldown } from "rolldown";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { root } from "../../repository/source-files.ts";
import { temporary } from "../../support/cli.ts";
import type { Workflow } from "./run-workflow.ts";

const recipeText = (path: string): string => readFileSync(join(root, path), "utf8");
const workflowPaths = readdirSync(join(root, "examples/ci/github")).map((name) => `examples/ci/github/${name}`);
const workflows = workflowPaths.map((path): readonly [string, Workflow] => [basename(path), parse(recipeText(path))]);
const jobs = workflows.flatMap(([file, workflow]) =>
  Object.entries(workflow.jobs).map(([name, job]) => ({ name: `${file} ${name}`, job, text: JSON.stringify(job) })),
);
const jobsThat = (holds: (job: (typeof jobs)[number]) => boolean) => jobs.filter(holds).map(({ name }) => name);

describe("the GitHub workflows", () => {
  it("are what GitHub's own parser takes", async () => {
    // It imports JSON as only bundlers do.
    const input = fileURLToPath(import.meta.resolve("@actions/workflow-parser"));
    const build = await rolldown({ input, platform: "browser" });
    const { output } = await build.generate({ format: "esm" });
    await build.close();
    const parser: typeof WorkflowParser = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
    for (const name of workflowPaths) {
      const parsed = parser.parseWorkflow({ name, content: recipeText(name) }, new parser.NoOperationTraceWriter());
      if (parsed.value === undefined) throw new Error(`${name}: nothing`);
      const { errors } = await parser.convertWorkflowTemplate(parsed.context, parsed.value);
      const found = parsed.context.errors.getErrors().map(({ message }) => message);
      expect([found, errors ?? []], name).toEqual([[], []]);
    }
  });

  it("pin each action, evaluate nothing in a shell, leave no credentials in the checkout, and have time limits", () => {
    for (const [, use] of workflowPaths
      .map(recipeText)
      .join("")
      .matchAll(/^\s*- uses: (.+)$/gm))
      expect(use).toMatch(/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    for (const [file, { permissions }] of workflows) expect(permissions, file).toEqual({ contents: "read" });
    for (const { job, name } of jobs) {
      expect(job["timeout-minutes"], name).toBeGreaterThan(0);
      for (const { run = "", uses = "", with: inputs } of job.steps) {
        expect(run, name).not.toContain("${{");
        if (uses.startsWith("actions/checkout@")) expect(inputs?.["persist-credentials"], name).toBe(false);
      }
    }
  });

  it("give the key that writes to approved jobs alone, and a key to no job that runs a change's program", () => {
    const approved = ["edgewise-apply.yaml apply", "edgewise-comment.yaml apply"];
    expect(jobsThat(({ text }) => text.includes("secrets.EDGEWISE_API_KEY"))).toEqual(approved);
    expect(jobsThat(({ job }) => job.environment === "edgewise")).toEqual(approved);
    expect(jobsThat(({ job }) => job.permissions?.["issues"] === "write")).toEqual(["edgewise-drift.yaml drift"]);
    const keyless = jobsThat(({ text }) => !text.includes("secrets."));
    expect(keyless).toEqual(["edgewise-comment.yaml command", "edgewise-plan.yaml check"]);
    // pull_request_target runs with secrets.
    expect(workflowPaths.map(recipeText).join("")).not.toContain("pull_request_target");
  });
});

it("the GitLab pipeline gives the key that writes to the manual job of the protected environment alone", () => {
  const pipeline: Readonly<Record<string, unknown>> = parse(recipeText("examples/ci/gitlab/gitlab-ci.yml"));
  const holds = (word: string) => Object.keys(pipeline).filter((name) => JSON.stringify(pipeline[name]).includes(word));
  expect(holds("EDGEWISE_WRITE_KEY")).toEqual(["apply"]);
  expect(holds("EDGEWISE_READ_KEY")).toEqual(["plan", "drift"]);
  expect(pipeline["apply"]).toMatchObject({
    rules: [{ when: "manual", allow_failure: false }],
    environment: "edgewise",
    interruptible: false,
  });
});

describe("the action", () => {
  const { runs } = parse(recipeText("action.yml"));
  const script: string = runs.steps.find((step: { readonly name?: string }) => step.name === "Run").run;

  it("passes its arguments, one on each line, returns the exit code, and evaluates no input", async () => {
    const directory = await temporary();
    const run = (env: NodeJS.ProcessEnv) => {
      const cut = `edgewise() { printf '<%s>' "$@"; return 2; }\n${script}`;
      const given = { PATH: process.env["PATH"], GITHUB_OUTPUT: join(directory, "output"), ...env };
      return spawnSync("bash", ["-eo", "pipefail", "-c", cut], { cwd: directory, encoding: "utf8", env: given });
    };
    const { status, stdout } = run({
      COMMAND: "plan",
      ARGS: "-o\njson\n\n; touch pwned\n$(touch pwned)\n`touch pwned`",
    });
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: "<plan><-o><json><; touch pwned><$(touch pwned)><`touch pwned`>",
    });
    expect(readFileSync(join(directory, "output"), "utf8")).toBe("code=2\n");
    expect(existsSync(join(directory, "pwned"))).toBe(false);
  });
});
