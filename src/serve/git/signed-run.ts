import { trustedProgram } from "../../git/git-program.js";
import { type Repository, repositoryRun } from "../../git/run-git.js";
import type { FetchNeeds } from "./fetch-environment.js";
import { FetchProblem } from "./fetch-tip.js";
import { type EndedRun, type Ends, runToEnd } from "./run-to-end.js";

/** What signatures are checked with. */
export interface SignatureTools {
  /** The absolute path of ssh-keygen. */
  readonly keygen: string;
}

/** @throws FetchProblem `unusable` when ssh-keygen is missing */
export async function signatureTools({ clone, host }: Pick<FetchNeeds, "clone" | "host">): Promise<SignatureTools> {
  const keygen = await trustedProgram(clone.git, "ssh-keygen", { host, workTree: clone.gitDir });
  if (keygen === null)
    throw new FetchProblem("unusable", "ssh-keygen is needed to check signatures, and is not on the PATH");
  return { keygen };
}

/** The settings with which git checks ssh's signatures against a file, and runs nothing else. */
export function signatureSettings({ keygen }: SignatureTools, signers: string): readonly string[] {
  return [
    "gpg.format=ssh",
    `gpg.ssh.allowedSignersFile=${signers}`,
    `gpg.ssh.program=${keygen}`,
    "gpg.ssh.revocationFile=",
    "gpg.ssh.defaultKeyCommand=",
    "gpg.minTrustLevel=fully",
    "gpg.program=false",
    "gpg.openpgp.program=false",
    "gpg.x509.program=false",
  ].flatMap((setting) => ["-c", setting]);
}

/** A run of git in a clone that checks signatures. */
export function runSigned(clone: Repository, args: readonly string[], ends: Ends): Promise<EndedRun> {
  const run = repositoryRun(clone, args);
  // Git hands the signature to ssh-keygen in a file, and a container may have no other place for one.
  return runToEnd({ ...run, environment: { ...run.environment, TMPDIR: clone.gitDir } }, ends);
}
