import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Evaluator, Lexer, Parser, data } from "@actions/expressions";
import { parse } from "yaml";
import { type Host, hostToken } from "../../commands/ci-hosts.ts";
import { type Repository, type Strings, checkOut, runBash } from "./repository.ts";

interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Strings;
  readonly with?: { readonly [input: string]: string | number | boolean };
}

interface Job {
  readonly needs?: string;
  readonly if?: string;
  readonly environment?: string;
  readonly permissions?: Strings;
  readonly outputs?: Strings;
  readonly env?: Strings;
  readonly "timeout-minutes": number;
  readonly steps: readonly Step[];
}

export interface Workflow {
  readonly permissions: Strings;
  readonly env?: Strings;
  readonly jobs: { readonly [job: string]: Job };
}

export interface WorkflowEvent {
  readonly repository: Repository;
  readonly host: Host;
  readonly name: string;
  readonly sha: string;
  readonly payload: object;
  /** Secrets of the repository, and those of the environment `edgewise`, which only its jobs get. */
  readonly secrets: Strings;
  readonly environment: Strings;
  readonly vars: Strings;
  readonly env?: Strings;
}

export interface RanJob {
  readonly code: number;
  readonly log: string;
  readonly summary: string;
}

type Contexts = { readonly [name: string]: unknown };

export async function runWorkflow(file: string, event: WorkflowEvent): Promise<{ readonly [job: string]: RanJob }> {
  const workflow: Workflow = parse(readFileSync(join(event.repository.work, ".github/workflows", file), "utf8"));
  const artifacts = mkdtempSync(join(event.repository.scratch, "artifacts-"));
  const needs: { [job: string]: { result: string; outputs: Strings } } = {};
  const ran: { [job: string]: RanJob } = {};
  for (const [name, job] of Object.entries(workflow.jobs)) {
    const contexts = {
      github: {
        event: event.payload,
        event_name: event.name,
        repository: "o/r",
        run_attempt: "1",
        sha: event.sha,
        token: hostToken,
      },
      needs,
      secrets: job.environment === undefined ? event.secrets : { ...event.secrets, ...event.environment },
      vars: event.vars,
      steps: {},
    };
    needs[name] = { result: "skipped", outputs: {} };
    const succeeded = job.needs === undefined || needs[job.needs]?.result === "success";
    if (!holds(job.if, contexts, succeeded)) continue;
    // oxlint-disable-next-line no-await-in-loop
    const { outputs, ...result } = await runJob(job, { ...event, workflow, contexts, artifacts });
    for (const [tag, sha] of event.host.applied) event.repository.setRef(`refs/tags/${tag}`, sha);
    needs[name] = { result: result.code === 0 ? "success" : "failure", outputs };
    ran[name] = result;
  }
  return ran;
}

interface JobContext extends WorkflowEvent {
  readonly workflow: Workflow;
  readonly contexts: Contexts;
  readonly artifacts: string;
}

async function runJob(job: Job, context: JobContext): Promise<RanJob & { readonly outputs: Strings }> {
  const temporary = mkdtempSync(join(context.repository.scratch, "temp-"));
  const file = (name: string, text = ""): string => {
    writeFileSync(join(temporary, name), text);
    return join(temporary, name);
  };
  const steps: { [id: string]: { outputs: Strings } } = {};
  const contexts = { ...context.contexts, steps };
  const evaluateAll = (strings: Strings = {}): Strings =>
    Object.fromEntries(Object.entries(strings).map(([name, text]) => [name, evaluate(text, contexts)]));
  const runner = {
    ...context.repository.env,
    ...context.env,
    GITHUB_ACTIONS: "true",
    GITHUB_API_URL: context.host.url,
    GITHUB_EVENT_NAME: context.name,
    GITHUB_EVENT_PATH: file("event.json", JSON.stringify(context.payload)),
    GITHUB_OUTPUT: file("output"),
    GITHUB_REF: context.name === "pull_request" ? "refs/pull/7/merge" : "refs/heads/main",
    GITHUB_REPOSITORY: "o/r",
    GITHUB_RUN_ATTEMPT: "1",
    GITHUB_RUN_ID: "1",
    GITHUB_SERVER_URL: "https://github.example.com",
    GITHUB_SHA: context.sha,
    GITHUB_STEP_SUMMARY: file("summary"),
    RUNNER_TEMP: temporary,
    ...evaluateAll(context.workflow.env),
    ...evaluateAll(job.env),
  };
  let workspace = temporary;
  let [code, log] = [0, ""];
  for (const step of job.steps) {
    if (!holds(step.if, contexts, code === 0)) continue;
    if (step.run !== undefined) {
      // oxlint-disable-next-line no-await-in-loop
      const ended = await runBash(step.run, { cwd: workspace, env: { ...runner, ...evaluateAll(step.env) } });
      log += ended.log;
      if (code === 0) code = ended.code;
      const lines = readFileSync(runner.GITHUB_OUTPUT, "utf8").split("\n").filter(Boolean);
      const outputs = lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]);
      steps[step.id ?? ""] = { outputs: Object.fromEntries(outputs) };
    } else if (step.uses?.startsWith("actions/checkout@") === true)
      workspace = checkOut(context.repository, evaluate(String(step.with?.["ref"] ?? ""), contexts) || context.sha);
    else transfer(step, workspace, context.artifacts);
  }
  return { code, log, summary: readFileSync(runner.GITHUB_STEP_SUMMARY, "utf8"), outputs: evaluateAll(job.outputs) };
}

/** `upload-artifact` of a directory or of files that end alike, and `download-artifact`. */
function transfer({ uses = "", with: inputs = {} }: Step, workspace: string, artifacts: string): void {
  const artifact = join(artifacts, String(inputs["name"]));
  const [directory = "", pattern = ""] = String(inputs["path"]).split("/*");
  const path = join(workspace, directory);
  if (uses.startsWith("actions/download-artifact@")) return cpSync(artifact, path, { recursive: true });
  if (!uses.startsWith("actions/upload-artifact@")) throw new Error(`the runner has no ${uses}`);
  mkdirSync(artifact, { recursive: true });
  for (const name of readdirSync(path))
    if (name.endsWith(pattern)) cpSync(join(path, name), join(artifact, name), { recursive: true });
}

/** What an expression gives; a name without a value is null. `succeeded` = everything before did. */
function valueOf(expression: string, contexts: Contexts, succeeded = true): data.ExpressionData {
  const functions = Object.entries({ always: true, success: succeeded }).map(([name, result]) => ({
    name,
    minArgs: 0,
    maxArgs: 0,
    call: () => new data.BooleanData(result),
  }));
  const tree = new Parser(new Lexer(expression).lex().tokens, Object.keys(contexts), functions).parse();
  const dictionary = JSON.parse(JSON.stringify(contexts), data.reviver) as data.Dictionary;
  return new Evaluator(tree, dictionary, new Map(functions.map((each) => [each.name, each]))).evaluate();
}

function evaluate(text: string, contexts: Contexts): string {
  return text.replace(/\$\{\{(.*?)\}\}/g, (_, expression: string) => valueOf(expression, contexts).coerceString());
}

function holds(condition: string | undefined, contexts: Contexts, succeeded: boolean): boolean {
  const whole = condition?.includes("always()") === true ? condition : `success() && (${condition ?? true})`;
  return valueOf(`(${whole}) && true || false`, contexts, succeeded).coerceString() === "true";
}
