import { setTimeout as pause } from "node:timers/promises";
import { EdgewiseError } from "../core/errors.js";
import { type Env, words } from "./ci-host.js";
import { type Entry, type HostApi, memberAt, numberAt, textAt } from "./host-api.js";

export type PullCommand = Readonly<{
  action: "plan" | "apply";
  slugs: readonly string[];
  change: number;
  /** Of the branch; once it is merged, of the merge. */
  commit: string;
  isMerged: boolean;
  at: number;
}>;

export const commandUsage =
  "Commands are `/edgewise plan`, `/edgewise apply` and `/edgewise help`. A command is the whole comment. The first two take slugs of stacks, as `edgewise stacks -o json` lists them: `/edgewise plan edge-prod`.";

export function refusal(message: string): EdgewiseError {
  return new EdgewiseError("refused", message, { exit: 4 });
}

/** Only words that are known here are passed on. Null = it is no command. */
function parseCommand(text: string) {
  if (!/^\/edgewise(?![^ \t\r\n])/u.test(text)) return null;
  const body = text.length > 2000 ? "" : text.trimEnd();
  const [action, ...slugs] = /[\r\n]/u.test(body) ? [] : body.split(/ +/u).slice(1);
  const known = slugs.every((slug) => /^[a-z0-9][a-z0-9-]{0,99}$/u.test(slug));
  if (!known || (action !== "plan" && action !== "apply")) return "help";
  return { action, slugs: [...new Set(slugs)].sort() } as const;
}

/** Null = no command, or by somebody who may give none. */
export async function readPullCommand(event: unknown, api: HostApi, env: Env): Promise<PullCommand | "help" | null> {
  const parsed = parseCommand(textAt(event, "comment", "body") ?? "");
  const change = numberAt(event, "issue", "number");
  const isPull = memberAt(event, "issue", "pull_request") !== undefined && textAt(event, "action") === "created";
  if (parsed === null || change === null || !isPull || textAt(event, "comment", "user", "type") !== "User") return null;
  const appliers = words(env["EDGEWISE_APPLY_ROLES"] ?? "maintain admin");
  const planners = [...words(env["EDGEWISE_PLAN_ROLES"] ?? "write"), ...appliers];
  const role = await roleOf(memberAt(event, "comment", "user"), api);
  if (!planners.includes(role)) return null;
  if (parsed === "help") return parsed;
  const { action, slugs } = parsed;
  // Who runs it again is not who commented.
  if (env["GITHUB_RUN_ATTEMPT"] !== "1") throw refusal("A run of a command can't be repeated. Comment again.");
  if (action === "apply" && !appliers.includes(role))
    throw refusal(`Your role in this repository is ${role}; to apply takes ${appliers.join(" or ")}.`);
  const pull = await api.send("GET", `pulls/${change}`);
  const at = Date.parse(textAt(event, "comment", "created_at") ?? "");
  const about = { action, slugs, change, at };
  if (textAt(pull, "base", "ref") !== textAt(event, "repository", "default_branch"))
    throw refusal("Commands are for pull requests onto the default branch.");
  if (memberAt(pull, "merged") === true)
    return { ...about, isMerged: true, commit: commitIn(textAt(pull, "merge_commit_sha")) };
  if (textAt(pull, "state") !== "open")
    throw refusal("This pull request was closed unmerged. If it was applied, start the workflow that applies by hand.");
  if (textAt(pull, "head", "repo", "full_name") !== env["GITHUB_REPOSITORY"])
    throw refusal("This pull request comes from a fork: it is planned and applied after the merge.");
  const commit = commitIn(textAt(pull, "head", "sha"));
  if (action === "apply") {
    await refuseUnmergeable(pull, change, api);
    await refuseUnapproved(pull, change, planners, api);
  }
  return { ...about, isMerged: false, commit };
}

function commitIn(sha: string | null) {
  if (sha !== null && /^[0-9a-f]{40,64}$/u.test(sha)) return sha;
  throw new EdgewiseError("io", "GitHub's API named no commit");
}

async function roleOf(user: unknown, api: HostApi) {
  const login = encodeURIComponent(textAt(user, "login") ?? "");
  const found = await api.send("GET", `collaborators/${login}/permission`, undefined, [404]);
  if (numberAt(user, "id") === null || numberAt(found, "user", "id") !== numberAt(user, "id")) return "none";
  return textAt(found, "role_name") ?? textAt(found, "permission") ?? "none";
}

const unmergeable: { readonly [state: string]: string } = {
  behind: "update its branch, which lacks commits of the default branch",
  blocked: "required checks or reviews are missing",
  dirty: "it conflicts with the default branch",
  unknown: "GitHub doesn't know yet, comment again in a moment",
};

