import { writeFile } from "node:fs/promises";
import { type Repository, gitFailure, linesOf, repositoryRun, runGit, trustedProgram } from "../../git/run-git.js";
import type { FleetSource } from "../fleet/fleet.js";
import type { SourceRecord } from "../records.js";
import { FetchProblem, type Remote, commitAt, runToEnd, tooLarge } from "./fetch-tip.js";
import { type SourceCommit, directoryOf } from "./source-reader.js";
import { matchesWildcards } from "../../core/wildcards.js";
import { createHash } from "node:crypto";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import { limits } from "../../core/limits.js";
import { readBounded } from "../../files/read-bounded.js";
import { sizesOf } from "../../git/git-commit.js";

export async function checkDescent(
  clone: Repository,
  followed: string | null,
  tip: string,
  { accept, name }: FleetSource,
): Promise<void> {
  if (followed === null || tip === followed || accept.includes(tip)) return;
  const answer = await runGit(clone, ["merge-base", "--is-ancestor", followed, tip]);
  if (answer.ok) return;
  if (answer.exit !== 1 && (await commitAt(clone, followed)) !== null)
    throw gitFailure(`compare ${tip.slice(0, 12)} with ${followed.slice(0, 12)}`, answer);
  const why = `its tip ${tip.slice(0, 12)} does not descend from ${followed.slice(0, 12)}, which is followed`;
  const how = `history was rewritten. To follow it, list ${tip} below \`accept\` of the source ${name}`;
  throw new FetchProblem("rewound", `${why}: ${how}`);
}

type CommitRange = SignatureChecker &
  Readonly<{
    since: string | null;
    tip: string;
    paths: readonly string[];
  }>;

type CheckedTip = Readonly<{
  source: FleetSource;
  configs: readonly string[];
  remote: Remote;
  known: Pick<SourceRecord, "checked" | "followed">;
  files: SourceCommit;
  signedBy: string;
}>;

/**
 * Refuses a tip unless each commit that it brings to the stacks by its first parents, and each merge, is signed by one
 * of the allowed signers. What was checked up to the followed commit stays so.
 */
export async function checkSigned({ configs, files, known, remote, signedBy, source }: CheckedTip): Promise<void> {
  const { checked, followed } = known;
  const { commit: tip } = files;
  const held = checked?.signedBy === signedBy ? configs.filter((one) => checked.configs.includes(one)) : [];
  // The operator's word counts for one commit, and says nothing of who signed it.
  const isNamed = tip !== followed && (source.pin !== null || source.accept.includes(tip));
  const base = tip === followed || source.pin !== null || held.length === 0 ? null : followed;
  const unchecked = await stackDirectories(files, isNamed ? configs : configs.filter((one) => !held.includes(one)));
  if (base === null && unchecked.length === 0) return;
  await readSigners(signedBy);
  const directories = [...new Set(held.map((config) => directoryOf(config.replace(/\*.*$/su, "x"))))];
  const found = await files.directoryIds(directories);
  // A link may lead to what another directory holds.
  const isAll = directories.includes("") || [...found.values()].some(({ hasLinks }) => hasLinks);
  const since = await commitAt(remote.clone, base);
  const range = { ...(await signatureChecker(remote)), since, tip, paths: isAll ? [] : directories };
  const ranged = since === null ? [] : await listCommits(range, ["--first-parent"]);
  const last = await lastTouching(range, unchecked);
  // A merge may equal its first parent and still undo what its second one holds.
  const mergesAfter = async (from: string | null): Promise<readonly string[]> =>
    from === null ? [] : listCommits({ ...range, since: from, paths: [] }, ["--first-parent", "--merges"]);
  const commits = [ranged, last, await mergesAfter(since), await mergesAfter(last.at(-1) ?? null)].flat();
  const signatures = await signedCommits(range, [...new Set(commits)], signedBy);
  const unsigned = signatures.find(({ signer }) => signer === null);
  if (unsigned === undefined) return;
  const { commit, key } = unsigned;
  const why = key === null ? "is not signed by anyone in" : "is signed with a key that is not in";
  const signed = "a signed change of each stack that it touches";
  const how =
    since === null || last.includes(commit)
      ? `push ${signed}`
      : `sign it (git rebase --exec "git commit --amend --no-edit -S" ${since}) and push, or have the operator \`pin\` ${signed}`;
  throw new FetchProblem("unsigned", `commit ${commit.slice(0, 12)} ${why} ${signedBy}: ${how}`);
}

const listedAtOnce = 200;

