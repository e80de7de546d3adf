import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { HostApi, createSendRequest } from "../ci/host-api.js";
import { isLoopback } from "../config/api-config.js";
import { EdgewiseError, misuse } from "../core/errors.js";
import { isObject } from "../core/json.js";
import { count, shellWord, withoutSlashes } from "../core/text.js";
import { visibleLine } from "../core/visible.js";
import { findRepository } from "../git/find-repository.js";
import { impactRank } from "../kinds/impact.js";
import { judgeFields } from "../plan/field-changes.js";
import { type Plan, summaryOf, unspecified } from "../plan/plan-format.js";
import { validatePlan } from "../schema/validate-documents.js";
import { effectDigest, effectsOf } from "../serve/decide/effect-digest.js";
import { readSecretSource } from "../serve/fleet/read-secret-source.js";
import type { EffectSide } from "../serve/records.js";
import { type CommandIo, confirm, requireApprover } from "./support/command-io.js";
import { type Flags, type DefineCommand } from "./support/command-options.js";
import { renderFindings, writeResult } from "./support/output.js";

export const define: DefineCommand = (command, run) =>
  command
    .argument("<stack>", "the name of the stack in the fleet")
    .description(
      "Shows it, checks its digest, asks, makes the signed tag in the repository here, and pushes it. Needs a key for git's ssh signatures.",
    )
    .requiredOption("--server <url>", "where edgewise serve listens")
    .option("--token-file <file>", "read the server's token from this file")
    .option("--as <principal>", "your name in the file of approvers (default: git's user.email)")
    .option("-m, --message <text>", "why, for the history")
    .option("--key <file>", "the key to sign with (default: git's user.signingKey)")
    .option("--remote <name>", "the remote to push the tag to (default: origin)")
    .option("-y, --auto-approve", "approve without asking")
    .shared([])
    .examples([["edgewise approve prod --server http://127.0.0.1:7070", "in a clone of the stack's source"]])
    .action(run(approve));

async function approve(io: CommandIo, stack: string, flags: Flags) {
  const { key, message = `approve ${stack}`, remote = "origin", server = "", tokenFile } = flags;
  const reading = { env: io.env, onSecret: (secret: string) => io.redactor.addSecret(secret) };
  const token = tokenFile && readSecretSource({ file: resolve(io.cwd, tokenFile) }, "the token", reading);
  const { digest, plan, sides } = await waitingIn(stack, serveApi(server, token ? token.reveal() : null, io), io);
  const approver = flags.as ?? (await runOwnGit(["config", "user.email"], io, "hidden").catch(() => ""));
  if (!/^[\w.+@%=-]+$/u.test(approver))
    throw misuse("it is not known as whom to approve", "Name yourself as the file of approvers does, with --as.");
  const addresses = sides.map(({ address }) => address).join(", ");
  const secrets = sides.flatMap((side) => side.secrets.map(({ reference, source }) => `${reference} (${source})`));
  const sent = secrets.length === 0 ? "" : `. Secrets that are sent: ${secrets.join(", ")}`;
  const verb = sides.length === 1 ? "waits" : "wait";
  const waits = `${count(sides.length, "change")} of ${stack} ${verb} for an approval: ${addresses}${sent}`;
  const shown = renderFindings({ exit: 0, plan: approvedPlan(plan, sides) }, io);
  await writeResult(io.redactor.redact(`${shown}\n${visibleLine(waits)}`), io);
  requireApprover(flags, io, "approve", "Use -y once you have read the plan.");
  if (!flags.autoApprove) await confirm("Approve exactly this?", io, "approve");
  const { commit } = plan;
  if (commit !== null)
    await runOwnGit(["cat-file", "-e", `${commit}^{commit}`], io, "hidden").catch((cause: unknown) => {
      const remedy = "Run this in a clone of the stack's source, after `git fetch`.";
      throw new EdgewiseError("git", `commit ${commit} of ${stack} is not here`, { remedy, cause });
    });
  const tag = `edgewise/approve/${stack}/${digest}/${approver}`;
  const signing = ["-c", "gpg.format=ssh", "tag", "-s", ...(key === undefined ? [] : ["-u", key])];
  // One that was never pushed, or was withdrawn, is made anew.
  await runOwnGit([...signing, "-f", "-m", message, tag, ...(commit === null ? [] : [commit])], io, "shown");
  try {
    // Git can make a tag without a signature when its program can't read the key.
    const content = await runOwnGit(["cat-file", "tag", `refs/tags/${tag}`], io, "hidden");
    if (!/^-----BEGIN SSH SIGNATURE-----$/mu.test(content))
      throw new EdgewiseError(
        "git",
        "git made the tag without a signature: nothing was approved",
        "Name an existing key with --key or git config user.signingKey.",
      );
    await runOwnGit(["push", remote, `refs/tags/${tag}`], io, "shown");
  } catch (error) {
    await runOwnGit(["tag", "-d", tag], io, "hidden").catch(() => "");
    throw error;
  }
  const withdraw = `git push ${shellWord(remote)} --delete ${shellWord(`refs/tags/${tag}`)}`;
  io.stdout(`Approved as ${approver}. To withdraw it before it is applied: ${withdraw}\n`);
  return 0;
}

