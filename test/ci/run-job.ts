import { spawnSync } from "node:child_process";
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { Job, Step, Strings, Workflow } from "./recipes.ts";

/** The input of a job: its directory, and the values for expressions. */
export interface JobContext {
  /** A checkout of the configuration's repository; also the working directory. */
  readonly directory: string;
  /** The directory that keeps artifacts between jobs. */
  readonly artifacts: string;
  /** By dotted name: `secrets.EDGEWISE_READ_KEY`, `github.base_ref`. A missing value is empty, as on GitHub. */
  readonly values: Strings;
  /** The runner's environment: PATH with `edgewise` on it. */
  readonly env: NodeJS.ProcessEnv;
  /** Runs the script of a github-script step. */
  readonly script?: (code: string, env: Strings) => Promise<void>;
}

export interface JobRun {
  /** The exit code of the first step that failed, or 0. */
  readonly code: number;
  readonly outputs: Strings;
  readonly summary: string;
  /** stdout and stderr of all steps. */
  readonly log: string;
}

/** Replaces every expression in a value. */
function evaluate(text: string, values: Strings): string {
  return text.replace(/\$\{\{\s*([\w.-]+)\s*\}\}/g, (_, name: string) => values[name] ?? "");
}

function evaluateAll(strings: Strings | undefined, values: Strings): Strings {
  return Object.fromEntries(Object.entries(strings ?? {}).map(([name, text]) => [name, evaluate(text, values)]));
}

/** `key=value` lines, as steps write them to GITHUB_OUTPUT. */
function readOutputs(file: string): Strings {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

/**
 * Runs the steps of one job as a runner would: shell steps with bash, artifacts as copies, scripts with the stand-in.
 * Checkout, Node and `npm ci` are there already. After a failure only `if: always()` steps run.
 */
export async function runJob(workflow: Workflow, job: Job, context: JobContext): Promise<JobRun> {
  const summaryFile = join(context.directory, ".summary");
  writeFileSync(summaryFile, "");
  const values: Record<string, string> = { ...context.values };
  let log = "";
  let code = 0;

  const runStep = async (step: Step): Promise<number> => {
    const stepEnv = evaluateAll(step.env, values);
    if (step.run !== undefined) {
      const outputFile = join(context.directory, ".output");
      writeFileSync(outputFile, "");
      const { status, stdout, stderr } = spawnSync(
        "bash",
        ["--noprofile", "--norc", "-eo", "pipefail", "-c", step.run],
        {
          cwd: context.directory,
          encoding: "utf8",
          env: {
            ...context.env,
            ...evaluateAll(workflow.env, values),
            ...stepEnv,
            CI: "true",
            GITHUB_ACTIONS: "true",
            GITHUB_OUTPUT: outputFile,
            GITHUB_STEP_SUMMARY: summaryFile,
          },
        },
      );
      log += stdout + stderr;
      if (step.id !== undefined) {
        for (const [name, value] of Object.entries(readOutputs(outputFile)))
          values[`steps.${step.id}.outputs.${name}`] = value;
      }
      return status ?? 1;
    }
    const action = step.uses?.split("@")[0];
    const path = String(step.with?.["path"] ?? "");
    if (action === "actions/github-script") {
      await context.script?.(String(step.with?.["script"]), stepEnv);
    } else if (action === "actions/upload-artifact") {
      if (existsSync(join(context.directory, path))) {
        mkdirSync(context.artifacts, { recursive: true });
        copyFileSync(
          join(context.directory, path),
          join(context.artifacts, `${String(step.with?.["name"])}-${basename(path)}`),
        );
      } else if (step.with?.["if-no-files-found"] !== "ignore") {
        appendFileSync(summaryFile, `nothing to upload at ${path}\n`);
      }
    } else if (action === "actions/download-artifact") {
      const file = "edgewise.plan";
      copyFileSync(join(context.artifacts, `${String(step.with?.["name"])}-${file}`), resolve(context.directory, file));
    }
    return 0;
  };

  for (const step of job.steps) {
    if (step.name === "Install" || (code !== 0 && step.if !== "always()")) continue;
    // oxlint-disable-next-line no-await-in-loop
    const status = await runStep(step);
    if (code === 0) code = status;
  }
  return {
    code,
    outputs: evaluateAll(job.outputs, values),
    summary: readFileSync(summaryFile, "utf8"),
    log,
  };
}