/** By first parents, the last commit that touches each of some directories ("" = the top). */
async function lastTouching({ clone, tip }: CommitRange, directories: readonly string[]): Promise<readonly string[]> {
  const left = new Set(directories);
  const found = new Set<string>();
  // Git compares every path with every name: a few names are asked for, not thousands.
  const tops = left.has("") ? [] : [...new Set(directories.map((path) => path.split("/", 1)[0] ?? ""))];
  for (let [from, ended] = [tip, false]; left.size > 0 && !ended;) {
    const args = ["--first-parent", "-m", "--raw", "-r", "-z", "--no-renames", "--format=%H"];
    const listed = await runGit(clone, ["log", ...args, `--max-count=${listedAtOnce}`, from, "--", ...tops]);
    if (!listed.ok) throw unlistable(tip, listed.stderr);
    let commits = 0;
    const parts = listed.stdout.toString("utf8").split("\0").values();
    for (const part of parts) {
      const text = part.trimStart();
      // A path follows what changed at it: no name of a file is taken for a commit.
      if (text.startsWith(":")) {
        const path = parts.next().value ?? "";
        for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/")))) {
          if (left.delete(at)) found.add(from);
          if (at === "") break;
        }
      } else if (text !== "") {
        from = text;
        commits += 1;
      }
    }
    ended = commits < listedAtOnce;
  }
  if (left.size === 0) return [...found];
  throw new FetchProblem("unusable", `no commit is known that changed ${[...left][0] ?? ""}`);
}

/** Those of merged branches, too; a merge counts when it differs from a parent in the range. */
export async function readRange(
  range: CommitRange,
  signers: string,
  most: number,
): Promise<readonly SignedCommit[] | null> {
  const known = { ...range, since: await commitAt(range.clone, range.since) };
  const commits = await listCommits(known, [`--max-count=${most + 1}`, "--full-history"]);
  return commits.length > most ? null : signedCommits(range, commits, signers);
}

async function listCommits(range: CommitRange, options: readonly string[]): Promise<readonly string[]> {
  const { clone, paths, since, tip } = range;
  const from = since === null ? [] : [`^${since}`];
  const listed = await runGit(clone, ["rev-list", ...options, tip, ...from, "--", ...paths]);
  if (listed.ok) return linesOf(listed);
  throw unlistable(tip, listed.stderr);
}

function unlistable(tip: string, stderr: string): FetchProblem {
  return new FetchProblem("unusable", `the commits up to ${tip.slice(0, 12)} can't be listed: ${stderr}`);
}

async function stackDirectories(commit: SourceCommit, configs: readonly string[]): Promise<readonly string[]> {
  if (configs.length === 0) return [];
  const found = await Promise.all(
    configs.map(async (config) => (config.includes("*") ? commit.findConfigs(config) : [{ path: config }])),
  );
  const tree = await commit.tree("");
  for (const { path } of found.flat()) {
    if ((await tree.identity(path).catch(() => null)) === path) continue;
    throw new FetchProblem("unsigned", `${path} leads elsewhere, to what may be unsigned: commit it as a file`);
  }
  const ids = await commit.directoryIds([...new Set(found.flat().map(({ path }) => directoryOf(path)))]);
  return [...ids.keys()];
}

export interface SignatureChecker extends Remote {
  readonly keygen: string;
}

export async function signatureChecker(remote: Remote): Promise<SignatureChecker> {
  const { git, gitDir } = remote.clone;
  const keygen = await trustedProgram(git, "ssh-keygen", gitDir);
  if (keygen !== null) return { ...remote, keygen };
  throw new FetchProblem("unusable", "ssh-keygen, which checks signatures, is not on the PATH");
}

type SignedCommit = Readonly<{
  commit: string;
  signer: string | null;
  key: string | null;
  emails: readonly string[];
}>;

const commitsAtOnce = 100;

