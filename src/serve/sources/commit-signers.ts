import { access, constants } from "node:fs/promises";
import { sizesOf } from "../../git/read-blobs.js";
import { type Repository, linesOf, runGit } from "../../git/run-git.js";
import { limits } from "../../limits.js";
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

/**
 * Refuses a tip unless each commit that it brings to some paths by its first parents is signed by one of the allowed
 * signers. Before anything was followed that is the last such commit alone, with the merges after it. A key's times of validity count when the commit
 * was made. Signatures of other sorts than ssh count for nothing.
 * @param signers Git's file of allowed signers, absolute
 * @throws FetchProblem `unsigned`, or another when it can't be told
 */
export async function checkSignatures(range: CommitRange, signers: string): Promise<void> {
  await access(signers, constants.R_OK).catch(() => {
    throw new FetchProblem("unusable", `the allowed signers in ${signers} can't be read`);
  });
  const since = await knownSince(range);
  const chain = { ...range, since };
  const touching = await listCommits(chain, ["--first-parent", ...(since === null ? ["--max-count=1"] : [])]);
  // A merge may equal its first parent and still undo what its second one holds.
  const merging = { ...chain, since: since ?? touching[0] ?? null, paths: [] };
  const merges = await listCommits(merging, ["--first-parent", "--merges"]);
  for await (const { commit, key, signer } of signedCommits(range, [...new Set([...touching, ...merges])], signers)) {
    if (signer !== null) continue;
    const why = key === null ? "is not signed by anyone in" : "is signed with a key that is not in";
    const anew =
      since === null ? "" : `sign it (git rebase --exec "git commit --amend --no-edit -S" ${since}) and push, or `;
    const how = `${anew}have the operator \`pin\` a signed commit after it`;
    throw new FetchProblem("unsigned", `commit ${commit.slice(0, 12)} ${why} ${signers}: ${how}`);
  }
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
