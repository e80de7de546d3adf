import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import { sizesOf } from "../../git/git-commit.js";
import {
  type Git,
  type GitAnswer,
  type GitHost,
  type GitRun,
  type Repository,
  gitSettings,
  linesOf,
  repositoryRun,
  runGit,
  spawnGit,
  trustedProgram,
} from "../../git/run-git.js";
import { limits } from "../../core/limits.js";
import { cleanText, Redactor } from "../../redact.js";
import type { SourceProblem } from "../records.js";
import { type Refusal, type SourceAddress, fullRefs } from "./source-address.js";
import { shellWord } from "../../core/text.js";

export class FetchProblem extends Error {
  override readonly name = "FetchProblem";

  constructor(
    readonly code: SourceProblem["code"],
    message: string,
  ) {
    super(message);
  }
}

export function tooLarge(what: string): string {
  return `${what} is a commit or tag of more than ${limits.commitBytes / 1024 / 1024} MiB without its files`;
}

export type Remote = Omit<Ends, "isTooLarge"> &
  Readonly<{
    clone: Repository;
    address: SourceAddress;
    host: GitHost;
    /** `user:password`, or a token alone. */
    credentials: string | null;
    maxBytes: number;
  }>;

export async function fetchTip(remote: Remote, ref: string): Promise<string> {
  const candidates = fullRefs(ref);
  if ("problem" in candidates) throw refused(candidates);
  const { address, clone } = remote;
  const found: string[] = [];
  for (const [index, candidate] of candidates.entries()) {
    const own = `refs/edgewise/tip/${index}`;
    if (await fetchInto(remote, [`+${candidate}:${own}`])) found.push(own);
  }
  const [tip, other] = found;
  if (tip === undefined) throw new FetchProblem("missing", `${address.url} has no branch or tag "${ref}"`);
  if (other !== undefined) {
    const why = `"${ref}" is both a branch and a tag of ${address.url}`;
    throw new FetchProblem("unusable", `${why}; write ${candidates.join(" or ")} in \`ref\``);
  }
  const [size = 0] = await sizesOf(clone, [tip]);
  if (size > limits.commitBytes) throw new FetchProblem("too-large", tooLarge(ref));
  const commit = await commitAt(clone, tip);
  if (commit === null) throw new FetchProblem("unusable", `"${ref}" is a tag of something that is not a commit`);
  return commit;
}

export async function fetchCommit(remote: Remote, commit: string): Promise<boolean> {
  const { clone } = remote;
  const own = "refs/edgewise/pin";
  if ((await commitAt(clone, commit)) === null && !(await fetchInto(remote, [`+${commit}:${own}`]))) return false;
  return (await runGit(clone, ["update-ref", own, commit])).ok && (await commitAt(clone, commit)) === commit;
}

