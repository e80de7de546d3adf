// Belongs to .github/edgewise/ or .gitlab/. Tells Slack, or any webhook, what an apply changed and what a look for drift
// found; says nothing when nothing changed.
//   NOTIFY_URL=… node notify.mjs PATH…
// Each path is a journal (apply --journal), a result (apply -o json), drift (drift -o json), or a directory with such files;
// one that doesn't exist is skipped. Of the environment it reads:
//   NOTIFY_URL     where to post: an incoming webhook of Slack, or any other. https, or http on this machine. A secret.
//   NOTIFY_KIND    slack (default) or json
//   NOTIFY_SECRET  signs the JSON: X-Edgewise-Signature is sha256= and the HMAC-SHA256, in hexadecimal, of the header
//                  X-Edgewise-Timestamp, a dot, and the body
//   NOTIFY_RESULT  how the pipeline ended: with `failure` or `failed`, that is told when no file tells anything
//   NOTIFY_RUN     the page of the run, by default that of GitHub's or GitLab's variables
// It sends addresses, kinds of findings, counts and outcomes. It sends no value, no description and no error text, which
// the service or a pull request may have written.
import { createHmac } from "node:crypto";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const { env } = process;
const mostBytes = 64 * 1024 * 1024;
const mostListed = 8;
const mostCharacters = 2500;
const signs = { drift: "🟠", applied: "🟢", failed: "🔴" };

