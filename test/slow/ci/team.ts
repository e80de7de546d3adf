import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { startSandbox } from "../../../scripts/sandbox.mjs";
import { FakeGithub } from "./fake-github.ts";
import { GithubApi } from "./github-api.ts";
import { type InitRepository, initRepository } from "./init-repository.ts";
import { type Strings, recipeText } from "./recipes.ts";
import { type RanJob, type WorkflowRun, runWorkflow } from "./run-workflow.ts";

type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/** A repository with the stack `edge-config` and others as `init` writes them, on a GitHub of its own, beside the service. */
export class Team {
  readonly github = new FakeGithub();
  readonly api = new GithubApi(this.github);
  readonly repository: InitRepository;
  readonly #sandbox: Sandbox;

  constructor(sandbox: Sandbox, others: readonly string[] = []) {
    this.#sandbox = sandbox;
    this.repository = initRepository("github", others);
  }

  /** Adds the recipe of the comment commands. */
  async takeComments(): Promise<void> {
    for (const [path, from] of [
      [".github/workflows/edgewise-comment.yaml", "edgewise-comment.yaml"],
      [".github/edgewise/comment-command.mjs", "comment-command.mjs"],
    ] as const)
      this.repository.change("recipe", path, recipeText(`examples/ci/github-comments/${from}`));
    this.repository.merge("recipe");
    await this.api.start();
  }

  async #run(name: string, branch: string, values: Strings, more: Partial<WorkflowRun> = {}) {
    const { repository, github, api } = this;
    const sha = repository.commitOf(branch);
    const jobs = await runWorkflow(name, {
      repository,
      sha,
      values: {
        "github.repository": "example/edge",
        "github.event.repository.default_branch": "main",
        "github.token": api.token,
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
    const env = { GITHUB_EVENT_NAME: "pull_request", GITHUB_BASE_REF: base };
    return this.#run("edgewise-plan.yaml", branch, values, { env });
  }

  /** The workflow of a push to the main branch; `approve` = what happens before each approval. */
  async apply(approve: WorkflowRun["approve"] = () => {}): Promise<readonly RanJob[]> {
    return this.#run("edgewise-apply.yaml", "main", {}, { approve, env: { GITHUB_EVENT_NAME: "push" } });
  }

  /** The workflow that rolls back, started by hand on the main branch. */
  async rollBack(ref: string, slug: string): Promise<readonly RanJob[]> {
    const env = { GITHUB_EVENT_NAME: "workflow_dispatch" };
    return this.#run("edgewise-rollback.yaml", "main", { "inputs.ref": ref, "inputs.slug": slug }, { env });
  }

  async drift(): Promise<readonly RanJob[]> {
    return this.#run("edgewise-drift.yaml", "main", {}, { env: { GITHUB_EVENT_NAME: "schedule" } });
  }

  /** Somebody comments, and the workflow runs. */
  async comment(body: string, login = "ann"): Promise<readonly RanJob[]> {
    const id = this.api.people.find((person) => person.login === login)?.id ?? 99;
    const comment = this.github.say(body, { login, id, type: "User" });
    const file = join(this.repository.scratch, "event.json");
    const issue = { number: 7, pull_request: { url: "x" } };
    writeFileSync(file, JSON.stringify({ action: "created", issue, comment, repository: { default_branch: "main" } }));
    const values = {
      "github.event.issue.pull_request": "Object",
      "github.event.comment.body": body,
      "github.event.comment.user.type": "User",
      "github.run_attempt": "1",
    };
    const env = {
      GITHUB_API_URL: this.api.url,
      GITHUB_EVENT_NAME: "issue_comment",
      GITHUB_EVENT_PATH: file,
      GITHUB_REPOSITORY: "example/edge",
      GITHUB_RUN_ATTEMPT: "1",
      GITHUB_RUN_ID: "1",
      GITHUB_SERVER_URL: "https://github.example.com",
    };
    return this.#run("edgewise-comment.yaml", "main", values, { env });
  }

  /** A commit on the pull request's branch, which GitHub shows as its head. */
  commit(path: string, text: string | ((before: string) => string)): void {
    this.api.pull.head.sha = this.repository.change("change", path, text);
  }

  /** The newest comment. */
  get last(): string {
    return this.github.comments.at(-1)?.body ?? "";
  }
}

/** The jobs and their exit codes. */
export function codes(jobs: readonly RanJob[]): Readonly<Record<string, number>> {
  return Object.fromEntries(jobs.map(({ job, stack, code }) => [`${job} ${stack}`.trim(), code]));
}

export function logOf(jobs: readonly RanJob[]): string {
  return jobs.map(({ job, stack, log }) => `--- ${job} ${stack}\n${log}`).join("\n");
}
