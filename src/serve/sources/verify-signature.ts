import { access, constants } from "node:fs/promises";
import type { GitHost } from "../../git/git-program.js";
import type { Repository } from "../../git/run-git.js";
import { FetchProblem } from "./fetch-tip.js";
import type { Ends } from "./run-to-end.js";
import { runSigned, signatureSettings, signatureTools } from "./signed-run.js";

/** A commit, and who may have signed it. */
export interface SignatureCheck {
  readonly clone: Repository;
  readonly host: GitHost;
  readonly commit: string;
  /** Git's file of allowed signers, absolute. */
  readonly signers: string;
}

/**
 * Refuses a commit that none of the allowed signers signed. A key's times of validity count when the commit was made.
 * Signatures of other sorts than ssh count for nothing.
 * @throws FetchProblem `unsigned`, or `unusable` when it can't be told
 */
export async function checkSignature(check: SignatureCheck, ends: Ends): Promise<void> {
  const { clone, commit, signers } = check;
  const tools = await signatureTools(check);
  await access(signers, constants.R_OK).catch(() => {
    throw new FetchProblem("unusable", `the allowed signers in ${signers} can't be read`);
  });
  const args = [...signatureSettings(tools, signers), "verify-commit", "--raw", "--", commit];
  const answer = await runSigned(clone, args, ends);
  if (answer.ok) return;
  if (answer.stopped !== null) throw new FetchProblem("unreachable", "checking the signature was stopped");
  const short = commit.slice(0, 12);
  const why = /Good "git" signature/u.test(answer.stderr)
    ? "is signed with a key that is not in"
    : "is not signed by anyone in";
  throw new FetchProblem("unsigned", `commit ${short} ${why} ${signers}`);
}
