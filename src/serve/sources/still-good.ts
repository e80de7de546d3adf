import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Repository, runGit } from "../../git/run-git.js";

/** A tag that git found well signed. */
export interface DatedTag {
  readonly clone: Repository;
  /** The absolute path of ssh-keygen. */
  readonly keygen: string;
  /** The id of the tag object. */
  readonly object: string;
  /** The file of allowed signers. */
  readonly signers: string;
  readonly approver: string;
  /** Milliseconds. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}

const signatureBegins = Buffer.from("-----BEGIN SSH SIGNATURE-----");

/**
 * Whether the key of a tag may sign by the clock of this machine. Git asks that for the date in the tag, which is whatever
 * the signer wrote: with a key that has expired, a day on which it had not.
 */
export async function isStillGood(tag: DatedTag): Promise<boolean> {
  const { approver, clone, deadline, keygen, object, signal, signers } = tag;
  const content = (await runGit(clone, ["cat-file", "tag", object])).stdout;
  const end = content.indexOf(signatureBegins);
  if (end === -1) return false;
  const signature = join(clone.gitDir, "approver-signature");
  await writeFile(signature, content.subarray(end), { mode: 0o600 });
  const args = ["-Y", "verify", "-n", "git", "-f", signers, "-I", approver, "-s", signature];
  return new Promise((resolve) => {
    const options = { cwd: clone.gitDir, env: clone.git.environment, timeout: deadline, signal, windowsHide: true };
    const child = execFile(keygen, args, options, (error) => resolve(error === null));
    // It may end before it has read everything.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(content.subarray(0, end));
  });
}
