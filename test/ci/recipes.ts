import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { root } from "../repository/source-files.ts";

/** The part of a workflow or action step that the tests check. */
export interface Step {
  readonly name?: string;
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly shell?: string;
  readonly env?: Strings;
  readonly with?: { readonly [input: string]: string | number | boolean };
}

export interface Strings {
  readonly [name: string]: string;
}

export interface Job {
  readonly needs?: string | readonly string[];
  readonly if?: string;
  readonly environment?: string;
  readonly permissions?: Strings;
  readonly outputs?: Strings;
  readonly "timeout-minutes"?: number;
  readonly steps: readonly Step[];
}

export interface Workflow {
  readonly on: { readonly [event: string]: unknown };
  readonly permissions: Strings;
  readonly concurrency: { readonly group: string; readonly "cancel-in-progress": boolean };
  readonly defaults: { readonly run: { readonly shell: string } };
  readonly env: Strings;
  readonly jobs: { readonly [job: string]: Job };
}

export interface Action {
  readonly inputs: { readonly [input: string]: { readonly description: string; readonly default: string } };
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

/** The text of a recipe, by its path below the repository. */
export function recipeText(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

const githubDirectory = "examples/ci/github";

/** The GitHub workflows, by file name. */
export const workflows: ReadonlyMap<string, Workflow> = new Map(
  readdirSync(join(root, githubDirectory))
    .toSorted()
    .map((name): [string, Workflow] => [name, parse(recipeText(`${githubDirectory}/${name}`))]),
);

/** One workflow by name. Throws if it doesn't exist. */
export function workflow(name: string): Workflow {
  const found = workflows.get(name);
  if (found === undefined) throw new Error(`no workflow ${name}`);
  return found;
}

/** The composite action at the top of the repository. */
export const action: Action = parse(recipeText("action.yml"));

/** One job of the GitLab pipeline. */
export interface GitlabJob {
  readonly stage: string;
  readonly rules: readonly { readonly if: string; readonly when?: string }[];
  readonly script: readonly string[];
  readonly environment?: string;
  readonly resource_group?: string;
  readonly interruptible?: boolean;
  readonly needs?: readonly string[];
  readonly artifacts?: { readonly paths?: readonly string[]; readonly reports?: Strings };
}

const pipeline: { readonly [key: string]: unknown } = parse(recipeText("examples/ci/gitlab-ci.yml"));
const notJobs = new Set(["stages", "variables", "default"]);

/** The GitLab pipeline's jobs, by name. */
export const gitlabJobs: ReadonlyMap<string, GitlabJob> = new Map(
  Object.entries(pipeline).flatMap(([name, job]) => (notJobs.has(name) ? [] : [[name, job as GitlabJob] as const])),
);

/** Every shell script of every recipe, with its position. */
export function shellTexts(): readonly { readonly where: string; readonly text: string }[] {
  const steps = [...workflows].flatMap(([file, { jobs }]) =>
    Object.entries(jobs).flatMap(([job, { steps: all }]) => all.map((step) => ({ where: `${file} ${job}`, step }))),
  );
  return [
    ...[...steps, ...action.runs.steps.map((step) => ({ where: "action.yml", step }))].flatMap(({ where, step }) =>
      step.run === undefined ? [] : [{ where: `${where} ${step.name ?? ""}`, text: step.run }],
    ),
    ...[...gitlabJobs].map(([name, { script }]) => ({ where: `gitlab-ci.yml ${name}`, text: script.join("\n") })),
  ];
}