/** A key's times of validity count when the commit was made. */
async function signedCommits(
  checker: SignatureChecker,
  commits: readonly string[],
  signers: string,
): Promise<readonly SignedCommit[]> {
  const { clone, keygen } = checker;
  const large = (await sizesOf(clone, commits)).findIndex((size) => size > limits.commitBytes);
  if (large !== -1) throw new FetchProblem("too-large", tooLarge((commits[large] ?? "").slice(0, 12)));
  const settings = [
    "gpg.format=ssh",
    `gpg.ssh.allowedSignersFile=${signers}`,
    `gpg.ssh.program=${keygen}`,
    "gpg.ssh.revocationFile=",
    "gpg.ssh.defaultKeyCommand=",
    "gpg.minTrustLevel=fully",
    "gpg.openpgp.program=false",
    "gpg.x509.program=false",
  ].flatMap((setting) => ["-c", setting]);
  const format = ["%H", "%G?", "%GK", "%GS", "%ae", "%ce"].join("%x00");
  const found: SignedCommit[] = [];
  for (let from = 0; from < commits.length; from += commitsAtOnce) {
    const some = commits.slice(from, from + commitsAtOnce);
    const run = repositoryRun(clone, [...settings, "log", "--no-walk", `--format=${format}`, ...some, "--"]);
    // Git hands on the signature in a file, and a container may have no /tmp.
    const environment = { ...run.environment, TMPDIR: clone.gitDir };
    const { ok, stdout, stopped } = await runToEnd({ ...run, environment }, checker);
    if (stopped !== null) throw new FetchProblem("unreachable", "checking signatures was stopped");
    const lines = stdout.toString("utf8").split("\n").slice(0, -1);
    if (!ok || lines.length !== some.length)
      throw new FetchProblem("unusable", `the signatures of the commits up to ${some[0] ?? ""} can't be checked`);
    for (const line of lines) {
      const [commit = "", status = "", key = "", signer = "", ...emails] = line.split("\0");
      const isSigned = status === "G" || status === "U";
      found.push({ commit, signer: status === "G" ? signer : null, key: isSigned ? key : null, emails });
    }
  }
  return found;
}

/** `SHA256:…` of the principal's key, when it is valid now: a tag's date is whatever its signer wrote. */
export async function tagKey(
  { clone, deadline: timeout, keygen, signal }: SignatureChecker,
  tag: Readonly<{ signed: Buffer; signature: Buffer }>,
  signers: string,
  principal: string,
): Promise<string | null> {
  const signature = join(clone.gitDir, "approver-signature");
  await writeFile(signature, tag.signature, { mode: 0o600 });
  const args = ["-Y", "verify", "-n", "git", "-f", signers, "-I", principal, "-s", signature];
  const options = { cwd: clone.gitDir, env: clone.git.environment, timeout, signal, windowsHide: true };
  const said = await new Promise<string>((resolve) => {
    const child = execFile(keygen, args, options, (error, stdout) => resolve(error === null ? stdout : ""));
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(tag.signed);
  });
  if (signal.aborted) throw new FetchProblem("unreachable", "checking the signature was stopped");
  // `Good "git" signature for ann@example.com with ED25519 key SHA256:…`
  const start = `Good "git" signature for ${principal} with `;
  const good = said.split("\n").find((line) => line.startsWith(start));
  return good === undefined ? null : (good.split(" ").at(-1) ?? null);
}

type AllowedSigner = Readonly<{
  principals: readonly string[];
  key: string;
}>;

const mostBytes = 1024 * 1024;

export async function readSigners(path: string): Promise<readonly AllowedSigner[]> {
  let text: string;
  try {
    text = readBounded(path, { most: mostBytes }).toString("utf8");
  } catch (cause) {
    throw new EdgewiseError("io", `the allowed signers in ${path} can't be read`, { cause });
  }
  return text.split(/\r?\n/u).flatMap((line): AllowedSigner[] => {
    const [, quoted, plain, rest = ""] = /^(?:"([^"]*)"|([^\s"#]\S*))\s(.+)$/u.exec(line.trim()) ?? [];
    // No option's value is taken for a key.
    const options = rest.replaceAll(/"[^"]*"/gu, (value) => "_".repeat(value.length));
    const [, key] = /(?:^|\s)(?:sk-)?(?:ssh|ecdsa)-[\w@.-]+\s+([A-Za-z0-9+/=]+)/u.exec(options) ?? [];
    if (key === undefined) return [];
    const digest = createHash("sha256").update(Buffer.from(key, "base64")).digest("base64").replaceAll("=", "");
    return [{ principals: (quoted ?? plain ?? "").split(","), key: `SHA256:${digest}` }];
  });
}

export function keysOf(signers: readonly AllowedSigner[], principal: string): Set<string> {
  const isMatch = (pattern: string): boolean => matchesWildcards(pattern, principal, "?");
  // A negated pattern that matches excludes, as OpenSSH has it.
  const own = signers.filter(
    ({ principals }) =>
      principals.some((one) => !one.startsWith("!") && isMatch(one)) &&
      !principals.some((one) => one.startsWith("!") && isMatch(one.slice(1))),
  );
  return new Set(own.map(({ key }) => key));
}
