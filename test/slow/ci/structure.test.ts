import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type * as WorkflowParser from "@actions/workflow-parser";
import { rolldown } from "rolldown";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { cli } from "../../../scripts/sandbox.mjs";
import { type Job, pipelines, recipeText, shellTexts, workflow, workflowPaths, workflows } from "./recipes.ts";

/** The jobs of the GitHub workflows of which something holds, as `file job`. */
const jobsThat = (holds: (job: Job) => boolean) =>
  [...workflows].flatMap(([file, { jobs }]) =>
    Object.entries(jobs).flatMap(([name, job]) => (holds(job) ? [`${file} ${name}`] : [])),
  );
const says = (job: unknown, text: string) => JSON.stringify(job).includes(text);

describe("every recipe", () => {
  it("pins each action by one commit, and tells its version", () => {
    const commits = new Map<string, Set<string>>();
    for (const path of [...workflowPaths, "action.yml"])
      for (const [, use = ""] of recipeText(path).matchAll(/^\s*(?:- )?uses: (?!\.\/)(.+)$/gm)) {
        const [, name, commit] = /^([\w-]+\/[\w-]+)@([0-9a-f]{40}) # v\d+\.\d+\.\d+$/.exec(use) ?? [];
        if (name === undefined || commit === undefined) throw new Error(`${path}: ${use}`);
        commits.set(name, (commits.get(name) ?? new Set()).add(commit));
      }
    expect(commits.size).toBeGreaterThan(3);
    expect([...commits].filter(([, found]) => found.size > 1)).toEqual([]);
  });

  it("has scripts that bash reads, without expressions, and with branches of the server in full", () => {
    for (const { where, text } of shellTexts()) {
      expect(spawnSync("bash", ["-n"], { input: text, encoding: "utf8" }), where).toMatchObject({ status: 0 });
      expect(text, where).not.toContain("${{"); // its value would be read as code
      expect(text, where).not.toMatch(/(?<!refs\/remotes\/)\borigin\//); // a tag may be called so
    }
  });

  it("uses only commands and flags that exist", () => {
    const program =
      /\b(?:node (?:\.edgewise|"\$(?:program|RUNNER_TEMP\/edgewise))\/edgewise\.mjs"?|edgewise) ([a-z]+)((?: [^|;>\n]*)?)/g;
    const used = new Map<string, Set<string>>();
    for (const { text } of shellTexts())
      for (const [, command = "", words = ""] of text.replaceAll("\\\n", "").matchAll(program)) {
        const flags = words.split(" ").flatMap((word) => /(?:^|:\+)(-[\w-]+)/.exec(word)?.[1] ?? []);
        used.set(command, new Set([...(used.get(command) ?? []), ...flags]));
      }
    expect([...used.keys()]).toEqual(expect.arrayContaining(["validate", "plan", "apply", "drift", "stacks"]));
    for (const [command, flags] of used) {
      const { status, stdout } = spawnSync(process.execPath, [cli, command, "--help"], { encoding: "utf8" });
      expect(status, command).toBe(0);
      for (const flag of flags) expect(stdout, command).toMatch(new RegExp(`(^|[\\s,])${flag}\\b`, "m"));
    }
  });
});

describe("the GitHub workflows", () => {
  it("are what GitHub's own parser takes", async () => {
    // It imports JSON as only bundlers do.
    const build = await rolldown({
      input: fileURLToPath(import.meta.resolve("@actions/workflow-parser")),
      platform: "browser",
    });
    const { output } = await build.generate({ format: "esm" });
    await build.close();
    const parser: typeof WorkflowParser = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
    for (const name of workflowPaths) {
      const parsed = parser.parseWorkflow({ name, content: recipeText(name) }, new parser.NoOperationTraceWriter());
      if (parsed.value === undefined) throw new Error(`${name}: nothing`);
      const { jobs, errors } = await parser.convertWorkflowTemplate(parsed.context, parsed.value);
      expect(
        parsed.context.errors.getErrors().map(({ message }) => message),
        name,
      ).toEqual([]);
      expect([jobs.length > 0, errors ?? []], name).toEqual([true, []]);
    }
  });

  it("start with read permission only, with pipefail, and have a time limit on every job", () => {
    for (const { permissions, defaults, jobs } of workflows.values()) {
      expect(permissions).toEqual({ contents: "read" });
      expect(defaults.run.shell).toBe("bash");
      for (const job of Object.values(jobs))
        if (job.uses === undefined) expect(job["timeout-minutes"]).toBeGreaterThan(0);
    }
  });

  it("let only these jobs write, and none of them that holds a key or runs the repository's code", () => {
    const writers = (right: string) => jobsThat(({ permissions }) => permissions?.[right] === "write");
    expect(writers("issues")).toEqual(["edgewise-drift.yaml drift"]);
    expect(writers("pull-requests")).toEqual([
      "edgewise-plan.yaml plan",
      ...["check", "stacks", "plan", "answer"].map((job) => `edgewise-comment.yaml ${job}`),
    ]);
    // All but the first hand the right on to it.
    expect(writers("contents")).toEqual([
      "edgewise-apply-stack.yaml record",
      "edgewise-apply.yaml apply",
      "edgewise-rollback.yaml apply",
      "edgewise-comment.yaml apply",
    ]);
    const { record } = workflow("edgewise-apply-stack.yaml").jobs;
    expect(JSON.stringify(record)).not.toMatch(/secrets\.|"run":/u);
    expect(record).toMatchObject({
      needs: ["plan", "apply"],
      if: "always() && (needs.plan.outputs.code == '0' || needs.apply.result == 'success')",
    });
  });

  it("give the write key to the approved job only, and no key to forks and comments", () => {
    expect(jobsThat((job) => says(job, "secrets.EDGEWISE_API_KEY"))).toEqual(["edgewise-apply-stack.yaml apply"]);
    expect(jobsThat(({ environment }) => environment === "edgewise")).toEqual(["edgewise-apply-stack.yaml apply"]);
    const { on, jobs } = workflow("edgewise-plan.yaml");
    expect(Object.keys(on)).toEqual(["pull_request"]); // not pull_request_target, which runs with secrets
    expect(says(jobs["validate"], "secrets.")).toBe(false);
    expect(jobs["plan"]?.if).toContain(" && github.event.pull_request.head.repo.full_name == github.repository");
    const comment = workflow("edgewise-comment.yaml");
    expect(comment.on).toEqual({ issue_comment: { types: ["created"] } });
    expect(Object.keys(comment.jobs).filter((name) => says(comment.jobs[name], "secrets."))).toEqual(["plan"]);
    // The script reads the comment from the event's file.
    const read = recipeText("examples/ci/github-comments/edgewise-comment.yaml").match(/github\.event\.[\w.]+/g);
    expect(read?.filter((name) => name.includes("comment"))).toEqual([
      "github.event.comment.body",
      "github.event.comment.user.type",
    ]);
  });

  it("leave no credentials in the checkout, and read no settings of package managers", () => {
    for (const { jobs } of workflows.values())
      for (const { uses = "", with: inputs } of Object.values(jobs).flatMap(({ steps = [] }) => steps)) {
        if (uses.startsWith("actions/checkout@")) expect(inputs?.["persist-credentials"]).toBe(false);
        if (uses.startsWith("actions/setup-node@"))
          expect(inputs).toEqual({ "node-version": 24, "package-manager-cache": false });
      }
  });

  it("apply one at a time, never cancel half-way, and let no stack wait for another", () => {
    const { apply } = workflow("edgewise-apply-stack.yaml").jobs;
    expect(apply?.concurrency).toEqual({ group: "edgewise-apply-${{ inputs.slug }}", "cancel-in-progress": false });
    const groups = [...workflows.values()].flatMap(({ concurrency, jobs }) => {
      expect(concurrency).toBeUndefined(); // on the job, so that it can name the stack
      return Object.values(jobs).flatMap((job) => job.concurrency?.group ?? []);
    });
    expect(new Set(groups).size).toBe(groups.length);
  });
});

describe("other recipes", () => {
  it("GitLab: the write key is for the manual job, on the default branch; merge requests of forks get no key", () => {
    const parent = pipelines.get("gitlab-ci.yml") ?? new Map();
    const child = pipelines.get("edgewise-stack.yml") ?? new Map();
    const writers = [...parent, ...child].filter(([, job]) => says(job, "EDGEWISE_WRITE_KEY"));
    expect(writers.map(([name]) => name)).toEqual([".apply"]);
    expect(child.get(".apply")).toMatchObject({ when: "manual", environment: "edgewise", interruptible: false });
    expect(says(parent.get("validate"), "_KEY")).toBe(false);
    expect(parent.get("stacks").rules[0].if).toBe(
      '$CI_PIPELINE_SOURCE == "merge_request_event" && $CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_PROJECT_ID',
    );
    const rules: readonly { readonly if: string }[] = ["validate", "stacks"].flatMap((name) => parent.get(name).rules);
    const elsewhere = rules.filter((rule) => !rule.if.endsWith(" && $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH"));
    expect(elsewhere.filter((rule) => !rule.if.includes('"merge_request_event"'))).toEqual([]);
  });

  it("the CronJob never runs twice at a time, has no power, and reads its key from a file", () => {
    const { spec } = parse(recipeText("examples/ci/kubernetes/drift-cronjob.yaml"));
    const pod = spec.jobTemplate.spec.template.spec;
    expect(spec).toMatchObject({ concurrencyPolicy: "Forbid", jobTemplate: { spec: { backoffLimit: 0 } } });
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      restartPolicy: "Never",
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      containers: [
        {
          args: expect.arrayContaining(["drift", "--api-key-file", "/run/edgewise/key"]),
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ["ALL"] },
          },
          resources: { limits: { memory: "512Mi" } },
        },
      ],
    });
  });
});
