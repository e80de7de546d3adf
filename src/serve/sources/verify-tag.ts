import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Repository } from "../../git/run-git.js";
import { type ApproverFile, signersFor } from "./approver-file.js";
import { type FetchBounds, FetchProblem } from "./fetch-tip.js";
import { type SignatureTools, runSigned, signatureSettings } from "./signed-run.js";
import { isStillGood } from "./still-good.js";

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
