import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Repository, runGit } from "../../git/run-git.js";
import { type ApproverFile, signersFor } from "./approver-file.js";
import { type FetchBounds, FetchProblem } from "./fetch-tip.js";
import { type SignatureTools, runSigned, signatureSettings } from "./signed-run.js";

/** A good signature. */
export interface TagSignature {
  /** `SHA256:…` */
  readonly key: string;
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
  return (await isStillGood(tag, file)) ? { key } : null;
}

const signatureBegins = Buffer.from("-----BEGIN SSH SIGNATURE-----");

/**
 * Whether the key of a tag may sign by the clock of this machine. Git asks that for the date in the tag, which is whatever
 * the signer wrote: with a key that has expired, a day on which it had not.
 */
async function isStillGood(tag: SignedTag, signers: string): Promise<boolean> {
  const { approver, bounds, clone, object, tools } = tag;
  const { deadline, signal } = bounds;
  const content = (await runGit(clone, ["cat-file", "tag", object])).stdout;
  const end = content.indexOf(signatureBegins);
  if (end === -1) return false;
  const signature = join(clone.gitDir, "approver-signature");
  await writeFile(signature, content.subarray(end), { mode: 0o600 });
  const args = ["-Y", "verify", "-n", "git", "-f", signers, "-I", approver, "-s", signature];
  return new Promise((resolve) => {
    const options = { cwd: clone.gitDir, env: clone.git.environment, timeout: deadline, signal, windowsHide: true };
    const child = execFile(tools.keygen, args, options, (error) => resolve(error === null));
    // It may end before it has read everything.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(content.subarray(0, end));
  });
}

const goodSignature = 'Good "git" signature for ';

/** Writes allowed signers where git reads them: in the clone, which one run at a time uses. */
export async function signersFile({ gitDir }: Repository, text: string): Promise<string> {
  const file = join(gitDir, "approver-keys");
  await writeFile(file, text, { mode: 0o600 });
  return file;
}
