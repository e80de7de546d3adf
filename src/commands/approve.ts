import { validatePlan } from "../schema/validate-plan.js";
import { readSecretSource } from "../serve/fleet/read-secret-source.js";
import { resolve } from "node:path";
import { didYouMean } from "../diagnostics/suggest.js";
import { EdgewiseError } from "../core/errors.js";
import { isObject } from "../core/json.js";
import { judgeFields } from "../plan/field-changes.js";
import { type Plan, summaryOf } from "../plan/plan-format.js";
import { effectDigest, effectsOf } from "../serve/decide/effect-digest.js";
import type { EffectSide, SecretEffect } from "../serve/records.js";
import { impactRank } from "../kinds/impact.js";
import { isAddress } from "../kinds/names.js";
import { shellWord } from "../core/shell-word.js";
import { count, listFew } from "../core/text.js";
import { visibleLine } from "../core/visible.js";
import type { GuardedIo } from "./support/io.js";
import { isConfirmed, requireApprover } from "./support/confirm.js";
import { renderPlan, writeResult } from "./support/output.js";
import { runOwnGit } from "./support/own-git.js";
import { type ServeClient, serveClient } from "./support/serve-client.js";
import { addExamples, addSharedOptions, type CommonFlags, type DefineCommand } from "./support/command-options.js";

/** The flags of `edgewise approve`, as the program parsed them. */
export interface ApproveFlags extends Omit<CommonFlags, "output"> {
  /** The URL of an `edgewise serve`. */
  readonly server: string;
  readonly tokenFile?: string;
  /** Where the tag is pushed to. */
  readonly remote?: string;
  /** The principal in the file of approvers. */
  readonly as?: string;
  readonly message?: string;
  readonly key?: string;
  /** Prints the commands, and runs none of them. */
  readonly print?: boolean;
  readonly autoApprove?: boolean;
}

/** What waits in a stack, as the server says. */
interface Waiting {
  readonly plan: Plan;
  readonly digest: string;
  readonly sides: readonly EffectSide[];
}

export const define: DefineCommand = (command, run) => {
  command.argument("<stack>", "the name of the stack in the fleet");
  command.description(
    "Shows the plan of a stack that an edgewise serve keeps, checks that its digest names what waits in it, asks, makes the signed tag in the repository here, and pushes it. Needs a key for git's ssh signatures.",
  );
  command
    .optionsGroup("Approve:")
    .requiredOption("--server <url>", "where edgewise serve listens")
    .option("--token-file <file>", "read the server's token from this file")
    .option("--as <principal>", "your name in the file of approvers (default: git's user.email)")
    .option("-m, --message <text>", "why, for the history")
    .option("--key <file>", "the key to sign with (default: git's user.signingKey)")
    .option("--remote <name>", "the remote to push the tag to (default: origin)")
    .option("--print", "show the plan and the commands of git, and run none of them")
    .option("-y, --auto-approve", "approve without asking");
  addSharedOptions(command, []);
  addExamples(command, [
    ["edgewise approve prod --server http://127.0.0.1:7070", "in a clone of the stack's source"],
    ["edgewise approve prod --server https://serve.example.com --token-file token --print", "only show how"],
  ]);
  command.action((stack: string, flags: ApproveFlags) => run(flags, async (io) => approveCommand(stack, flags, io)));
};

/**
 * `approve`: shows what waits in a stack of an `edgewise serve`, checks that its digest names exactly that, asks, makes the
 * signed tag in the repository here and pushes it.
 */
