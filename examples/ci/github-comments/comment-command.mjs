// Belongs to .github/edgewise/. What edgewise-comment.yaml runs: it decides whether a comment is a command, whether who
// wrote it may give it, and for which commit, stacks and plans. It asks GitHub's API and Git, and runs no shell. A comment
// is never printed, quoted or passed on: only the words that the grammar knows are.
//   node comment-command.mjs check | stacks PROGRAM | plan | answer
// Every doubt ends in a refusal: an answer that can't be read is an error, and an error applies nothing.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const { env } = process;
const repository = env.GITHUB_REPOSITORY ?? "";
const run = `${env.GITHUB_SERVER_URL}/${repository}/actions/runs/${env.GITHUB_RUN_ID}`;
const usage =
  "Commands are `/edgewise plan`, `/edgewise apply` and `/edgewise help`. After the first two you can name stacks by their slugs, as `edgewise stacks` lists them: `/edgewise plan edge-prod`. A command is the whole comment, and takes no options.";

/** A reason to do nothing that the person who commented is told. */
class Refusal extends Error {}

// --- GitHub -----------------------------------------------------------------------------------------------------------

/** One request to the API. Throws unless the answer is JSON with a status of success, or 404 where that is expected: null. */
async function api(method, path, { body, missing = false } = {}) {
  const response = await fetch(`${env.GITHUB_API_URL}/repos/${repository}${path}`, {
    method,
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${env.GITHUB_TOKEN}`,
      "user-agent": "edgewise-comment-command",
      "x-github-api-version": "2022-11-28",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    redirect: "error",
    signal: AbortSignal.timeout(30_000),
  });
  const text = await response.text();
  if (missing && response.status === 404) return null;
  const limited =
    response.status === 429 || (response.status === 403 && response.headers.get("x-ratelimit-remaining") === "0");
  if (limited) throw new Error("GitHub's API has answered too many requests; comment again later");
  if (!response.ok) throw new Error(`GitHub's API answered ${method} with status ${response.status}`);
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`GitHub's API answered ${method} with something that is not JSON`);
  }
}

const perPage = 100;
const mostPages = 50;

/** Every element of a list. */
async function list(path) {
  const all = [];
  for (let page = 1; page <= mostPages; page++) {
    const found = await api("GET", `${path}?per_page=${perPage}&page=${page}`);
    if (!Array.isArray(found)) throw new Error("GitHub's API answered with something that is no list");
    all.push(...found);
    if (found.length < perPage) return all;
  }
  throw new Error(`the pull request has more than ${mostPages * perPage} comments, reviews or events`);
}

/** The role of a user in this repository: `none` for everybody who is not a collaborator. */
async function roleOf({ login, id }) {
  const found = await api("GET", `/collaborators/${encodeURIComponent(login)}/permission`, { missing: true });
  // Somebody else may have the name by now.
  if (found === null || found.user?.id !== id) return "none";
  return String(found.role_name ?? found.permission);
}

const rolesOf = (name) => (env[name] ?? "").split(" ").filter((role) => role !== "");

const say = async (number, body) => api("POST", `/issues/${number}/comments`, { body: { body } });

// --- The command ------------------------------------------------------------------------------------------------------

/** How long a command may be, in characters. */
const mostCommand = 2000;

/** The command that a comment is; null for a comment that is none. */
function parseCommand(text) {
  if (!/^\/edgewise(?![^ \t\r\n])/.test(text)) return null;
  const body = text.length > mostCommand ? "" : text.replace(/[ \t\r\n]+$/, "");
  const words = /[\r\n]/.test(body) ? [] : body.split(/ +/).slice(1);
  const [command = "help", ...slugs] = words;
  const known = ["plan", "apply"].includes(command) && slugs.every((slug) => /^[a-z0-9][a-z0-9-]{0,99}$/.test(slug));
  return known ? { command, slugs: [...new Set(slugs)] } : { command: "help", slugs: [] };
}

/** Job `check`: who commented, what, and in which state the pull request is. */
async function check() {
  const { action, issue, comment, repository: about } = JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, "utf8"));
  const parsed = action === "created" && issue?.pull_request ? parseCommand(String(comment?.body ?? "")) : null;
  // A user who was deleted is null.
  if (parsed === null || comment.user?.type !== "User") return console.log("not a command");
  const role = await roleOf(comment.user);
  const mayPlan = [...rolesOf("PLAN_ROLES"), ...rolesOf("APPLY_ROLES")].includes(role);
  if (!mayPlan) return console.log("a command by somebody who may give none");
  const { number } = issue;
  if (parsed.command === "help") return say(number, `${usage}\n`);
  await answering(number, async () => {
    // Whoever runs it again is not who commented.
    if (env.GITHUB_RUN_ATTEMPT !== "1") throw new Refusal("A run of a command can't be repeated. Comment again.");
    if (parsed.command === "apply" && !rolesOf("APPLY_ROLES").includes(role)) {
      throw new Refusal(
        `Your role in this repository is ${role}. To apply, one of these is needed: ${env.APPLY_ROLES}.`,
      );
    }
    const pull = await api("GET", `/pulls/${number}`);
    const commit = await commitOf(pull, { ...parsed, main: about.default_branch });
    output({ ...parsed, number, commit, merged: pull.merged, at: comment.created_at });
  });
}