/** What the digest names and nothing else, so that nobody on the way can hide what a change does. */
function approvedPlan(plan: Plan, sides: readonly EffectSide[]) {
  const approved = new Set(sides.map(({ address }) => address));
  const changes = plan.changes
    .filter(({ address }) => approved.has(address))
    .map((change) => {
      const judged = judgeFields(change);
      const isGraver = impactRank(change.impact) > impactRank(judged.impact);
      const graver = `its impact is ${change.impact}${change.reason === null ? "" : `: ${change.reason}`}`;
      const notes = [...(isGraver ? [graver] : []), ...judged.notes];
      return { ...judged, notes: notes.map((note) => `the server says: ${note}`) };
    });
  const said = { operations: [], preconditions: [], refusals: [], warnings: [], lifted: [], rehearsal: null };
  const { base: _base, ref: _ref, ...named } = plan;
  return { ...named, ...said, relaxations: unspecified.relaxations, changes, summary: summaryOf(changes, 0) };
}

async function waitingIn(stack: string, api: HostApi, { redactor }: CommandIo) {
  const path = `api/stacks/${encodeURIComponent(stack)}`;
  // A look may come between both answers.
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const shown = await api.send("GET", path, undefined, [404]);
    if (!isObject(shown))
      throw misuse(`there is no stack ${JSON.stringify(stack)}`, "The page of edgewise serve at --server lists them.");
    const { approval, digest, message, state } = shown;
    if (typeof digest !== "string" || !/^[0-9a-f]{64}$/u.test(digest) || !isObject(approval))
      throw refused(
        `nothing of ${stack} waits for an approval: it is ${redactor.redact(`${String(state)}. ${String(message)}`)}`,
      );
    const answer = await api.send("GET", `${path}/plan`, undefined, [404]);
    const sides = approval["sides"] as readonly EffectSide[];
    if (validatePlan(answer) !== null) continue;
    const plan = answer as Plan;
    if (digestOf(plan, sides, approval, String(shown["account"])) === digest) return { plan, digest, sides };
  }
  const remedy = "Use the server's version of edgewise. If it is that, don't trust the server.";
  throw refused("the digest does not name the plan that is shown: nothing was approved", remedy);
}

function refused(why: string, remedy?: string) {
  return new EdgewiseError("refused", visibleLine(why), remedy);
}

function digestOf(
  plan: Plan,
  sides: readonly EffectSide[],
  approval: { readonly [member: string]: unknown },
  account: string,
) {
  const [nonce = "", baseUrl = "", marker = ""] = ["nonce", "baseUrl", "marker"].map((name) => String(approval[name]));
  try {
    const effects = effectsOf(plan, sides);
    const isWhole = effects.length === sides.length && sides.length > 0;
    if (!isWhole || plan.baseUrl !== baseUrl || plan.stack !== marker) return null;
    return effectDigest({ nonce, baseUrl, marker, account, effects });
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** No program or configuration of the work tree, which may hold a pull request, is used. */
const ownSettings = ["safe.bareRepository=explicit", "core.hooksPath=/dev/null", "core.fsmonitor=false"];

/** With the user's configuration, keys and terminal, and no variable of edgewise. */
async function runOwnGit(args: readonly string[], io: CommandIo, messages: "hidden" | "shown") {
  const { git, gitDir, workTree } = await findRepository(io.cwd, io);
  const own = Object.entries(io.env).filter(([name]) => !/^(?:EDGEWISE_|GIT_DIR$|GIT_WORK_TREE$|PATH$)/iu.test(name));
  const env = { ...Object.fromEntries(own), PATH: git.environment["PATH"], GIT_DIR: gitDir, GIT_WORK_TREE: workTree };
  const given = [...ownSettings.flatMap((setting) => ["-c", setting]), ...args];
  const stderr = messages === "shown" ? "inherit" : "ignore";
  const { error, status, stdout } = spawnSync(git.program, given, {
    cwd: io.cwd,
    env,
    stdio: ["inherit", "pipe", stderr],
    encoding: "utf8",
  });
  if (status === 0) return stdout.trim();
  throw new EdgewiseError("git", `git ${args.includes("push") ? "push" : "tag"} failed`, { cause: error });
}

function serveApi(server: string, token: string | null, { env, redactor }: CommandIo) {
  const url = URL.canParse(server) ? new URL(server) : null;
  if (url === null || !/^https?:$/u.test(url.protocol) || url.username !== "" || url.password !== "")
    throw misuse(`--server ${visibleLine(server)} is not the URL of an edgewise serve`, "Begin it with https://.");
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    throw misuse(`--server ${url.origin} is plain http to another machine`, "Use https, or a tunnel.");
  return new HostApi({
    name: `edgewise serve at ${url.origin}`,
    base: withoutSlashes(url.origin + url.pathname),
    headers: { accept: "application/json", ...(token !== null && { authorization: `Bearer ${token}` }) },
    remedy: "Name the file of its token with --token-file; its log says more.",
    send: createSendRequest(env, redactor),
  });
}
