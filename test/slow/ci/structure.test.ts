import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { cli } from "../../../scripts/sandbox.mjs";
import { initFiles } from "../../../src/init/init-files.ts";
import { matchesGlob } from "./expressions.ts";
import { action, pipelines, recipeText, shellTexts, workflow, workflowPaths, workflows } from "./recipes.ts";

describe("every recipe", () => {
  it.each([...workflowPaths, "action.yml"])("%s pins each action by commit and tells its version", (path) => {
    const uses = [...recipeText(path).matchAll(/^\s*(?:- )?uses: (?!\.\/)(.+)$/gm)].map((match) => match[1] ?? "");
    expect(uses.length).toBeGreaterThan(0);
    expect(uses.filter((use) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(use))).toEqual([]);
  });

  it("pins each action to one commit everywhere", () => {
    const commits = new Map<string, Set<string>>();
    for (const path of [...workflowPaths, "action.yml"]) {
      for (const [, name = "", commit = ""] of recipeText(path).matchAll(/uses: ([\w-]+\/[\w-]+)@(\w+)/g)) {
        commits.set(name, (commits.get(name) ?? new Set()).add(commit));
      }
    }
    expect([...commits].filter(([, found]) => found.size > 1)).toEqual([]);
  });

  it("puts no expression into a shell, where its value would be read as code", () => {
    expect(shellTexts().filter(({ text }) => text.includes("${{"))).toEqual([]);
  });

  it("names branches of the server in full, because a tag may be called origin/main", () => {
    expect(shellTexts().filter(({ text }) => /(?<!refs\/remotes\/)\borigin\//.test(text))).toEqual([]);
  });

  it("is shell that bash can read", () => {
    const wrong = shellTexts().flatMap(({ where, text }) => {
      const { status, stderr } = spawnSync("bash", ["-n"], { input: text, encoding: "utf8" });
      return status === 0 ? [] : [`${where}: ${stderr}`];
    });
    expect(wrong).toEqual([]);
  });

  it("uses only commands and flags that exist", () => {
    const program =
      /\b(?:node (?:\.edgewise|"\$(?:program|RUNNER_TEMP\/edgewise))\/edgewise\.mjs"?|edgewise) ([a-z]+(?: [^|;>\n]*)?)/g;
    const lines = shellTexts().flatMap(({ where, text }) =>
      [...text.replaceAll("\\\n", "").matchAll(program)].map((match) => ({
        where,
        words: (match[1] ?? "").split(" "),
      })),
    );
    expect(lines.length).toBeGreaterThan(10);
    const help = new Map<string, string>();
    const wrong = lines.flatMap(({ where, words: [command = "", ...words] }) => {
      if (!help.has(command)) {
        const { status, stdout } = spawnSync(process.execPath, [cli, command, "--help"], { encoding: "utf8" });
        help.set(command, status === 0 ? stdout : "");
      }
      const known = help.get(command) ?? "";
      if (known === "") return [`${where}: no command ${command}`];
      return words
        .flatMap((word) => /(?:^|:\+)(-[\w-]+)/.exec(word)?.[1] ?? [])
        .filter((flag) => !new RegExp(`(^|[\\s,])${flag}\\b`, "m").test(known))
        .map((flag) => `${where}: edgewise ${command} has no ${flag}`);
    });
    expect(wrong).toEqual([]);
  });
});

describe("the GitHub workflows", () => {
  it.each([...workflows.keys()])("%s starts with read permission only, and has a time limit on every job", (name) => {
    const { permissions, defaults, jobs } = workflow(name);
    expect(permissions).toEqual({ contents: "read" });
    expect(defaults.run.shell).toBe("bash"); // with pipefail, unlike the default
    for (const job of Object.values(jobs))
      if (job.uses === undefined) expect(job["timeout-minutes"]).toBeGreaterThan(0);
  });

  it("grant only the permissions that the comment and the issue need", () => {
    const granted = [...workflows].flatMap(([file, { jobs }]) =>
      Object.entries(jobs).flatMap(([job, { permissions }]) =>
        Object.entries(permissions ?? {})
          .filter(([, right]) => right !== "read")
          .map(([what, right]) => `${file} ${job} ${what}: ${right}`),
      ),
    );
    expect(granted).toEqual([
      "edgewise-apply-stack.yaml record contents: write",
      "edgewise-apply.yaml apply contents: write", // handed on to the job above
      "edgewise-drift.yaml drift issues: write",
      "edgewise-plan.yaml plan pull-requests: write",
      "edgewise-rollback.yaml apply contents: write", // handed on, too
      "edgewise-comment.yaml check pull-requests: write",
      "edgewise-comment.yaml stacks pull-requests: write",
      "edgewise-comment.yaml plan pull-requests: write",
      "edgewise-comment.yaml apply contents: write", // handed on, too
      "edgewise-comment.yaml answer pull-requests: write",
    ]);
  });

  it("leave no credentials in the checkout", () => {
    for (const { jobs } of workflows.values()) {
      for (const step of Object.values(jobs).flatMap(({ steps = [] }) => steps)) {
        if (step.uses?.startsWith("actions/checkout@")) expect(step.with?.["persist-credentials"]).toBe(false);
        if (step.uses?.startsWith("actions/setup-node@") === true) {
          // A package manager would read the settings of a pull request.
          expect(step.with).toEqual({ "node-version": 24, "package-manager-cache": false });
        }
      }
    }
  });

  it("give no secret to pull requests from forks", () => {
    const { on, jobs } = workflow("edgewise-plan.yaml");
    expect(Object.keys(on)).toEqual(["pull_request"]); // not pull_request_target, which runs with secrets
    for (const job of Object.values(jobs)) {
      if (!JSON.stringify(job).includes("secrets.")) continue;
      expect(job.if).toContain(" && github.event.pull_request.head.repo.full_name == github.repository");
    }
    expect(JSON.stringify(jobs["validate"])).not.toContain("secrets.");
    expect(jobs["validate"]?.if).toBeUndefined();
  });

  it("give the write key to the approved job only", () => {
    const withKey = [...workflows].flatMap(([file, { jobs }]) =>
      Object.entries(jobs)
        .filter(([, job]) => JSON.stringify(job).includes("secrets.EDGEWISE_API_KEY"))
        .map(([job, { environment }]) => ({ file, job, environment })),
    );
    expect(withKey).toEqual([{ file: "edgewise-apply-stack.yaml", job: "apply", environment: "edgewise" }]);
  });

  it("let no job that holds a key or runs the repository's code write to the repository", () => {
    const writer = workflow("edgewise-apply-stack.yaml").jobs["record"];
    expect(JSON.stringify(writer)).not.toMatch(/secrets\.|"run":/u);
    expect(writer?.steps?.map(({ uses }) => uses?.split("@")[0])).toEqual(["actions/github-script"]);
  });

  it("give a comment nothing but the place where its text is read", () => {
    const { on, jobs } = workflow("edgewise-comment.yaml");
    expect(on).toEqual({ issue_comment: { types: ["created"] } });
    // Not even as a variable: the script reads the event's file.
    expect(recipeText("examples/ci/github-comments/edgewise-comment.yaml").match(/github\.event\.[\w.]+/g)).toEqual([
      "github.event.issue.pull_request",
      "github.event.comment.body",
      "github.event.comment.user.type",
      "github.event.repository.default_branch",
    ]);
    const keys = Object.entries(jobs).filter(([, job]) => JSON.stringify(job).includes("secrets."));
    expect(keys.map(([name]) => name)).toEqual(["plan"]);
    // Only the job without a key has files of the pull request.
    const checkouts = Object.entries(jobs).filter(([, { steps = [] }]) =>
      steps.some(
        ({ uses, with: inputs }) => uses?.startsWith("actions/checkout@") === true && inputs?.["ref"] !== undefined,
      ),
    );
    expect(checkouts.map(([name]) => name)).toEqual(["stacks"]);
  });

  it("record a commit only when live is what it says", () => {
    expect(workflow("edgewise-apply-stack.yaml").jobs["record"]).toMatchObject({
      needs: ["plan", "apply"],
      if: "always() && (needs.plan.outputs.code == '0' || needs.apply.result == 'success')",
    });
  });

  it("apply one at a time, and never cancel half-way", () => {
    const { apply } = workflow("edgewise-apply-stack.yaml").jobs;
    expect(apply?.concurrency).toEqual({ group: "edgewise-apply-${{ inputs.slug }}", "cancel-in-progress": false });
    expect(apply?.needs).toBe("plan");
  });

  it("let no apply and no look for drift wait for each other, and no stack for another", () => {
    const groups = [...workflows.values()].flatMap(({ concurrency, jobs }) => {
      expect(concurrency).toBeUndefined(); // on the job, so that it can name the stack
      return Object.values(jobs).flatMap((job) => job.concurrency?.group ?? []);
    });
    expect(new Set(groups).size).toBe(groups.length);
    expect(groups.filter((group) => group.includes(".slug }}")).map((group) => group.split("-")[1])).toEqual([
      "apply",
      "drift",
      "plan",
      "comment",
    ]);
  });

  it("name no environment, stack or host of their own", () => {
    expect(workflowPaths.filter((path) => /EDGEWISE_ENVIRONMENT|prod/.test(recipeText(path)))).toEqual([]);
  });

  it("start for what init writes, and for other stacks", () => {
    const paths = ["edgewise-plan.yaml pull_request", "edgewise-apply.yaml push"].map((where) => {
      const [name = "", event = ""] = where.split(" ");
      return (workflow(name).on[event] as { readonly paths: readonly string[] }).paths;
    });
    expect(paths[0]).toEqual(paths[1]);
    const starts = (path: string) => paths[0]?.some((pattern) => matchesGlob(path, pattern)) === true;
    const written = initFiles({ stack: "x", ci: "github", version: "1.0.0", vendored: true }).map(({ path }) => path);
    expect(
      [...written, ".edgewise/edgewise.mjs", "eu/edgewise.yaml", "eu/edge/a/b.pem"].filter((path) => !starts(path)),
    ).toEqual([]);
    expect(["README.md", "src/main.ts"].filter(starts)).toEqual([]);
  });
});

describe("the action", () => {
  it("is a composite action whose inputs are all explained", () => {
    expect(action.runs.using).toBe("composite");
    for (const input of Object.values(action.inputs)) expect(input.description).toMatch(/\w/);
    for (const step of action.runs.steps) if (step.run !== undefined) expect(step.shell).toBe("bash");
  });
});

describe("the GitLab pipeline", () => {
  const parent = pipelines.get("gitlab-ci.yml")?.jobs;
  const child = pipelines.get("edgewise-stack.yml")?.jobs;

  it("gives the write key to the manual job only", () => {
    const jobs = [...(parent ?? []), ...(child ?? [])];
    const writers = jobs.filter(([, job]) => JSON.stringify(job).includes("EDGEWISE_WRITE_KEY"));
    expect(writers.map(([name]) => name)).toEqual([".apply"]);
    expect(child?.get(".apply")).toMatchObject({ when: "manual", environment: "edgewise", interruptible: false });
  });

  it("starts on the default branch only, but for merge requests", () => {
    const rules = ["validate", "stacks"].flatMap((name) => parent?.get(name)?.rules ?? []);
    expect(rules).toHaveLength(8);
    const other = rules.filter((rule) => !rule.if.endsWith(" && $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH"));
    expect(other.filter((rule) => !rule.if.includes('"merge_request_event"'))).toEqual([]);
  });

  it("plans merge requests of this project only, and gives the job before it no key", () => {
    const [merge] = parent?.get("stacks")?.rules ?? [];
    expect(merge?.if).toBe(
      '$CI_PIPELINE_SOURCE == "merge_request_event" && $CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_PROJECT_ID',
    );
    expect(JSON.stringify(parent?.get("validate"))).not.toContain("_KEY");
  });
});

describe("the CronJob", () => {
  const job = parse(recipeText("examples/ci/kubernetes/drift-cronjob.yaml"));
  const pod = job.spec.jobTemplate.spec.template.spec;

  it("runs a pod without permissions except to reach the service", () => {
    expect(pod).toMatchObject({ automountServiceAccountToken: false, restartPolicy: "Never" });
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
    expect(pod.containers).toHaveLength(1);
    expect(pod.containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(pod.containers[0].resources.limits.memory).toBe("512Mi");
    expect(pod.containers[0].image).not.toMatch(/:latest$|^[^:]+$/);
  });

  it("never runs twice at the same time, and reads the key from a file", () => {
    expect(job.spec.concurrencyPolicy).toBe("Forbid");
    expect(job.spec.jobTemplate.spec.backoffLimit).toBe(0);
    expect(pod.containers[0].args).toEqual(expect.arrayContaining(["drift", "--api-key-file", "/run/edgewise/key"]));
    expect(pod.containers[0].env.map(({ name }: { name: string }) => name)).not.toContain("EDGEWISE_API_KEY");
  });

  it("has one document without errors", () => {
    const documents = parseAllDocuments(recipeText("examples/ci/kubernetes/drift-cronjob.yaml"));
    expect(documents).toHaveLength(1);
  });
});