/** The commit that a command is about. Throws a Refusal where there is none. */
async function commitOf(pull, { command, main }) {
  if (pull.base?.ref !== main) throw new Refusal("Commands are for pull requests onto the default branch.");
  if (pull.merged === true) return fullId(pull.merge_commit_sha);
  if (pull.state !== "open") {
    throw new Refusal(
      "This pull request was closed without a merge. If it was applied before, run the workflow `edgewise apply` by hand: it applies what the default branch says.",
    );
  }
  if (pull.head?.repo?.full_name !== repository) {
    throw new Refusal("This pull request comes from a fork. Forks are planned and applied after the merge only.");
  }
  const head = fullId(pull.head.sha);
  if (command === "apply") await mayBeApplied(pull, head);
  return head;
}

function fullId(sha) {
  if (!/^[0-9a-f]{40,64}$/.test(String(sha))) throw new Error("GitHub's API named no commit");
  return sha;
}

/** What a merge would need, and an approval of exactly this commit. */
async function mayBeApplied(pull, head) {
  if (pull.draft !== false) throw new Refusal("This pull request is a draft.");
  let { mergeable_state: state } = pull;
  for (let tries = 0; state === "unknown" && tries < 3; tries++) {
    await pause(1500);
    const again = await api("GET", `/pulls/${pull.number}`);
    if (again.head?.sha !== head) throw new Refusal("The pull request has changed meanwhile.");
    state = again.mergeable_state;
  }
  const states = new Map([
    ["behind", "its branch lacks commits of the default branch: update the branch"],
    ["blocked", "checks or reviews that the default branch requires are missing"],
    ["dirty", "it has conflicts with the default branch"],
    ["unknown", "GitHub doesn't know yet whether it can be merged: comment again in a moment"],
  ]);
  if (!["clean", "unstable", "has_hooks"].includes(state)) {
    throw new Refusal(`This pull request can't be merged: ${states.get(state) ?? "GitHub doesn't allow it"}.`);
  }
  const latest = new Map();
  for (const review of await list(`/pulls/${pull.number}/reviews`)) {
    const counts = ["APPROVED", "CHANGES_REQUESTED", "DISMISSED"].includes(review.state);
    if (counts && review.user?.type === "User" && review.user.id !== pull.user?.id) latest.set(review.user.id, review);
  }
  const writers = [...rolesOf("PLAN_ROLES"), ...rolesOf("APPLY_ROLES")];
  const aimed = await lastAimed(pull);
  let approved = false;
  for (const review of latest.values()) {
    if (review.state === "DISMISSED" || !writers.includes(await roleOf(review.user))) continue;
    if (review.state === "CHANGES_REQUESTED") throw new Refusal("A review requests changes.");
    approved ||= review.commit_id === head && Date.parse(review.submitted_at) > aimed;
  }
  if (!approved) {
    throw new Refusal(
      `Nobody but its author has approved commit ${head.slice(0, 12)}${aimed > 0 ? " since its base branch was changed" : ""}: before the merge, a review of exactly this commit is needed, by somebody who can write to the repository.`,
    );
  }
}

/** When somebody chose another base branch, in milliseconds: a review before that was of another difference. 0 = never. */
async function lastAimed({ number }) {
  const changes = (await list(`/issues/${number}/timeline`)).filter(({ event }) =>
    ["base_ref_changed", "automatic_base_change_succeeded"].includes(event),
  );
  return Math.max(0, ...changes.map(({ created_at }) => Date.parse(created_at)));
}

// --- The stacks -------------------------------------------------------------------------------------------------------

