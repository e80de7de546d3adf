import { access, constants } from "node:fs/promises";
import { sizesOf } from "../../git/read-blobs.js";
import { type Repository, linesOf, runGit } from "../../git/run-git.js";
import { limits } from "../../core/limits.js";
import { type FetchBounds, FetchProblem, tooLarge } from "./fetch-tip.js";
import { type SignatureTools, runSigned, signatureSettings } from "./signed-run.js";

/** Commits that a tip brings. */
export interface CommitRange {
  readonly clone: Repository;
  readonly bounds: FetchBounds;
  readonly tools: SignatureTools;
  /** The commit before them, a full id; null = there is none. */
  readonly since: string | null;
  readonly tip: string;
  /** Only commits that touch one of these count; none = all commits do. */
  readonly paths: readonly string[];
}

/** A commit, and who stands behind it. */
export interface SignedCommit {
  readonly commit: string;
  /** Who signed it, when that is one of the allowed signers; null = nobody of them did. */
  readonly signer: string | null;
  /** `SHA256:…` of whatever key signed it; null = none did. */
  readonly key: string | null;
  /** The addresses of its author and its committer: what they say, not what anybody checked. */
  readonly emails: readonly string[];
}

/** Whether a range's beginning is known; the clone of a history that was rewritten may not hold it. */
async function knownSince({ clone, since }: CommitRange): Promise<string | null> {
  return since !== null && (await runGit(clone, ["cat-file", "-e", `${since}^{commit}`])).ok ? since : null;
}

/** What a tip brings to the stacks of a source. Of its range, only the first parents count. */
export interface Brought extends CommitRange {
  /** Nobody has checked these up to `since`: directories, "" = the top. */
  readonly unchecked: readonly string[];
}

/**
 * Refuses a tip unless each commit that it brings to some paths by its first parents, and each merge, is signed by one of
 * the allowed signers. Of each directory that was never checked, that is the last commit that touches it, with the merges
 * after it. A key's times of validity count when the commit was made. Signatures of other sorts than ssh count for nothing.
 * @param signers Git's file of allowed signers, absolute
 * @throws FetchProblem `unsigned`, or another when it can't be told
 */
export async function checkSignatures(brought: Brought, signers: string): Promise<void> {
  await access(signers, constants.R_OK).catch(() => {
    throw new FetchProblem("unusable", `the allowed signers in ${signers} can't be read`);
  });
  const since = await knownSince(brought);
  const ranged = since === null ? [] : await listCommits(brought, ["--first-parent"]);
  const last = await lastTouching(brought);
  // A merge may equal its first parent and still undo what its second one holds.
  const mergesAfter = async (from: string | null): Promise<readonly string[]> =>
    from === null ? [] : listCommits({ ...brought, since: from, paths: [] }, ["--first-parent", "--merges"]);
  const commits = [ranged, last, await mergesAfter(since), await mergesAfter(last.at(-1) ?? null)].flat();
  for await (const { commit, key, signer } of signedCommits(brought, [...new Set(commits)], signers)) {
    if (signer !== null) continue;
    const why = key === null ? "is not signed by anyone in" : "is signed with a key that is not in";
    const signed = "a signed change of each stack that it touches";
    const how =
      since === null || last.includes(commit)
        ? `push ${signed}`
        : `sign it (git rebase --exec "git commit --amend --no-edit -S" ${since}) and push, or have the operator \`pin\` ${signed}`;
    throw new FetchProblem("unsigned", `commit ${commit.slice(0, 12)} ${why} ${signers}: ${how}`);
  }
}

/** So many commits are listed at once: an output is bounded. */
const listedAtOnce = 200;

/** By first parents, the last commit that touches each directory that was never checked: the latest first, each once. */
async function lastTouching({ clone, tip, unchecked }: Brought): Promise<readonly string[]> {
  const left = new Set(unchecked);
  const found = new Set<string>();
  // Git compares every path with every name: thousands of directories are asked for as the few that hold them.
  const tops = left.has("") ? [] : [...new Set(unchecked.map((path) => path.split("/", 1)[0] ?? ""))];
  for (let [from, ended] = [tip, false]; left.size > 0 && !ended;) {
    const args = ["--first-parent", "-m", "--raw", "-r", "-z", "--no-renames", "--format=%H"];
    const listed = await runGit(clone, ["log", ...args, `--max-count=${listedAtOnce}`, from, "--", ...tops]);
    if (!listed.ok)
      throw new FetchProblem("unusable", `the commits up to ${tip.slice(0, 12)} can't be listed: ${listed.stderr}`);
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
  throw new FetchProblem("unusable", `nobody can tell which commit changed ${[...left][0] ?? ""} last`);
}

/**
 * All commits of a range, those of merged branches too; a merge counts when it differs from a parent in the range.
 * @param signers Git's file of allowed signers, absolute
 * @returns null when they are more than `most`
 * @throws FetchProblem when it can't be told
 */
export async function readRange(
  range: CommitRange,
  signers: string,
  most: number,
): Promise<readonly SignedCommit[] | null> {
  const known = { ...range, since: await knownSince(range) };
  const commits = await listCommits(known, [`--max-count=${most + 1}`, "--full-history"]);
  if (commits.length > most) return null;
  const read: SignedCommit[] = [];
  for await (const one of signedCommits(range, commits, signers)) read.push(one);
  return read;
}

async function listCommits(range: CommitRange, options: readonly string[]): Promise<readonly string[]> {
  const { clone, paths, since, tip } = range;
  const from = since === null ? [] : [`^${since}`];
  const listed = await runGit(clone, ["rev-list", ...options, tip, ...from, "--", ...paths]);
  if (listed.ok) return linesOf(listed);
  throw new FetchProblem("unusable", `the commits up to ${tip.slice(0, 12)} can't be listed: ${listed.stderr}`);
}

const commitsAtOnce = 100;

async function* signedCommits(
  { bounds, clone, tools }: CommitRange,
  commits: readonly string[],
  signers: string,
): AsyncGenerator<SignedCommit> {
  for (const { object, size } of await sizesOf(clone, commits)) {
    if (size > limits.commitBytes) throw new FetchProblem("too-large", tooLarge(object));
  }
  const format = ["%H", "%G?", "%GK", "%GS", "%ae", "%ce"].join("%x00");
  for (let from = 0; from < commits.length; from += commitsAtOnce) {
    const some = commits.slice(from, from + commitsAtOnce);
    const args = [...signatureSettings(tools, signers), "log", "--no-walk", `--format=${format}`, ...some, "--"];
    const answer = await runSigned(clone, args, bounds);
    if (answer.stopped !== null) throw new FetchProblem("unreachable", "checking signatures was stopped");
    const lines = answer.stdout.toString("utf8").split("\n").slice(0, -1);
    if (!answer.ok || lines.length !== some.length)
      throw new FetchProblem("unusable", `the signatures of the commits up to ${some[0] ?? ""} can't be checked`);
    for (const line of lines) {
      const [commit = "", status = "", key = "", signer = "", ...emails] = line.split("\0");
      // `G`: a good signature of an allowed signer; `U`: of somebody else.
      yield { commit, signer: status === "G" ? signer : null, key: /^[GU]$/u.test(status) ? key : null, emails };
    }
  }
}