/** A text on one line, without what a terminal or a chat would act on, cut to what a reader can take in. */
function plain(text, most = 160) {
  // oxlint-disable-next-line no-control-regex
  const line = String(text).replace(
    /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    " ",
  );
  const characters = [...line];
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join("")}…`;
}

/** The files to read: a directory stands for those in it. */
function filesIn(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  if (!stat.isDirectory()) return [path];
  return readdirSync(path)
    .toSorted()
    .flatMap((name) => filesIn(join(path, name)));
}

/** What a file says, as notices. */
function noticesOf(file) {
  if (statSync(file).size > mostBytes) throw new Error("a file is too large");
  const text = readFileSync(file, "utf8");
  const whole = parse(text);
  if (whole?.format === "edgewise.drift/v1") return ofDrift(whole);
  if (whole?.format === "edgewise.result/v1") return ofResult(whole);
  return ofJournal(
    text
      .split("\n")
      .map(parse)
      .filter((line) => line !== null),
  );
}

function parse(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null; // the last line of a journal whose process was killed
  }
}

function ofDrift({ stack, findings }) {
  const found = findings.filter(({ type }) => type !== "pending");
  if (found.length === 0) return [];
  const what = found.length === 1 ? "1 finding" : `${found.length} findings`;
  return [
    {
      event: "drift",
      stack,
      summary: `drift, ${what}`,
      details: found.map(({ address, type }) => `${address}: ${type}`),
    },
  ];
}

const endings = {
  applied: "applied",
  partial: "applied in part only",
  failed: "not applied",
  refused: "refused, nothing changed",
};

function ofResult({ stack, outcome, operations, commit }) {
  const failed = operations.filter(({ status }) => status !== "done");
  return ended({ stack, outcome, commit }, { operations, failed });
}

function ended(about, { operations, failed }) {
  const { outcome } = about;
  if (outcome === "nothing") return [];
  const done = operations.length - failed.length;
  const ending = Object.hasOwn(endings, outcome) ? endings[outcome] : "ended in an unknown way";
  const counts = `${done} of ${operations.length} operations done`;
  return [
    {
      ...about,
      event: outcome === "applied" ? "applied" : "failed",
      summary: `${ending}, ${counts}`,
      details: (outcome === "applied" ? operations : failed).map(({ address, status }) => `${address}: ${status}`),
    },
  ];
}

function ofJournal(lines) {
  return [...groupRuns(lines).values()].flatMap((events) => {
    const start = events.find(({ event }) => event === "run-started");
    if (start === undefined) return [];
    const end = events.find(({ event }) => event === "run-ended");
    const operations = events.filter(({ event }) => event === "operation-ended");
    const failed = operations.filter(({ status }) => status !== "done");
    const about = { stack: start.stack, commit: start.commit, by: start.by };
    if (end !== undefined) return ended({ ...about, outcome: end.outcome }, { operations, failed });
    return [
      { ...about, event: "failed", outcome: "unknown", summary: "stopped part-way, look at the run", details: [] },
    ];
  });
}

function groupRuns(lines) {
  const runs = new Map();
  for (const line of lines) {
    if (!runs.has(line.run)) runs.set(line.run, []);
    runs.get(line.run).push(line);
  }
  return runs;
}

/** A notice for people. */
function textOf({ event, stack, summary, details, by, commit }, run) {
  const listed = details.slice(0, mostListed).map((detail) => `• ${plain(detail)}`);
  const more = details.length - listed.length;
  const from = [
    ...(commit ? [`commit ${plain(commit, 12)}`] : []),
    ...(by ? [`by ${plain(by)}`] : []),
    ...(run === "" ? [] : [run]),
  ];
  return [
    `${signs[event]} ${plain(stack)}: ${plain(summary)}`,
    ...listed,
    ...(more > 0 ? [`• and ${more} more`] : []),
    ...(from.length > 0 ? [from.join(", ")] : []),
  ].join("\n");
}

/** What Slack takes for markup in a text: with these escaped, nothing in it is a link or calls anybody. */
const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

function slackBody(text) {
  const escaped = [...text]
    .slice(0, mostCharacters)
    .join("")
    .replace(/[&<>]/g, (character) => entities[character]);
  return { text: escaped, mrkdwn: false, link_names: false, unfurl_links: false, unfurl_media: false };
}

function jsonBody({ details, ...notice }, text, run) {
  const rest = Object.fromEntries(Object.entries(notice).map(([name, value]) => [name, value ? plain(value) : null]));
  const listed = details.slice(0, 100).map((detail) => plain(detail));
  return { format: "edgewise.pipeline-notification/v1", ...rest, details: listed, count: details.length, run, text };
}

/** Posts with up to three tries. Returns why it was in vain, without the address; null = it was told. */
async function post(url, body) {
  const headers = { "content-type": "application/json" };
  if (env.NOTIFY_SECRET) {
    headers["x-edgewise-timestamp"] = String(Math.floor(Date.now() / 1000));
    const signed = `${headers["x-edgewise-timestamp"]}.${body}`;
    headers["x-edgewise-signature"] = `sha256=${createHmac("sha256", env.NOTIFY_SECRET).update(signed).digest("hex")}`;
  }
  let why = "";
  for (let tries = 0; tries < 3; tries++) {
    if (tries > 0) await pause(1000 * tries);
    const options = { method: "POST", headers, body, redirect: "error", signal: AbortSignal.timeout(10_000) };
    const response = await fetch(url, options).catch(() => null);
    if (response?.ok) return null;
    why = response === null ? "it could not be reached" : `it answered with status ${response.status}`;
    if (response !== null && response.status !== 429 && response.status < 500) break;
  }
  return why;
}

/** So many notices in a row are tried in vain before the rest is given up. */
const mostInVain = 3;

/** Posts every notice: one that the receiver doesn't take keeps it from no other. */
async function tell(url, bodies) {
  const reasons = [];
  let inVain = 0;
  for (const body of bodies) {
    const why = inVain < mostInVain ? await post(url, body) : reasons.at(-1);
    if (why === null) inVain = 0;
    else {
      reasons.push(why);
      inVain++;
    }
  }
  if (reasons.length === 0) return;
  const of = bodies.length === 1 ? "" : ` of ${reasons.length} of ${bodies.length}`;
  throw new Error(`the receiver was not told${of}: ${reasons[0]}`);
}

function receiver() {
  const url = URL.canParse(env.NOTIFY_URL ?? "") ? new URL(env.NOTIFY_URL) : null;
  const local = url?.protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
  if (url?.protocol !== "https:" && !local) throw new Error("set NOTIFY_URL to an https address");
  return url;
}

function runPage() {
  if (env.NOTIFY_RUN) return plain(env.NOTIFY_RUN, 300);
  if (env.CI_JOB_URL) return plain(env.CI_JOB_URL, 300);
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: id } = env;
  return server && repository && id ? plain(`${server}/${repository}/actions/runs/${id}`, 300) : "";
}

async function main(paths) {
  const notices = paths.flatMap(filesIn).flatMap(noticesOf);
  if (notices.every(({ event }) => event !== "failed") && ["failure", "failed"].includes(env.NOTIFY_RESULT)) {
    const stack = env.SLUG || env.NOTIFY_TITLE || "edgewise";
    notices.push({ event: "failed", stack, summary: "the pipeline failed, look at the run", details: [] });
  }
  if (notices.length === 0) return console.log("nothing to tell");
  const [url, run] = [receiver(), runPage()];
  const bodies = notices.map((notice) => {
    const text = textOf(notice, run);
    return JSON.stringify(env.NOTIFY_KIND === "json" ? jsonBody(notice, text, run) : slackBody(text));
  });
  await tell(url, bodies);
  console.log(`told of ${notices.length}`);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(`notify: ${plain(error?.message ?? error, 300)}`);
  process.exitCode = 1;
}