export async function commitAt(clone: Repository, revision: string | null): Promise<string | null> {
  if (revision === null) return null;
  const answer = await runGit(clone, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`]);
  return answer.ok ? (linesOf(answer)[0] ?? null) : null;
}

export async function packFiles(gitDir: string): Promise<readonly string[]> {
  return readdir(join(gitDir, "objects", "pack")).catch(() => []);
}

async function packedBytes(gitDir: string): Promise<number> {
  const directory = join(gitDir, "objects", "pack");
  const names = await packFiles(gitDir);
  const sizes = names.map(async (name) => (await lstat(join(directory, name)).catch(() => null))?.size ?? 0);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** False = the remote has not all of them. */
export async function fetchInto(remote: Remote, refspecs: readonly string[]): Promise<boolean> {
  const { clone, maxBytes } = remote;
  const before = await packedBytes(clone.gitDir);
  const answer = await runRemote(remote, fetchCommand, refspecs, async () => {
    return (await packedBytes(clone.gitDir)) - before > maxBytes;
  });
  if (answer.ok) return true;
  // What the remote says stands after `remote: `, and decides nothing.
  const own = answer.stderr.replaceAll(/^remote: .*$/gmu, "");
  if (answer.stopped === null && /couldn't find remote ref|not our ref/u.test(own)) return false;
  throw failed(remote, answer, own);
}

function failed({ address: { url }, credentials, ...bounds }: Remote, answer: EndedRun, own: string): FetchProblem {
  const megabytes = (bytes: number): string => `${bytes / 1024 / 1024} MiB`;
  if (answer.stopped === "deadline")
    return new FetchProblem("unreachable", `fetching ${url} took longer than ${bounds.deadline / 1000} s`);
  if (answer.stopped === "too-large")
    return new FetchProblem("too-large", `${url} sends more than ${megabytes(bounds.maxBytes)} at once`);
  if (answer.stopped === "aborted") return new FetchProblem("unreachable", `fetching ${url} was stopped`);
  if (/^(?:fatal|error): attempting to allocate \d+ over limit/mu.test(own)) {
    const most = megabytes(limits.gitAllocationBytes);
    return new FetchProblem("too-large", `${url} sends a commit, tag, tree or delta of more than ${most}`);
  }
  const message = `git can't fetch ${url}: ${withoutSecrets(answer.stderr, credentials)}`;
  if (/' not found|does not appear to be a git repository/u.test(own)) return new FetchProblem("missing", message);
  if (/returned error: 30\d/u.test(own))
    return new FetchProblem("unreachable", `${message}. It redirects: name the address that it leads to`);
  const isUnusable = /fsck|index-pack|unpack|mismatched algorithms|corrupt|bad object|object file|not a git repo/iu;
  return new FetchProblem(isUnusable.test(own) ? "unusable" : "unreachable", message);
}

function withoutSecrets(text: string, credentials: string | null): string {
  const redactor = new Redactor();
  for (const secret of credentials === null ? [] : [credentials, credentials.replace(/^[^:]*:/u, "")])
    redactor.addSecret(secret);
  return cleanText(text.replaceAll(/^hint: .*$/gmu, ""), redactor, 500);
}

export function refused({ problem }: Refusal): FetchProblem {
  return new FetchProblem("unusable", problem);
}

export function asProblem(error: unknown): FetchProblem {
  if (error instanceof FetchProblem) return error;
  if (error instanceof EdgewiseError) {
    const { message, remedy } = error;
    return new FetchProblem("unusable", remedy === null ? message : `${message}. ${remedy}`);
  }
  if (error instanceof Error && "code" in error) return new FetchProblem("unusable", error.message);
  throw error;
}

/** Nothing is taken on trust, nothing else is fetched, and large files stay packed. */
const fetchSettings = [
  "protocol.version=2",
  "fetch.fsckObjects=true",
  ...["badTimezone", "missingSpaceBeforeDate", "zeroPaddedFilemode"].map((flaw) => `fetch.fsck.${flaw}=ignore`),
  "fetch.unpackLimit=1",
  "fetch.writeCommitGraph=false",
  "transfer.bundleURI=false",
  "core.bigFileThreshold=1m",
  "pack.threads=1",
  // A redirect leads to a server that the operator did not name.
  "http.followRedirects=false",
  "http.proxy=",
  "http.sslVerify=true",
  "http.lowSpeedLimit=1000",
  "http.lowSpeedTime=60",
];

const fetchCommand = (
  "fetch --quiet --no-tags --no-write-fetch-head --no-recurse-submodules --no-auto-maintenance " +
  "--no-show-forced-updates --update-shallow --refmap="
).split(" ");

export async function runRemote(
  remote: Remote,
  command: readonly string[],
  refs: readonly string[],
  isTooLarge?: Ends["isTooLarge"],
): Promise<EndedRun> {
  const { address, clone } = remote;
  const settings = fetchSettings.flatMap((setting) => ["-c", setting]);
  const local = address.protocol === "file" ? [`--upload-pack=${uploadPack(clone.git, address.url)}`] : [];
  const run = repositoryRun(clone, [...settings, ...command, ...local, "--", address.url, ...refs]);
  const ends = isTooLarge === undefined ? remote : { ...remote, isTooLarge };
  return runToEnd({ ...run, environment: await fetchEnvironment(remote) }, ends);
}

/** Git with our settings, which override those of that repository. */
function uploadPack(git: Git, path: string): string {
  // Git takes an empty name of this program for a program.
  const settings = gitSettings.filter((setting) => !setting.startsWith("uploadpack."));
  const words = [...settings, `safe.directory=${path}`].flatMap((setting) => ["-c", setting]);
  return [git.program, ...words, "upload-pack"].map(shellWord).join(" ");
}

async function fetchEnvironment({ address, clone, credentials, host }: Remote): Promise<GitRun["environment"]> {
  const { HOME: home, ...rest } = clone.git.environment;
  const common = { ...rest, GIT_DIR: clone.gitDir, GIT_ALLOW_PROTOCOL: address.protocol };
  // The HTTP library would read passwords from a file in HOME.
  if (address.protocol !== "ssh") return { ...common, HOME: clone.workTree, ...authorization(address, credentials) };
  const ssh = await trustedProgram(clone.git, "ssh", clone.gitDir);
  if (ssh === null) throw new EdgewiseError("git", "ssh is not installed, or not on the PATH");
  const agent = host.env["SSH_AUTH_SOCK"];
  return {
    ...common,
    ...(home === undefined ? {} : { HOME: home }),
    ...(agent === undefined ? {} : { SSH_AUTH_SOCK: agent }),
    GIT_SSH_COMMAND: `${shellWord(ssh)} -o BatchMode=yes -o ConnectTimeout=30 -o ForwardAgent=no`,
    GIT_SSH_VARIANT: "ssh",
  };
}

function authorization({ protocol, url }: SourceAddress, credentials: string | null): GitRun["environment"] {
  if (credentials === null || protocol === "file") return {};
  const pair = credentials.includes(":") ? credentials : `x-access-token:${credentials}`;
  return {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `http.${url}.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${Buffer.from(pair, "utf8").toString("base64")}`,
  };
}

export type Ends = Readonly<{
  signal: AbortSignal;
  deadline: number;
  killGroup: (leader: number) => void;
  isTooLarge?: () => Promise<boolean>;
}>;

interface EndedRun extends GitAnswer {
  readonly stopped: "deadline" | "aborted" | "too-large" | null;
}

export const keptBytes = 64 * 1024;

const lookMs = 200;

/** Of what git starts (ssh, index-pack), nothing outlives this call. */
export function runToEnd(run: GitRun, ends: Ends): Promise<EndedRun> {
  return new Promise((resolve) => {
    const child = spawnGit(run);
    let [out, err] = [Buffer.alloc(0), Buffer.alloc(0)];
    let stopped: EndedRun["stopped"] = null;
    const kept = (before: Buffer, chunk: Buffer): Buffer<ArrayBuffer> =>
      Buffer.concat([before, chunk.subarray(0, keptBytes - before.length)]);

    const stop = (why: Exclude<EndedRun["stopped"], null>): void => {
      if (stopped !== null) return;
      stopped = why;
      if (child.pid !== undefined) ends.killGroup(child.pid);
      child.kill("SIGKILL");
    };
    const onAbort = (): void => stop("aborted");
    const deadline = setTimeout(() => stop("deadline"), ends.deadline);
    const look = setInterval(() => {
      void ends.isTooLarge?.().then((tooLarge) => {
        if (tooLarge) stop("too-large");
      });
    }, lookMs);

    const finish = (exit: number): void => {
      clearTimeout(deadline);
      clearInterval(look);
      ends.signal.removeEventListener("abort", onAbort);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ ok: exit === 0 && stopped === null, exit, stdout: out, stderr: err.toString("utf8").trim(), stopped });
    };
    child.stdout.on("data", (chunk: Buffer) => (out = kept(out, chunk)));
    child.stderr.on("data", (chunk: Buffer) => (err = kept(err, chunk)));
    child.stdin.on("error", () => undefined);
    child.stdin.end();
    child.on("error", (error) => {
      err = Buffer.from(error.message);
      finish(128);
    });
    child.on("close", (code) => finish(code ?? 128));
    // A process that shares the connection of ssh may hold the outputs open.
    child.on("exit", (code) => setTimeout(() => finish(code ?? 128), lookMs * 5).unref());
    if (ends.signal.aborted) onAbort();
    else ends.signal.addEventListener("abort", onAbort, { once: true });
  });
}
