import { EdgewiseError } from "../core/errors.js";
import { type CiHost, type CiRun, type Env, askedOf, driftLabel, runOutside } from "./ci-host.js";
import { HostApi, type SendRequest, apiAddress, memberAt, numberAt, textAt } from "./host-api.js";

const events: { readonly [source: string]: CiRun["event"] } = {
  merge_request_event: "change",
  push: "push",
  schedule: "schedule",
};

export function gitlabRun(env: Env): CiRun {
  const event = events[env["CI_PIPELINE_SOURCE"] ?? ""] ?? "manual";
  const common = {
    ...runOutside,
    system: "gitlab",
    event,
    head: env["CI_COMMIT_SHA"] ?? null,
    defaultBranch: env["CI_DEFAULT_BRANCH"] ?? null,
    isDefaultBranch: env["CI_COMMIT_BRANCH"] !== undefined && env["CI_COMMIT_BRANCH"] === env["CI_DEFAULT_BRANCH"],
    runUrl: env["CI_JOB_URL"] ?? null,
    appliedRefs: "refs/remotes/origin/",
    token: env["GITLAB_TOKEN"] || null,
  } as const;
  if (env["CI_PIPELINE_SOURCE"] === "web") {
    const input = (name: string) => env[`EDGEWISE_CI_${name.toUpperCase().replace("-", "_")}`] ?? null;
    return { ...common, asked: askedOf(input) };
  }
  if (event !== "change") return common;
  const change = Number(env["CI_MERGE_REQUEST_IID"]);
  const base = env["CI_MERGE_REQUEST_TARGET_BRANCH_NAME"] ?? "";
  if (!Number.isSafeInteger(change) || change < 1 || base === "") {
    const remedy = "Run this in a job of GitLab CI, and leave its CI_ variables as they are.";
    throw new EdgewiseError("config", "the CI_MERGE_REQUEST_ variables don't describe a merge request", remedy);
  }
  const isFork = env["CI_MERGE_REQUEST_SOURCE_PROJECT_ID"] !== env["CI_MERGE_REQUEST_PROJECT_ID"];
  return { ...common, change, base: `refs/remotes/origin/${base}`, isFork };
}

type GitlabParts = Readonly<{
  send: SendRequest;
  write: (name: string, text: string) => Promise<void>;
  warn: (text: string) => void;
}>;

export function gitlabHost(run: CiRun, env: Env, { send, warn, write }: GitlabParts): CiHost {
  let warned = false;
  /** A job's own token may do none of this. */
  const withApi = async (work: (api: HostApi) => Promise<void>): Promise<void> => {
    if (run.token !== null) return work(gitlabApi(run.token, env, send));
    if (!warned) warn("GITLAB_TOKEN is not set: no note, issue or branch edge-applied-… is written");
    warned = true;
  };
  return {
    summary: async () => undefined,
    handOn: ({ approved = "" }) => write("pipeline.yml", childPipeline(approved, env)),
    comment: (change, key, markdown) =>
      withApi(async (api) => {
        const marker = `<!-- edgewise ${key} -->`;
        const notes = `merge_requests/${change}/notes`;
        const own = await findOwn(api, notes, "body", marker);
        const body = { body: `${marker}\n${withoutActions(markdown)}` };
        if (own === undefined) await api.send("POST", notes, body);
        else await api.send("PUT", `${notes}/${numberAt(own, "id") ?? 0}`, body);
      }),
    issue: (key, title, markdown) =>
      withApi(async (api) => {
        const marker = `<!-- edgewise drift of ${key} -->`;
        const open = await findOwn(api, `issues?state=opened&labels=${driftLabel}`, "description", marker);
        const description = `${marker}\n${withoutActions(markdown ?? `No drift any more: ${run.runUrl ?? ""}`)}`;
        const changes = markdown === null ? { description, state_event: "close" } : { description };
        if (open !== undefined) await api.send("PUT", `issues/${numberAt(open, "iid") ?? 0}`, changes);
        else if (markdown !== null) await api.send("POST", "issues", { title, labels: driftLabel, description });
      }),
    recordApplied: (slug, ref) =>
      withApi(async (api) => {
        const branch = `edge-applied-${slug}`;
        const path = `repository/branches/${encodeURIComponent(branch)}`;
        const now = await api.send("GET", path, undefined, [404]);
        if (textAt(now, "commit", "id") === ref) return;
        // The API moves no branch. Without it, more is planned, never less.
        if (now !== null) await api.send("DELETE", path, undefined, [404]);
        await api.send("POST", "repository/branches", { branch, ref });
      }),
  };
}

function gitlabApi(token: string, env: Env, send: SendRequest) {
  const project = env["CI_PROJECT_ID"] ?? "";
  if (!/^\d{1,15}$/u.test(project)) throw new EdgewiseError("config", "CI_PROJECT_ID is not the id of a project");
  return new HostApi({
    name: "GitLab's API",
    base: `${apiAddress(env, "CI_API_V4_URL")}/projects/${project}`,
    headers: { "private-token": token, accept: "application/json" },
    remedy: "Give the token in GITLAB_TOKEN the scope `api`, and a role that may do this.",
    send,
  });
}

/** Anybody may write a text that begins like ours. */
async function findOwn(api: HostApi, list: string, member: "body" | "description", marker: string) {
  const id = memberAt(await api.send("GET", "../../user"), "id");
  return (await api.list(list)).find(
    (each) => textAt(each, member)?.startsWith(marker) === true && memberAt(each, "author", "id") === id,
  );
}

/** GitLab obeys a line that begins with a slash. */
function withoutActions(markdown: string) {
  return markdown
    .split("\n")
    .map((line) => (line.trimStart().startsWith("/") ? line.replace("/", "\\/") : line))
    .join("\n");
}

/** The project's own pipeline, which has the job that applies. */
function childPipeline(approved: string, env: Env) {
  const nothing = { script: ["echo nothing to apply"], variables: { GIT_STRATEGY: "none" } };
  if (approved === "") return `${JSON.stringify({ "nothing to apply": nothing })}\n`;
  const local = env["CI_CONFIG_PATH"] || ".gitlab-ci.yml";
  return `${JSON.stringify({ include: [{ local }], variables: { EDGEWISE_APPROVED: approved } })}\n`;
}
