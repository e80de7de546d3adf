import { appendFile, readFile } from "node:fs/promises";
import { EdgewiseError } from "../core/errors.js";
import { parseJson } from "../core/json.js";
import { visibleLine } from "../core/visible.js";
import { type CiHost, type CiRun, type Env, askedOf, driftLabel, runOutside } from "./ci-host.js";
import { type Entry, HostApi, type SendRequest, apiAddress, memberAt, numberAt, textAt } from "./host-api.js";

const events: { readonly [name: string]: CiRun["event"] } = {
  pull_request: "change",
  pull_request_target: "change",
  push: "push",
  merge_group: "merge-queue",
  schedule: "schedule",
  issue_comment: "comment",
};

export async function githubEvent(env: Env): Promise<unknown> {
  const file = env["GITHUB_EVENT_PATH"];
  if (file === undefined) return null;
  const read = parseJson(await readFile(file, "utf8").catch(() => ""));
  return "value" in read ? read.value : unusable("can't be read as JSON");
}

export function githubRun(env: Env, event: unknown): CiRun {
  const name = env["GITHUB_EVENT_NAME"] ?? "";
  const isOfChange = memberAt(event, "pull_request") !== undefined;
  const kind = events[name] ?? (isOfChange ? "change" : "manual");
  const defaultBranch = textAt(event, "repository", "default_branch");
  const [server, repository, run] = [env["GITHUB_SERVER_URL"], env["GITHUB_REPOSITORY"], env["GITHUB_RUN_ID"]];
  const common = {
    ...runOutside,
    system: "github",
    event: kind,
    head: env["GITHUB_SHA"] ?? null,
    defaultBranch,
    isDefaultBranch: defaultBranch !== null && env["GITHUB_REF"] === `refs/heads/${defaultBranch}`,
    runUrl: server === undefined || run === undefined ? null : `${server}/${repository ?? ""}/actions/runs/${run}`,
    token: env["GITHUB_TOKEN"] || null,
  } as const;
  if (kind === "change") return { ...common, ...changeOf(event) };
  if (kind === "merge-queue") return { ...common, base: textAt(event, "merge_group", "base_sha") ?? missing(name) };
  if (kind === "comment") return { ...common, change: numberAt(event, "issue", "number") ?? missing(name) };
  if (name !== "workflow_dispatch") return common;
  return { ...common, asked: askedOf((input) => textAt(event, "inputs", input)) };
}

function changeOf(event: unknown) {
  const change = numberAt(event, "pull_request", "number");
  const base = textAt(event, "pull_request", "base", "ref");
  const head = textAt(event, "pull_request", "head", "sha");
  if (change === null || base === null || head === null) return missing("pull_request");
  // A deleted fork has no repository.
  const from = textAt(event, "pull_request", "head", "repo", "full_name");
  const isFork = from === null || from !== textAt(event, "pull_request", "base", "repo", "full_name");
  // The event's commit may be older than the one that the checkout was merged with.
  return { base: `refs/remotes/origin/${base}`, head, change, isFork };
}

function missing(event: string): never {
  return unusable(`doesn't describe an event ${event}`);
}

function unusable(why: string): never {
  const remedy = "Run this in a job of GitHub Actions, and leave its GITHUB_ variables as they are.";
  throw new EdgewiseError("config", `the file in GITHUB_EVENT_PATH ${why}`, remedy);
}

export function githubApi({ token }: CiRun, env: Env, send: SendRequest): HostApi {
  if (token === null)
    throw new EdgewiseError("config", "GITHUB_TOKEN is not set", "Set it to ${{ github.token }} in the step's `env`.");
  const repository = env["GITHUB_REPOSITORY"] ?? "";
  if (!/^[\w.-]+\/[\w.-]+$/u.test(repository) || /(?:^|\/)\.\.?(?:\/|$)/u.test(repository))
    throw new EdgewiseError("config", "GITHUB_REPOSITORY is not the name of a repository");
  return new HostApi({
    name: "GitHub's API",
    base: `${apiAddress(env, "GITHUB_API_URL")}/repos/${repository}`,
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/vnd.github+json",
      "x-github-api-version": "2022-11-28",
    },
    remedy: "Give the job's token the permission in the workflow.",
    send,
  });
}

export function githubHost(run: CiRun, env: Env, send: SendRequest): CiHost {
  const api = (): HostApi => githubApi(run, env, send);
  return {
    summary: (markdown) => append(env, "GITHUB_STEP_SUMMARY", markdown),
    handOn: (values) => {
      const lines = Object.entries(values).map(([name, value]) => `${name}=${visibleLine(value)}\n`);
      return append(env, "GITHUB_OUTPUT", lines.join(""));
    },
    async comment(change, key, markdown) {
      const marker = `<!-- edgewise ${key} -->`;
      const own = (await api().list(`issues/${change}/comments`)).find((each) => isOwn(each, marker));
      const body = { body: `${marker}\n${markdown}` };
      if (own === undefined) await api().send("POST", `issues/${change}/comments`, body);
      else await api().send("PATCH", `issues/comments/${numberAt(own, "id") ?? 0}`, body);
    },
    async issue(key, title, markdown) {
      const marker = `<!-- edgewise drift of ${key} -->`;
      const issues = await api().list(`issues?state=open&labels=${driftLabel}`);
      const open = issues.find((each) => isOwn(each, marker) && each["pull_request"] === undefined);
      const body = `${marker}\n${markdown ?? `No drift any more: ${run.runUrl ?? ""}`}`;
      const changes = markdown === null ? { body, state: "closed" } : { body };
      if (open !== undefined) await api().send("PATCH", `issues/${numberAt(open, "number") ?? 0}`, changes);
      else if (markdown !== null) await api().send("POST", "issues", { title, labels: [driftLabel], body });
    },
    async recordApplied(slug, sha) {
      const name = `tags/edge-applied-${slug}`;
      const moved = await api().send("PATCH", `git/refs/${name}`, { sha, force: true }, [404, 422]);
      // The first time there is no such tag.
      if (moved === null) await api().send("POST", "git/refs", { ref: `refs/${name}`, sha });
    },
  };
}

/** Anybody may write a text that begins like ours; the job's token is a bot's. */
function isOwn(entry: Entry, marker: string) {
  return textAt(entry, "body")?.startsWith(marker) === true && textAt(entry, "user", "type") === "Bot";
}

async function append(env: Env, name: string, text: string) {
  const file = env[name];
  if (!file) return;
  await appendFile(file, text).catch((cause: unknown) => {
    throw new EdgewiseError("io", `the file in ${name} can't be written`, { cause });
  });
}