async function refuseUnmergeable(pull: unknown, change: number, api: HostApi) {
  if (memberAt(pull, "draft") !== false) throw refusal("This pull request is a draft.");
  let now = pull;
  for (let tries = 0; textAt(now, "mergeable_state") === "unknown" && tries < 3; tries += 1) {
    await pause(1500);
    now = await api.send("GET", `pulls/${change}`);
  }
  if (textAt(now, "head", "sha") !== textAt(pull, "head", "sha"))
    throw refusal("The pull request has changed meanwhile.");
  const state = textAt(now, "mergeable_state") ?? "unknown";
  if (["clean", "unstable", "has_hooks"].includes(state)) return;
  throw refusal(`This pull request can't be merged: ${unmergeable[state] ?? "GitHub doesn't allow it"}.`);
}

/** An approval counts of exactly this commit, by a writer who wrote and pushed nothing of it. */
async function refuseUnapproved(pull: unknown, change: number, writers: readonly string[], api: HostApi) {
  const commit = commitIn(textAt(pull, "head", "sha"));
  const authors = await authorsOf(pull, change, api);
  const aimed = await lastAimed(change, api);
  const latest = new Map<number, Entry>();
  for (const review of await api.list(`pulls/${change}/reviews`)) {
    const id = numberAt(review, "user", "id");
    const counts = ["APPROVED", "CHANGES_REQUESTED", "DISMISSED"].includes(textAt(review, "state") ?? "");
    if (counts && id !== null && textAt(review, "user", "type") === "User") latest.set(id, review);
  }
  let approved = false;
  for (const [id, review] of latest) {
    const state = textAt(review, "state");
    if (state === "DISMISSED" || !writers.includes(await roleOf(review["user"], api))) continue;
    if (state === "CHANGES_REQUESTED") throw refusal("A review requests changes.");
    const isOfThis = textAt(review, "commit_id") === commit;
    approved ||= !authors.has(id) && isOfThis && Date.parse(textAt(review, "submitted_at") ?? "") > aimed;
  }
  if (approved) return;
  const since = aimed > 0 ? " since its base branch was changed" : "";
  throw refusal(
    `Nobody but its authors has approved commit ${commit.slice(0, 12)}${since}: a writer who pushed nothing to this branch must review it.`,
  );
}

/** And who pushed: Git lets anybody write another author. */
async function authorsOf(pull: unknown, change: number, api: HostApi) {
  const ref = encodeURIComponent(`refs/heads/${textAt(pull, "head", "ref") ?? ""}`);
  const pushes = await api.send("GET", `activity?ref=${ref}&per_page=100`);
  if (!Array.isArray(pushes) || !pushes.some((push) => textAt(push, "after") === textAt(pull, "head", "sha")))
    throw refusal("GitHub doesn't say who pushed this commit. Comment again in a moment.");
  if (pushes.length === 100) throw refusal("Its branch was pushed to too often to tell by whom. Use another branch.");
  const commits = await api.list(`pulls/${change}/commits`);
  const actors = pushes.map((push) => memberAt(push, "actor"));
  const users = [memberAt(pull, "user"), ...actors, ...commits.flatMap((each) => [each["author"], each["committer"]])];
  return new Set(users.flatMap((user) => numberAt(user, "id") ?? []));
}

/** In ms; 0 = never. A review before its base branch was changed was of another difference. */
async function lastAimed(change: number, api: HostApi) {
  const kinds = ["base_ref_changed", "automatic_base_change_succeeded"];
  const events = await api.list(`issues/${change}/timeline`);
  const aimed = events.filter((each) => kinds.includes(textAt(each, "event") ?? ""));
  return Math.max(0, ...aimed.map((each) => Date.parse(textAt(each, "created_at") ?? "")));
}

export const commandKey = "command";

export function shownPlanText({ commit, slugs }: PullCommand, approved: string, plans: string): string {
  const command = ["/edgewise apply", ...slugs].join(" ");
  const apply = approved === "" ? "There is nothing to apply." : `To apply exactly this, comment \`${command}\`.`;
  return `${startOf(commit)}${approved} -->\n${plans.trimEnd()}\n\nThis is of commit ${commit}. ${apply}\n`;
}

function startOf(commit: string) {
  return `<!-- commit=${commit} approved=`;
}

/** The plan that was shown for the command's commit, before the command. */
export async function findShownPlan({ at, change, commit }: PullCommand, api: HostApi): Promise<string> {
  const marker = `<!-- edgewise ${commandKey} -->`;
  const own = (await api.list(`issues/${change}/comments`)).findLast((each) => {
    const isBot = textAt(each, "user", "type") === "Bot" && textAt(each, "user", "login") === "github-actions[bot]";
    return isBot && textAt(each, "body")?.split(/\r?\n/u)[0] === marker;
  });
  const body = plainBody(textAt(own, "body") ?? "").slice(marker.length + 1);
  if (!body.startsWith(`${startOf(commit)}sha256:`))
    throw refusal(
      `No plan with changes was shown for commit ${commit.slice(0, 12)}. Comment \`/edgewise plan\` first.`,
    );
  if (!(Date.parse(textAt(own, "updated_at") ?? "") < at))
    throw refusal("The plan is newer than your comment. Look at it, then comment again.");
  return body;
}

/** The same for a body as it was sent and as GitHub returns it. */
export function plainBody(text: string): string {
  return text.replaceAll("\r\n", "\n").trimEnd();
}
