import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { cli } from "../../scripts/sandbox.mjs";
import { root } from "../repository/source-files.ts";
import { action, gitlabJobs, recipeText, shellTexts, workflow, workflows } from "./recipes.ts";

const workflowPaths = [...workflows.keys()].map((name) => `examples/ci/github/${name}`);

describe("every recipe", () => {
  it.each([...workflowPaths, "action.yml"])("%s pins each action by commit and tells its version", (path) => {
    const uses = [...recipeText(path).matchAll(/^\s*(?:- )?uses: (.+)$/gm)].map((match) => match[1] ?? "");
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

  it("is shell that bash can read", () => {
    const wrong = shellTexts().flatMap(({ where, text }) => {
      const { status, stderr } = spawnSync("bash", ["-n"], { input: text, encoding: "utf8" });
      return status === 0 ? [] : [`${where}: ${stderr}`];
    });
    expect(wrong).toEqual([]);
  });

  it("uses only commands and flags that exist", () => {
    const lines = shellTexts().flatMap(({ where, text }) =>
      [...text.matchAll(/\bedgewise ((?:[a-z]+)(?: [^|;>\n]*)?)/g)].map((match) => ({
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
        .filter((word) => word.startsWith("-"))
        .filter((flag) => !new RegExp(`(^|[\\s,])${flag}\\b`, "m").test(known))
        .map((flag) => `${where}: edgewise ${command} has no ${flag}`);
    });
    expect(wrong).toEqual([]);
  });
});

describe("the GitHub workflows", () => {
  const recording = ["apply.yaml", "rollback.yaml"];

  it.each([...workflows.keys()])("%s starts with read permission only, and has a time limit on every job", (name) => {
    const { permissions, defaults, jobs } = workflow(name);
    expect(permissions).toEqual({ contents: "read" });
    expect(defaults.run.shell).toBe("bash"); // with pipefail, unlike the default
    for (const job of Object.values(jobs)) expect(job["timeout-minutes"]).toBeGreaterThan(0);
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
      "apply.yaml record contents: write",
      "drift.yaml drift issues: write",
      "plan.yaml plan pull-requests: write",
      "rollback.yaml record contents: write",
    ]);
  });

  it("leave no credentials in the checkout", () => {
    for (const { jobs } of workflows.values()) {
      for (const step of Object.values(jobs).flatMap(({ steps }) => steps)) {
        if (step.uses?.startsWith("actions/checkout@")) expect(step.with?.["persist-credentials"]).toBe(false);
      }
    }
  });

  it("give no secret to pull requests from forks", () => {
    const { on, jobs } = workflow("plan.yaml");
    expect(Object.keys(on)).toEqual(["pull_request"]); // not pull_request_target, which runs with secrets
    for (const job of Object.values(jobs)) {
      if (!JSON.stringify(job).includes("secrets.")) continue;
      expect(job.if).toBe("github.event.pull_request.head.repo.full_name == github.repository");
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
    expect(withKey).toEqual(
      ["apply.yaml", "rollback.yaml"].map((file) => ({ file, job: "apply", environment: "edge-prod" })),
    );
  });

  it.each(recording)("let no job of %s that holds a key or runs the repository's code write to it", (name) => {
    const writer = workflow(name).jobs["record"];
    expect(JSON.stringify(writer)).not.toMatch(/secrets\.|"run":/u);
    expect(writer?.steps.map(({ uses }) => uses?.split("@")[0])).toEqual(["actions/github-script"]);
  });

  it.each(recording)("record a commit only when live is what it says: %s", (name) => {
    expect(workflow(name).jobs["record"]).toMatchObject({
      needs: ["plan", "apply"],
      if: "always() && (needs.plan.outputs.code == '0' || needs.apply.result == 'success')",
    });
  });

  it("apply one at a time, and never cancel half-way", () => {
    const apply = workflow("apply.yaml");
    expect(apply.concurrency["cancel-in-progress"]).toBe(false);
    expect(apply.jobs["apply"]?.needs).toBe("plan");
    for (const name of ["drift.yaml", "rollback.yaml"]) expect(workflow(name).concurrency).toEqual(apply.concurrency);
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
  it("gives the write key to the manual job only, one run at a time", () => {
    const writers = [...gitlabJobs].filter(([, job]) => JSON.stringify(job).includes("EDGEWISE_WRITE_KEY"));
    expect(writers.map(([name]) => name)).toEqual(["apply"]);
    const apply = gitlabJobs.get("apply");
    expect(apply).toMatchObject({ environment: "edge-prod", resource_group: "edgewise-prod", interruptible: false });
    expect(apply?.rules.every(({ when }) => when === "manual")).toBe(true);
  });

  it("plans merge requests of this project only", () => {
    expect(gitlabJobs.get("plan")?.rules.map((rule) => rule.if)).toEqual([
      '$CI_PIPELINE_SOURCE == "merge_request_event" && $CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_PROJECT_ID',
    ]);
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
    expect(pod.containers[0].resources.limits.memory).toMatch(/Mi$/);
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

describe("the Dockerfile", () => {
  const text = recipeText("examples/ci/docker/Dockerfile");
  const instructions = text.split("\n").filter((line) => /^[A-Z]+ /.test(line));

  it("ends as a user other than root", () => {
    const users = instructions.filter((line) => line.startsWith("USER "));
    expect(users).toEqual(["USER 65532:65532"]);
    expect(instructions.indexOf("USER 65532:65532")).toBeGreaterThan(instructions.lastIndexOf("RUN apt-get update \\"));
  });

  it("copies only paths that exist", () => {
    const copied = instructions
      .filter((line) => line.startsWith("COPY ") && !line.includes("--from="))
      .flatMap((line) => line.split(" ").slice(1, -1));
    expect(copied.length).toBeGreaterThan(5);
    expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it("builds on exact versions and leaves development packages behind", () => {
    const bases = instructions.filter((line) => line.startsWith("FROM "));
    expect(bases.length).toBe(2);
    for (const base of bases) expect(base).toMatch(/^FROM node:\d+\.\d+\.\d+-/);
    expect(text).toContain("npm prune --omit=dev");
    expect(instructions.at(-1)).toBe('ENTRYPOINT ["node", "/opt/edgewise/dist/bin/edgewise.js"]');
  });
});
