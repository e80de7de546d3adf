import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { evaluate, evaluateAll, holds, matchesGlob } from "./expressions.ts";
import { type InitRepository, checkOut, untracked } from "./init-repository.ts";
import { runBash } from "./run-bash.ts";
import type { Job, Step, Strings, Workflow } from "./recipes.ts";

/** The input of a job. */
export interface JobContext {
  readonly repository: InitRepository;
  /** The empty directory of the job: it gets the checkout, and the runner's own files. */
  readonly directory: string;
  /** The directory that keeps the run's artifacts between jobs. */
  readonly artifacts: string;
  readonly sha: string;
  /** By dotted name: `secrets.EDGEWISE_READ_KEY`, `matrix.stack.slug`. A missing value is empty, as on GitHub. */
  readonly values: Strings;
  /** The runner's variables: GITHUB_BASE_REF and the like. */
  readonly env: Strings;
  /** Runs the script of a github-script step. */
  readonly script: (code: string, env: Strings, directory: string) => Promise<void>;
}

export interface JobRun {
  /** The exit code of the first step that failed, or 0. */
  readonly code: number;
  readonly outputs: Strings;
  readonly summary: string;
  /** stdout and stderr of all steps. */
  readonly log: string;
  /** The files that Git would commit. */
  readonly untracked: string;
}

/** `key=value` lines, as steps write them to GITHUB_OUTPUT. */
function readOutputs(file: string): Strings {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

/** Each artifact whose name matches gets a directory of its name. */
function copyMatching(artifacts: string, to: string, pattern: string): void {
  for (const name of readdirSync(artifacts).filter((found) => matchesGlob(found, pattern)))
    cpSync(join(artifacts, name), join(to, name), { recursive: true });
}

/** Runs every step of one job as a runner would, in a checkout of its own. Only Node is there already. */
export async function runJob(workflow: Workflow, job: Job, context: JobContext): Promise<JobRun> {
  const workspace = join(context.directory, "workspace");
  const temporary = join(context.directory, "temp");
  mkdirSync(workspace, { recursive: true });
  mkdirSync(temporary);
  const [summaryFile, outputFile] = [join(context.directory, "summary"), join(context.directory, "output")];
  writeFileSync(summaryFile, "");
  const values: Record<string, string> = { ...context.values };
  const jobEnv = { ...evaluateAll(workflow.env, values), ...evaluateAll(job.env, values) };
  let log = "";
  let code = 0;

  const shell = async (step: Step, run: string): Promise<number> => {
    writeFileSync(outputFile, "");
    const { status, text } = await runBash(run, {
      cwd: workspace,
      env: {
        ...context.repository.env,
        ...context.env,
        ...jobEnv,
        ...evaluateAll(step.env, values),
        CI: "true",
        GITHUB_ACTIONS: "true",
        GITHUB_OUTPUT: outputFile,
        GITHUB_STEP_SUMMARY: summaryFile,
        GITHUB_WORKSPACE: workspace,
        RUNNER_TEMP: temporary,
      },
    });
    log += text;
    for (const [name, value] of Object.entries(readOutputs(outputFile)))
      values[`steps.${step.id ?? ""}.outputs.${name}`] = value;
    return status;
  };

  const action = async (step: Step): Promise<void> => {
    const artifact = join(context.artifacts, evaluate(String(step.with?.["name"]), values));
    const path = join(workspace, String(step.with?.["path"] ?? ""));
    switch (step.uses?.split("@")[0]) {
      case "actions/checkout":
        return checkOut(context.repository, workspace, {
          sha: evaluate(String(step.with?.["ref"] ?? ""), values) || context.sha,
          whole: step.with?.["fetch-depth"] === 0,
        });
      case "actions/github-script":
        return context.script(
          String(step.with?.["script"]),
          { ...jobEnv, ...evaluateAll(step.env, values) },
          workspace,
        );
      case "actions/upload-artifact":
        if (existsSync(path)) {
          cpSync(path, join(artifact, basename(path)));
          log += `uploaded ${basename(artifact)}/${basename(path)}\n`;
        } else if (step.with?.["if-no-files-found"] !== "ignore") throw new Error(`nothing to upload at ${path}`);
        return;
      case "actions/download-artifact":
        if (step.with?.["pattern"] === undefined) cpSync(artifact, workspace, { recursive: true });
        else copyMatching(context.artifacts, path, String(step.with["pattern"]));
        return;
      case "actions/setup-node":
        return;
      default:
        throw new Error(`the runner has no ${step.uses}`);
    }
  };

  for (const step of job.steps ?? []) {
    if (!holds(step.if, values, code === 0)) continue;
    if (step.run === undefined) {
      // oxlint-disable-next-line no-await-in-loop
      await action(step);
      continue;
    }
    // oxlint-disable-next-line no-await-in-loop
    const status = await shell(step, step.run);
    if (code === 0) code = status;
  }
  return {
    code,
    outputs: evaluateAll(job.outputs, values),
    summary: readFileSync(summaryFile, "utf8"),
    log,
    untracked: untracked(workspace, context.repository.env),
  };
}
