import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type InitRepository, checkOut, untracked } from "./init-repository.ts";
import { type GitlabJob, type GitlabPipeline, type Strings, parsePipeline } from "./recipes.ts";

export interface GitlabRun {
  readonly repository: InitRepository;
  readonly sha: string;
  /** The project's variables, and those that GitLab sets. */
  readonly env: Strings;
  /** Called before each manual job, with the checkout that the job gets. */
  readonly approve?: (directory: string) => unknown;
}

export interface RanGitlabJob {
  readonly name: string;
  readonly code: number;
  readonly log: string;
  /** The checkout, with what the job left there. */
  readonly directory: string;
  readonly untracked: string;
}

/** Runs the jobs of .gitlab-ci.yml, and then those of the child pipeline that it writes. Only Node is there already. */
export async function runPipeline(run: GitlabRun): Promise<readonly RanGitlabJob[]> {
  const parent = parsePipeline(readFileSync(join(run.repository.work, ".gitlab-ci.yml"), "utf8"));
  const validate = parent.jobs.get("validate");
  if (validate === undefined) throw new Error("no job validate");
  const first = runJob(parent, ["validate", validate], run, []);
  if (first.code !== 0) return [first];

  const templates = parsePipeline(readFileSync(join(run.repository.work, ".gitlab/edgewise-stack.yml"), "utf8"));
  const child = parsePipeline(readFileSync(join(first.directory, "edgewise-child.yml"), "utf8"));
  const inChild = { ...run, env: { ...run.env, CI_PIPELINE_SOURCE: "parent_pipeline" } };
  const ran = new Map<string, RanGitlabJob>();
  for (const [name, job] of child.jobs) {
    const whole = { ...templates.jobs.get(job.extends ?? ""), ...job } as GitlabJob;
    // Without rules, a job is for branches and tags, and is left out of the child of a merge request's pipeline.
    const source = (whole.rules ?? []).map((rule) => rule.if);
    if (whole.rules === undefined && run.env["CI_PIPELINE_SOURCE"] === "merge_request_event") continue;
    if (whole.rules !== undefined && !source.includes('$CI_PIPELINE_SOURCE == "parent_pipeline"')) continue;
    const needed = (whole.needs ?? []).map((need) => ran.get(need));
    if (needed.some((need) => need?.code !== 0)) continue;
    // oxlint-disable-next-line no-await-in-loop
    ran.set(name, await runWithApproval(templates, [name, whole], inChild, needed as RanGitlabJob[]));
  }
  return [first, ...ran.values()];
}

async function runWithApproval(
  pipeline: GitlabPipeline,
  [name, job]: readonly [string, GitlabJob],
  run: GitlabRun,
  needed: readonly RanGitlabJob[],
): Promise<RanGitlabJob> {
  if (job.when === "manual") for (const { directory } of needed) await run.approve?.(directory);
  return runJob(pipeline, [name, job], run, needed);
}

/** GitLab gives jobs the files and the variables of the jobs that they need. */
function runJob(
  pipeline: GitlabPipeline,
  [name, job]: readonly [string, GitlabJob],
  { repository, sha, env }: GitlabRun,
  needed: readonly RanGitlabJob[],
): RanGitlabJob {
  const directory = mkdtempSync(join(repository.scratch, "job-"));
  checkOut(repository, directory, { sha, whole: true });
  for (const { directory: from } of needed) {
    for (const path of ["edgewise.plan"])
      if (existsSync(join(from, path))) cpSync(join(from, path), join(directory, path));
  }
  const dotenv = needed.flatMap(({ directory: from }) =>
    existsSync(join(from, "plan.env")) ? readFileSync(join(from, "plan.env"), "utf8").split("\n").filter(Boolean) : [],
  );
  const own = Object.entries(job.variables ?? {}).map(([key, value]) => [
    key,
    typeof value === "string" ? value : value.value,
  ]);
  const script = [...(job.before_script ?? pipeline.default?.before_script ?? []), ...(job.script ?? [])].join("\n");
  const { status, stdout, stderr } = spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script], {
    cwd: directory,
    encoding: "utf8",
    env: {
      ...repository.env,
      ...pipeline.variables,
      ...env,
      ...Object.fromEntries(own),
      ...Object.fromEntries(dotenv.map((line) => line.split(/=(.*)/s).slice(0, 2))),
      CI: "true",
      GITLAB_CI: "true",
    },
  });
  return { name, code: status ?? 1, log: stdout + stderr, directory, untracked: untracked(directory, repository.env) };
}
