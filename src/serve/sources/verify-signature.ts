import { access, constants } from "node:fs/promises";
import type { GitHost } from "../../git/git-program.js";
import { trustedProgram } from "../../git/git-program.js";
import { type Repository, repositoryRun } from "../../git/run-git.js";
import { FetchProblem } from "./fetch-tip.js";
import { type Ends, runToEnd } from "./run-to-end.js";

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
  const { clone, commit, host, signers } = check;
  const keygen = await trustedProgram(clone.git, "ssh-keygen", { host, workTree: clone.gitDir });
  if (keygen === null)
    throw new FetchProblem("unusable", "ssh-keygen is needed to check signatures, and is not on the PATH");
  await access(signers, constants.R_OK).catch(() => {
    throw new FetchProblem("unusable", `the allowed signers in ${signers} can't be read`);
  });
  const settings = [
    "gpg.format=ssh",
    `gpg.ssh.allowedSignersFile=${signers}`,
    `gpg.ssh.program=${keygen}`,
    "gpg.ssh.revocationFile=",
    "gpg.ssh.defaultKeyCommand=",
    "gpg.minTrustLevel=fully",
    "gpg.program=false",
    "gpg.openpgp.program=false",
    "gpg.x509.program=false",
  ];
  const args = [...settings.flatMap((setting) => ["-c", setting]), "verify-commit", "--raw", "--", commit];
  const run = repositoryRun(clone, args);
  // Git hands the signature to ssh-keygen in a file, and a container may have no other place for one.
  const environment = { ...run.environment, TMPDIR: clone.gitDir };
  const answer = await runToEnd({ ...run, environment }, ends);
  if (answer.ok) return;
  if (answer.stopped !== null) throw new FetchProblem("unreachable", "checking the signature was stopped");
  const short = commit.slice(0, 12);
  const why = /Good "git" signature/u.test(answer.stderr)
    ? "is signed with a key that is not in"
    : "is not signed by anyone in";
  throw new FetchProblem("unsigned", `commit ${short} ${why} ${signers}`);
}