export async function approveCommand(stack: string, flags: ApproveFlags, io: GuardedIo): Promise<number> {
  const token = flags.tokenFile === undefined ? null : await tokenIn(resolve(io.cwd, flags.tokenFile), io);
  const { digest, plan, sides } = await waitingIn(stack, serveClient(flags.server, token));
  const approver = flags.as ?? (await runOwnGit(["config", "user.email"], io, "kept").catch(() => ""));
  if (!/^[\w.+@%=-]+$/u.test(approver))
    throw new EdgewiseError("usage", "it is not known as whom to approve", {
      remedy: "Name yourself as the file of approvers does: --as ann@example.com.",
    });
  const tag = `edgewise/approve/${stack}/${digest}/${approver}`;
  const sign = ["-c", "gpg.format=ssh", "tag", "-s", ...(flags.key === undefined ? [] : ["-u", flags.key])];
  // The commit of the plan, which the source has: whatever else is checked out here stays here. One of that name that was
  // never pushed, or was withdrawn, is made anew.
  const target = plan.commit === null ? [] : [plan.commit];
  const make = [...sign, "-f", "-m", flags.message ?? `approve ${stack}`, tag, ...target];
  const remote = flags.remote ?? "origin";
  const push = ["push", remote, `refs/tags/${tag}`];
  const addresses = sides.map(({ address }) => address).join(", ");
  const whole = await renderPlan(approvedPlan(plan, sides), flags, io, io.cwd);
  const secrets = sides.flatMap((side) => side.secrets.map(({ reference, source }) => `${reference} (${source})`));
  const sent = secrets.length === 0 ? "" : `. Secrets that are sent: ${secrets.join(", ")}`;
  const waits = `${count(sides.length, "change")} of ${stack} ${sides.length === 1 ? "waits" : "wait"} for an approval: ${addresses}${sent}\n`;
  if (flags.print === true) {
    const commands = [make, push].map((args) => ["git", ...args].map(shellWord).join(" "));
    await writeResult(`${whole}\n${visibleLine(waits.trimEnd())}\n${commands.join("\n")}`, flags, io);
    return 0;
  }
  await writeResult(`${whole}\n${visibleLine(waits.trimEnd())}`, flags, io);
  requireApprover(flags, io, "approve", "Use -y once you have read the plan, or --print for the commands.");
  if (flags.autoApprove !== true && !(await isConfirmed("Approve exactly this?", io)))
    throw new EdgewiseError("usage", "not approved: nothing was changed", { remedy: "Type yes to approve." });
  if (plan.commit !== null) await findCommit(plan.commit, { remote, stack }, io);
  await runOwnGit(make, io, "shown");
  try {
    await checkSigned(tag, io);
    await runOwnGit(push, io, "shown");
  } catch (error) {
    // A tag that nobody sees approves nothing; the next attempt makes it anew.
    await runOwnGit(["tag", "-d", tag], io, "kept").catch(() => "");
    throw error;
  }
  await writeResult(
    `Approved as ${approver}. To withdraw it before it is applied: git push ${shellWord(remote)} --delete ${shellWord(`refs/tags/${tag}`)}`,
    {},
    io,
  );
  return 0;
}

/**
 * What is approved, and nothing that the digest does not name: impact, headline and reasons are judged here. Somebody between
 * here and the server can't hide what a change does.
 */
function approvedPlan(plan: Plan, sides: readonly EffectSide[]): Plan {
  const approved = new Set(sides.map(({ address }) => address));
  const changes = plan.changes
    .filter(({ address }) => approved.has(address))
    .map((change) => {
      const judged = judgeFields(change);
      // The server knows what refers to the resource.
      const isGraver = impactRank(change.impact) > impactRank(judged.impact);
      const graver = isGraver
        ? [`its impact is ${change.impact}${change.reason === null ? "" : `: ${change.reason}`}`]
        : [];
      return { ...judged, notes: [...graver, ...judged.notes].map((note) => `the server says: ${note}`) };
    });
  const relaxations = { allow: [], maxDeletes: null, allowEmpty: false, takeOver: false, destroy: false };
  const said = { operations: [], preconditions: [], refusals: [], warnings: [], lifted: [], rehearsal: null };
  const { base: _base, ref: _ref, ...named } = plan;
  return { ...named, ...said, relaxations, changes, summary: summaryOf(changes, 0) };
}

/** Makes sure that the repository here is a clone of the stack's source. @throws EdgewiseError */
async function findCommit(
  commit: string,
  { remote, stack }: { readonly remote: string; readonly stack: string },
  io: GuardedIo,
): Promise<void> {
  const exists = ["cat-file", "-e", `${commit}^{commit}`];
  const isHere = await runOwnGit(exists, io, "kept").then(
    () => true,
    () => false,
  );
  if (isHere) return;
  try {
    await runOwnGit(["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", remote, commit], io, "kept");
  } catch (cause) {
    throw new EdgewiseError("git", `commit ${commit} of ${stack} is neither here nor in ${remote}`, {
      remedy: "Run this in a clone of the stack's source, and name its remote with --remote.",
      cause,
    });
  }
}

