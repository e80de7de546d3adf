import { isObject } from "../core/json.js";
import { EdgewiseError } from "../core/errors.js";

/** What a run of a CI system says about itself. */
export interface CiRun {
  /** `none` = no CI system that is known here. */
  readonly system: "github" | "none";
  readonly event: "change" | "push" | "merge-queue" | "manual" | "schedule" | "comment";
  /** What a change is compared with, as Git names it; null where nothing is. */
  readonly base: string | null;
  readonly head: string | null;
  /** The number of the pull request; null elsewhere. */
  readonly change: number | null;
  /** Whether the change comes from another repository, whose authors must not get a key. */
  readonly isFork: boolean;
  /** Whether it runs for the tip of the default branch, which is what is applied. */
  readonly isDefaultBranch: boolean;
  readonly runUrl: string | null;
  /** The slug of the one stack that was asked for by hand. */
  readonly stack: string | null;
  readonly places: {
    readonly summary: string | null;
    readonly output: string | null;
    readonly api: string | null;
    readonly repository: string | null;
    readonly token: string | null;
  };
}

type Env = { readonly [name: string]: string | undefined };

const events: { readonly [name: string]: CiRun["event"] } = {
  pull_request: "change",
  pull_request_target: "change",
  push: "push",
  merge_group: "merge-queue",
  schedule: "schedule",
  issue_comment: "comment",
};

/**
 * Reads a CI system's own variables.
 * @param event the parsed file that the system describes its event in; null = there is none
 * @throws EdgewiseError `config` for an event that lacks what such events have
 */
export function readCiRun(env: Env, event: unknown): CiRun {
  if (env["GITHUB_ACTIONS"] !== "true") return outside;
  const name = env["GITHUB_EVENT_NAME"] ?? "";
  const kind = events[name] ?? "manual";
  const [server, repository, run] = [env["GITHUB_SERVER_URL"], env["GITHUB_REPOSITORY"], env["GITHUB_RUN_ID"]];
  const common = {
    ...outside,
    system: "github",
    event: kind,
    head: env["GITHUB_SHA"] ?? null,
    runUrl: server === undefined || run === undefined ? null : `${server}/${repository ?? ""}/actions/runs/${run}`,
    places: {
      summary: env["GITHUB_STEP_SUMMARY"] ?? null,
      output: env["GITHUB_OUTPUT"] ?? null,
      api: env["GITHUB_API_URL"] ?? null,
      repository: repository ?? null,
      token: env["GITHUB_TOKEN"] ?? null,
    },
  } as const;
  if (kind === "change") return { ...common, ...changeOf(event) };
  if (kind === "merge-queue") return { ...common, base: textAt(event, "merge_group", "base_sha") ?? missing(name) };
  const isDefaultBranch = env["GITHUB_REF"] === `refs/heads/${textAt(event, "repository", "default_branch") ?? ""}`;
  return { ...common, isDefaultBranch, stack: textAt(event, "inputs", "stack") || null };
}

const outside: CiRun = {
  system: "none",
  event: "manual",
  base: null,
  head: null,
  change: null,
  isFork: false,
  isDefaultBranch: false,
  runUrl: null,
  stack: null,
  places: { summary: null, output: null, api: null, repository: null, token: null },
};

function changeOf(event: unknown): Pick<CiRun, "base" | "head" | "change" | "isFork"> {
  const number = at(event, "pull_request", "number");
  const base = textAt(event, "pull_request", "base", "ref");
  const head = textAt(event, "pull_request", "head", "sha");
  if (typeof number !== "number" || !Number.isSafeInteger(number) || base === null || head === null)
    return missing("pull_request");
  // A deleted fork has no repository any more.
  const from = textAt(event, "pull_request", "head", "repo", "full_name");
  const isFork = from === null || from !== textAt(event, "pull_request", "base", "repo", "full_name");
  // The event's commit of the base may be older than the one that the checkout was merged with.
  return { base: `refs/remotes/origin/${base}`, head, change: number, isFork };
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((found, member) => (isObject(found) ? found[member] : undefined), value);
}

function textAt(value: unknown, ...path: readonly string[]): string | null {
  const found = at(value, ...path);
  return typeof found === "string" ? found : null;
}

function missing(event: string): never {
  throw new EdgewiseError("config", `the file in GITHUB_EVENT_PATH doesn't describe an event ${event}`, {
    remedy: "Run this in a job of GitHub Actions, and leave its GITHUB_ variables as they are.",
  });
}
