import { type Repository, linesOf, runGit } from "../../git/run-git.js";
import type { ApprovalQuestion } from "./approval-reader.js";
import { type ApproverFile, everyKeyOf } from "./approver-file.js";
import { type FetchBounds, FetchProblem } from "./fetch-tip.js";
import { type SignatureTools, runSigned, signatureSettings } from "./signed-run.js";
import { type TagSignature, signersFile } from "./verify-tag.js";

/** Who signed what is approved? */
export interface SignerQuestion {
  readonly clone: Repository;
  readonly bounds: FetchBounds;
  readonly question: ApprovalQuestion;
  readonly tools: SignatureTools;
  /** All files that name keys of people. */
  readonly files: readonly ApproverFile[];
  readonly approver: string;
  readonly signature: TagSignature;
}

/** More commits than this are not judged. Each signature takes a program's run. */
const mostCommits = 500;

/**
 * A commit that touches the stack, since it was last in sync, and that the approver signed: with the key of the tag or any
 * other of theirs. Null = there is none. A merge counts when it holds changes of its own.
 * @throws FetchProblem when it can't be told
 */
export async function signedTouching(
  asked: SignerQuestion,
): Promise<{ readonly commit: string } | { readonly tooMany: number } | null> {
  const { approver, bounds, clone, files, question, signature, tools } = asked;
  const { directory, since, tip } = question;
  const known = since !== null && (await runGit(clone, ["cat-file", "-e", `${since}^{commit}`])).ok;
  const range = known ? [tip, `^${since}`] : [tip];
  const paths = directory === null || directory === "" ? [] : ["--", directory];
  const touching = [`--max-count=${mostCommits + 1}`, "--full-history", ...range, ...paths];
  const listed = await runGit(clone, ["rev-list", ...touching]);
  if (!listed.ok)
    throw new FetchProblem("unusable", `the commits that a tag approves can't be listed: ${listed.stderr}`);
  const commits = linesOf(listed);
  if (commits.length > mostCommits) return { tooMany: mostCommits };
  if (commits.length === 0) return null;
  const file = await signersFile(clone, everyKeyOf(files, approver));
  for (let from = 0; from < commits.length; from += commitsAtOnce) {
    const some = commits.slice(from, from + commitsAtOnce);
    const args = [...signatureSettings(tools, file), "log", "--no-walk", "--format=%H %G? %GK", ...some, "--"];
    const answer = await runSigned(clone, args, bounds);
    const lines = answer.stdout.toString("utf8").split("\n").slice(0, -1);
    if (!answer.ok || lines.length !== some.length)
      throw new FetchProblem("unusable", "the signatures of the commits that a tag approves can't be checked");
    for (const line of lines) {
      const [commit = "", status, key] = line.split(" ");
      // `G`, and what git says of a key that was valid at another time: a signature of the approver all the same.
      if (key === signature.key || (status !== "N" && status !== "U" && status !== "E" && status !== "B"))
        return { commit };
    }
  }
  return null;
}

const commitsAtOnce = 100;
