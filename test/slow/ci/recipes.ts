import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parse } from "yaml";
import { root } from "../../repository/source-files.ts";

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
  readonly concurrency?: Concurrency;
  readonly permissions?: Strings;
  readonly outputs?: Strings;
  readonly env?: Strings;
  readonly strategy?: { readonly "fail-fast": boolean; readonly matrix: { readonly stack: string } };
  /** A reusable workflow, with its inputs, instead of steps. */
  readonly uses?: string;
  readonly with?: Strings;
  readonly "timeout-minutes"?: number;
  readonly steps?: readonly Step[];
}

export interface Concurrency {
  readonly group: string;
  readonly "cancel-in-progress": boolean;
}

export interface Workflow {
  readonly on: { readonly [event: string]: unknown };
  readonly permissions: Strings;
  readonly concurrency?: Concurrency;
  readonly defaults: { readonly run: { readonly shell: string } };
  readonly env?: Strings;
  readonly jobs: { readonly [job: string]: Job };
}

export interface Action {
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

/** The text of a recipe, by its path below the repository. */
export function recipeText(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** What `init` writes, and what is copied. */
const githubDirectories = ["examples/ci/github", "examples/ci/github-comments", "examples/ci/notify"];

/** Where the GitHub workflows are, below the repository. */
export const workflowPaths: readonly string[] = githubDirectories.flatMap((directory) =>
  readdirSync(join(root, directory))
    .filter((name) => name.endsWith(".yaml"))
    .toSorted()
    .map((name) => `${directory}/${name}`),
);

/** The GitHub workflows, by file name. */
export const workflows: ReadonlyMap<string, Workflow> = new Map(
  workflowPaths.map((path): [string, Workflow] => [basename(path), parse(recipeText(path))]),
);

/** One workflow by name. Throws if it doesn't exist. */
export function workflow(name: string): Workflow {
  const found = workflows.get(name);
  if (found === undefined) throw new Error(`no workflow ${name}`);
  return found;
}

/** The composite action at the top of the repository. */
export const action: Action = parse(recipeText("action.yml"));

/** One job of a GitLab pipeline, or a template that jobs extend. */
interface GitlabJob {
  readonly rules: readonly { readonly if: string }[];
  readonly before_script?: readonly string[];
  /** A job that starts another pipeline has none. */
  readonly script?: readonly string[];
}

/** The jobs and templates of the GitLab recipes, by file name. */
export const pipelines: ReadonlyMap<string, ReadonlyMap<string, GitlabJob>> = new Map(
  ["gitlab-ci.yml", "edgewise-stack.yml"].map((name) => {
    const pipeline = parse(recipeText(`examples/ci/gitlab/${name}`)) as { readonly [key: string]: GitlabJob };
    const notJobs = new Set(["stages", "variables", "include", ".changes"]);
    return [name, new Map(Object.entries(pipeline).filter(([key]) => !notJobs.has(key)))];
  }),
);

/** Every shell script of every recipe, with its position. */
export function shellTexts(): readonly { readonly where: string; readonly text: string }[] {
  const steps = [...workflows].flatMap(([file, { jobs }]) =>
    Object.entries(jobs).flatMap(([job, { steps: all = [] }]) =>
      all.map((step) => ({ where: `${file} ${job}`, step })),
    ),
  );
  // Settings that all jobs share are the job "default".
  const scripts = [...pipelines].flatMap(([file, jobs]) =>
    [...jobs].map(([name, { before_script = [], script = [] }]) => ({
      where: `${file} ${name}`,
      text: [...before_script, ...script].join("\n"),
    })),
  );
  return [
    ...[...steps, ...action.runs.steps.map((step) => ({ where: "action.yml", step }))].flatMap(({ where, step }) =>
      step.run === undefined ? [] : [{ where: `${where} ${step.name ?? ""}`, text: step.run }],
    ),
    ...scripts,
  ];
}