const git = (...words) => execFileSync("git", words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();

function gitSays(...words) {
  try {
    git(...words);
    return true;
  } catch {
    return false;
  }
}

const appliedTag = (slug) => `refs/tags/edge-applied-${slug}`;
const isApplied = (slug) => gitSays("rev-parse", "--quiet", "--verify", `${appliedTag(slug)}^{commit}`);

/** Job `stacks`: the stacks of a command, in a checkout of its commit, with the plans that may be applied. */
async function stacks(program) {
  const { COMMAND: command, COMMIT: commit, NUMBER: number, MERGED, AT } = env;
  const merged = MERGED === "true";
  await answering(number, async () => {
    const main = git("rev-parse", "--verify", `refs/remotes/origin/${env.MAIN}^{commit}`);
    if (merged && commit !== main) {
      throw new Refusal(
        "The default branch has moved on since this pull request was merged. To apply it now would undo what was merged later. Run the workflow `edgewise apply` instead.",
      );
    }
    if (!merged && !gitSays("merge-base", "--is-ancestor", main, commit)) {
      throw new Refusal("Its branch lacks commits of the default branch, and would undo them: update the branch.");
    }
    const chosen = chooseStacks(program, { slugs: JSON.parse(env.SLUGS), merged, main });
    const list = command === "plan" || merged ? chosen : await withPlans(chosen, { number, commit, at: AT });
    output({ stacks: list, base: merged ? "" : main });
  });
}

const maxBuffer = 64 * 1024 * 1024;

/** Those that were named; else those that the pull request changes, or, once it is merged, that differ from what was applied. */
function chooseStacks(program, { slugs, merged, main }) {
  const read = (...words) =>
    JSON.parse(
      execFileSync(process.execPath, [program, "stacks", ...words, "-o", "json"], { encoding: "utf8", maxBuffer }),
    ).stacks;
  const all = read().map(({ config, environment = "", slug }) => ({
    config,
    environment,
    slug,
    approved: "",
    shown: "",
  }));
  const unknown = slugs.filter((slug) => all.every((stack) => stack.slug !== slug));
  if (unknown.length > 0)
    throw new Refusal(`There is no stack ${codes(unknown)}. Stacks: ${codes(all.map(({ slug }) => slug))}.`);
  const since = (ref) => read("--changed-since", ref).map(({ slug }) => slug);
  const changed = slugs.length > 0 ? slugs : merged ? null : since(main);
  // What was never applied differs, too.
  const differs = (slug) => !isApplied(slug) || since(appliedTag(slug)).includes(slug);
  const chosen = all.filter(({ slug }) => changed?.includes(slug) ?? differs(slug));
  if (chosen.length === 0) {
    throw new Refusal(
      merged
        ? "Every stack has been applied already. To apply one again, name it."
        : "This pull request changes no stack. To plan one nevertheless, name it.",
    );
  }
  return chosen;
}

/** Each stack with the hash of the plan that was shown for this commit before the command was given. */
async function withPlans(chosen, { number, commit, at }) {
  const comments = await list(`/issues/${number}/comments`);
  return chosen.map((stack) => {
    const tag = appliedTag(stack.slug);
    if (isApplied(stack.slug) && !gitSays("merge-base", "--is-ancestor", tag, commit)) {
      throw new Refusal(
        `Another pull request holds the stack \`${stack.slug}\`, or this one before its branch was rewritten: commit ${git("rev-parse", `${tag}^{commit}`).slice(0, 12)} was applied before its merge, and is not part of this one. Merge that first, or run the workflow \`edgewise apply\` to take it back. Then update this branch.`,
      );
    }
    const plan = findPlan(comments, stack.slug);
    const [, planned, hash] =
      /^<!-- commit=([0-9a-f]+) hash=(sha256:[0-9a-f]{64}) -->$/.exec(plan?.body.split("\n")[1] ?? "") ?? [];
    if (planned !== commit) {
      throw new Refusal(
        `No plan of \`${stack.slug}\` was shown for commit ${commit.slice(0, 12)}. Comment \`/edgewise plan ${stack.slug}\`, look at the plan, then apply.`,
      );
    }
    if (!(Date.parse(plan.updated_at) < Date.parse(at))) {
      throw new Refusal(`The plan of \`${stack.slug}\` is newer than your comment. Look at it, then comment again.`);
    }
    const shown = shownText(plan.body, { slug: stack.slug, commit, hash });
    if (shown === null) {
      throw new Refusal(
        `Somebody has edited the comment with the plan of \`${stack.slug}\`. Comment \`/edgewise plan ${stack.slug}\`, look at the plan, then apply.`,
      );
    }
    // Whoever can write to the repository can edit the text, too: it is compared with the plan that is made again.
    return { ...stack, approved: hash, shown: createHash("sha256").update(shown).digest("hex") };
  });
}

const planMarker = (slug) => `<!-- edgewise plan of ${slug} by command -->`;

const planHead = ({ slug, commit, hash }) => `${planMarker(slug)}\n<!-- commit=${commit} hash=${hash} -->\n`;
const planFoot = ({ slug, commit }) =>
  `\n\nPlan of commit ${commit}. To apply exactly this plan, comment \`/edgewise apply ${slug}\`.\n`;

/** The plan in the body of its comment, without line ends at its end; null when something stands before or after it. */
function shownText(body, about) {
  const text = body.replaceAll("\r\n", "\n").trimEnd();
  const [head, foot] = [planHead(about), planFoot(about).trimEnd()];
  if (!text.startsWith(head) || !text.endsWith(foot)) return null;
  return text.slice(head.length, -foot.length).replace(/\n+$/, "");
}

/** The newest comment of this recipe with the plan of a stack. */
function findPlan(comments, slug) {
  const own = comments.filter(({ user, body }) => {
    return user?.type === "Bot" && user.login === "github-actions[bot]" && body?.split("\n")[0] === planMarker(slug);
  });
  return own.at(-1);
}

// --- Answers ----------------------------------------------------------------------------------------------------------

/** What GitHub takes. A plan as Markdown has up to 65,000 characters, which leaves room for the lines around it. */
const mostCharacters = 65_536;

/** Job `plan`: shows a plan in the comment of its stack. */
async function plan() {
  const { SLUG: slug, COMMIT: commit, NUMBER: number } = env;
  const { hash } = JSON.parse(readFileSync("edgewise.plan", "utf8"));
  const about = { slug, commit: fullId(commit), hash };
  const [head, foot] = [planHead(about), planFoot(about)];
  const shown = readFileSync("plan.md", "utf8");
  const fits = head.length + shown.length + foot.length <= mostCharacters;
  const body =
    head + (fits ? shown : `The plan is too long for a comment: [it is in the summary of its run](${run}).`) + foot;
  const before = findPlan(await list(`/issues/${number}/comments`), slug);
  if (before === undefined) await say(number, body);
  else await api("PATCH", `/issues/comments/${before.id}`, { body: { body } });
}

/** Job `answer`: what became of a command. */
async function answer() {
  const { COMMAND: command, COMMIT: commit = "", NUMBER: number, RESULT } = env;
  const slugs = JSON.parse(env.STACKS || "[]").map(({ slug }) => slug);
  const what = `\`/edgewise ${command}\` of ${slugs.length === 0 ? "the stacks" : codes(slugs)} at ${commit.slice(0, 12)}`;
  const ends = new Map([
    ["success", command === "plan" ? "planned. Each plan is in the comment of its stack." : "done."],
    ["failure", "**failed or refused**."],
    ["cancelled", "**cancelled**."],
  ]);
  const parts = [
    `${what}: ${ends.get(RESULT) ?? "**stopped before anything was planned or applied**."} [The run](${run}) has the details.`,
  ];
  if (command === "apply") {
    for (const slug of slugs) {
      const file = `results/edgewise-result-${slug}/result.md`;
      if (!existsSync(file)) continue;
      const text = readFileSync(file, "utf8").trim();
      const length = [...parts, text].join("\n\n").length;
      parts.push(length <= mostCharacters - 1000 ? text : `The result of \`${slug}\` is too long for a comment.`);
    }
  }
  await say(number, `${parts.join("\n\n")}\n`);
}

const codes = (names) =>
  names
    .slice(0, 20)
    .map((name) => `\`${name}\``)
    .join(", ") + (names.length > 20 ? ", …" : "");

/** Runs a job's work; what is refused or goes wrong is answered in the pull request, and fails the job. */
async function answering(number, work) {
  try {
    await work();
  } catch (error) {
    output({ answered: true });
    const why = error instanceof Refusal ? error.message : "This could not be checked, so nothing was done.";
    await say(number, `${why} [The run](${run}).\n`);
    throw error;
  }
}

/** Writes outputs of the step: texts as they are, anything else as JSON on one line. */
function output(values) {
  for (const [name, value] of Object.entries(values)) {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    if (/[\r\n]/.test(text)) throw new Error(`the output ${name} has more than one line`);
    appendFileSync(env.GITHUB_OUTPUT, `${name}=${text}\n`);
  }
}

const [, , job = "", program = ""] = process.argv;
const jobs = { check, stacks: async () => stacks(program), plan, answer };
try {
  if (!Object.hasOwn(jobs, job)) throw new Error("give one of: check, stacks PROGRAM, plan, answer");
  await jobs[job]();
} catch (error) {
  // A line of its own, so that nothing in it is read as a workflow command.
  console.log(
    `::error::${String(error?.message ?? error)
      .replace(/%/g, "%25")
      .replace(/[\r\n]+/g, " ")
      .slice(0, 1000)}`,
  );
  process.exitCode = 1;
}