/** Git can make a tag without a signature when its program can't read the key. @throws EdgewiseError */
async function checkSigned(tag: string, io: GuardedIo): Promise<void> {
  const content = await runOwnGit(["cat-file", "tag", `refs/tags/${tag}`], io, "kept");
  if (/^-----BEGIN SSH SIGNATURE-----$/mu.test(content)) return;
  throw new EdgewiseError("git", "git made the tag without a signature: nothing was approved", {
    remedy: "Name a key that exists with --key, or git config user.signingKey.",
  });
}

async function tokenIn(file: string, io: GuardedIo): Promise<string> {
  const reading = { env: io.env, onSecret: (secret: string) => io.redactor.addSecret(secret) };
  return (await readSecretSource({ file }, "the token", reading)).reveal();
}

/** What waits, once its digest was computed again from the plan that is shown. @throws EdgewiseError */
async function waitingIn(stack: string, client: ServeClient): Promise<Waiting> {
  const path = `/api/stacks/${encodeURIComponent(stack)}`;
  // A look may come between both answers.
  for (let attempt = 1; ; attempt += 1) {
    const shown = await client.get(path);
    if (!isObject(shown)) throw noStack(stack, await client.get("/api/stacks"));
    const { account, approval, digest, message, state } = shown;
    if (typeof digest !== "string" || !/^[0-9a-f]{64}$/u.test(digest) || !isObject(approval))
      throw new EdgewiseError(
        "refused",
        visibleLine(`nothing of ${stack} waits for an approval: it is ${String(state)}. ${String(message)}`),
      );
    const plan = await client.get(`${path}/plan`);
    const sides = sidesOf(approval["sides"]);
    if (isPlan(plan, validatePlan) && sides !== null) {
      const effects = effectsOf(plan, sides);
      const [nonce, baseUrl, marker] = [approval["nonce"], approval["baseUrl"], approval["marker"]].map(String);
      const subject = { nonce: nonce ?? "", baseUrl: baseUrl ?? "", marker: marker ?? "", account: String(account) };
      const isWhole = effects.length === sides.length && plan.baseUrl === baseUrl && plan.stack === marker;
      if (isWhole && effectDigest({ ...subject, effects }) === digest) return { plan, digest, sides };
    }
    if (attempt === 2)
      throw new EdgewiseError("refused", "the digest does not name the plan that is shown: nothing was approved", {
        remedy: "Use the version of edgewise that the server has. If it is that, don't trust the server.",
      });
  }
}

/** @param listed the first page of the server's stacks */
function noStack(stack: string, listed: unknown): EdgewiseError {
  const stacks: readonly unknown[] = isObject(listed) && Array.isArray(listed["stacks"]) ? listed["stacks"] : [];
  const names = stacks.flatMap((each) => (isObject(each) && typeof each["name"] === "string" ? [each["name"]] : []));
  const known = names.length === 0 ? "The server has no stacks." : `The server has ${listFew(names, 6)}.`;
  return new EdgewiseError("usage", `there is no stack ${JSON.stringify(stack)}`, {
    remedy: visibleLine(didYouMean(stack, names) ?? known),
  });
}

function isPlan(value: unknown, problemOf: (value: unknown) => string | null): value is Plan {
  return isObject(value) && value["format"] === "edgewise.plan/v1" && problemOf(value) === null;
}

function sidesOf(value: unknown): readonly EffectSide[] | null {
  if (!Array.isArray(value)) return null;
  const sides = value.map((side: unknown): EffectSide | null => {
    if (!isObject(side)) return null;
    const { address, desired, lost, secrets } = side;
    const sent = Array.isArray(secrets) ? secrets.flatMap(secretOf) : [];
    if (typeof address !== "string" || !isAddress(address)) return null;
    return { address, desired: textOf(desired), lost: textOf(lost), secrets: sent };
  });
  const whole = sides.flatMap((side) => (side === null ? [] : [side]));
  return whole.length === sides.length && whole.length > 0 ? whole : null;
}

function secretOf(value: unknown): readonly SecretEffect[] {
  if (!isObject(value)) return [];
  const { hmac, reference, source } = value;
  return [{ reference: String(reference), source: String(source), hmac: textOf(hmac) }];
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
