import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { trustedProgram } from "../../git/git-program.js";
import { type Repository, repositoryRun } from "../../git/run-git.js";
import { type ApproverFile, signersFor } from "./approver-file.js";
import type { FetchNeeds } from "./fetch-environment.js";
import { type FetchBounds, FetchProblem } from "./fetch-tip.js";
import { type EndedRun, runToEnd } from "./run-to-end.js";
import { isStillGood } from "./still-good.js";

/** What signatures are checked with. */
export interface SignatureTools {
  /** The absolute path of ssh-keygen. */
  readonly keygen: string;
}

/** A good signature. */
export interface TagSignature {
  /** `SHA256:…` */
  readonly key: string;
}

/** @throws FetchProblem `unusable` when ssh-keygen is missing */
export async function signatureTools({ clone, host }: FetchNeeds): Promise<SignatureTools> {
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
export function runSigned(clone: Repository, args: readonly string[], bounds: FetchBounds): Promise<EndedRun> {
  const run = repositoryRun(clone, args);
  // Git hands the signature to ssh-keygen in a file, and a container may have no other place for one.
  return runToEnd({ ...run, environment: { ...run.environment, TMPDIR: clone.gitDir } }, bounds);
}

/** A tag whose signature is checked. */
export interface SignedTag {
  readonly clone: Repository;
  readonly tools: SignatureTools;
  readonly bounds: FetchBounds;
  /** The id of the tag object. */
  readonly object: string;
  readonly approvers: ApproverFile;
  readonly approver: string;
}

/** The signature of a tag, when it is good and the approver's own; else null. @throws FetchProblem when it was stopped */
export async function verifyTag(tag: SignedTag): Promise<TagSignature | null> {
  const { approver, approvers, bounds, clone, object, tools } = tag;
  const own = signersFor(approvers, approver);
  if (own === null) return null;
  const file = await signersFile(clone, own);
  const answer = await runSigned(clone, [...signatureSettings(tools, file), "verify-tag", "--raw", object], bounds);
  if (answer.stopped !== null) throw new FetchProblem("unreachable", "checking the signature was stopped");
  const said = `${answer.stdout.toString("utf8")}\n${answer.stderr}`.split("\n");
  const good = said.find((line) => line.startsWith(goodSignature))?.slice(goodSignature.length) ?? "";
  // `ann@example.com with ED25519 key SHA256:…`
  const [principal, , , , key] = good.split(" ");
  if (!answer.ok || principal !== approver || key === undefined) return null;
  const { deadline, signal } = bounds;
  const dated = { clone, keygen: tools.keygen, object, signers: file, approver, deadline, signal };
  return (await isStillGood(dated)) ? { key } : null;
}

const goodSignature = 'Good "git" signature for ';

/** Writes allowed signers where git reads them: in the clone, which one run at a time uses. */
export async function signersFile({ gitDir }: Repository, text: string): Promise<string> {
  const file = join(gitDir, "approver-keys");
  await writeFile(file, text, { mode: 0o600 });
  return file;
}
