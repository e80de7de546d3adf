import { mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { evaluate, evaluateAll, evaluateList, holds } from "./expressions.ts";
import type { InitRepository } from "./init-repository.ts";
import type { Job, Strings, Workflow } from "./recipes.ts";
import { type JobContext, type JobRun, runJob } from "./run-job.ts";

/** One job of a run that was not skipped, with the stack that it is for. */
export interface RanJob extends JobRun {
  /** `plan`, or `apply/plan` within a reusable workflow. */
  readonly job: string;
  /** The slug of the stack. */
  readonly stack: string;
}

/** An event, and what the runner and the settings of the repository say. */
export interface WorkflowRun {
  readonly repository: InitRepository;
  readonly sha: string;
  readonly values: Strings;
  readonly env: Strings;
  readonly script: JobContext["script"];
  /** Called before each job that waits for approval, with the directory of the artifacts. */
  readonly approve?: (artifacts: string, stack: string) => unknown;
}

/** Runs all jobs of a workflow file of the repository, one after the other. Jobs of a matrix each run. */
export async function runWorkflow(name: string, run: WorkflowRun): Promise<readonly RanJob[]> {
  const artifacts = mkdtempSync(join(run.repository.scratch, "artifacts-"));
  return runJobs(readWorkflow(run.repository, name), { ...run, artifacts, prefix: "" });
}

function readWorkflow({ work }: InitRepository, name: string): Workflow {
  return parse(readFileSync(join(work, ".github/workflows", name), "utf8"));
}

interface Level extends WorkflowRun {
  readonly artifacts: string;
  readonly prefix: string;
}

async function runJobs(workflow: Workflow, run: Level): Promise<readonly RanJob[]> {
  const values: Record<string, string> = { ...run.values };
  const ran: RanJob[] = [];
  for (const [name, job] of Object.entries(workflow.jobs)) {
    const results = [job.needs ?? []].flat().map((needed) => values[`needs.${needed}.result`]);
    values[`needs.${name}.result`] = "skipped";
    if (
      !holds(
        job.if,
        values,
        results.every((result) => result === "success"),
      )
    )
      continue;
    const found: RanJob[] = [];
    for (const matrix of matrixOf(job, values)) {
      // oxlint-disable-next-line no-await-in-loop
      found.push(...(await runOne(workflow, name, { ...run, values: { ...values, ...matrix } })));
    }
    ran.push(...found);
    values[`needs.${name}.result`] = found.every(({ code }) => code === 0) ? "success" : "failure";
    for (const { outputs } of found)
      for (const [output, value] of Object.entries(outputs)) values[`needs.${name}.outputs.${output}`] = value;
  }
  return ran;
}

/** The values of each job of a matrix: the recipes have none, or one named `stack`. */
function matrixOf(job: Job, values: Strings): readonly Strings[] {
  const list = job.strategy?.matrix.stack;
  if (list === undefined) return [{}];
  const stacks = evaluateList(list, values);
  if (stacks.length === 0) throw new Error("an empty matrix is an error");
  return stacks.map((stack) =>
    Object.fromEntries(Object.entries(stack).map(([member, value]) => [`matrix.stack.${member}`, value])),
  );
}

async function runOne(workflow: Workflow, name: string, run: Level): Promise<readonly RanJob[]> {
  const job = workflow.jobs[name];
  if (job === undefined) throw new Error(`no job ${name}`);
  const title = `${run.prefix}${name}`;
  if (job.uses !== undefined) {
    const inputs = Object.entries(evaluateAll(job.with, run.values)).map(([key, value]) => [`inputs.${key}`, value]);
    const values = { ...withoutNeeds(run.values), ...Object.fromEntries(inputs) };
    const called = readWorkflow(run.repository, job.uses.replace("./.github/workflows/", ""));
    return runJobs(called, { ...run, values, prefix: `${title}/` });
  }
  const stack = run.values["matrix.stack.slug"] ?? run.values["inputs.slug"] ?? "";
  if (job.environment !== undefined) await run.approve?.(run.artifacts, stack);
  // A secret that only the environment has is empty elsewhere.
  const key = job.environment === undefined ? "" : (run.values["environment.EDGEWISE_API_KEY"] ?? "");
  const directory = mkdtempSync(join(run.repository.scratch, `${evaluate(name, {})}-`));
  mkdirSync(run.artifacts, { recursive: true });
  const result = await runJob(workflow, job, {
    ...run,
    directory,
    values: { ...run.values, "secrets.EDGEWISE_API_KEY": key },
  });
  return [{ ...result, job: title, stack }];
}

function withoutNeeds(values: Strings): Strings {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !name.startsWith("needs.")));
}
