import { linesOf, runGit } from "../../git/run-git.js";
import { visibleLine } from "../../core/visible.js";
import type { Approval } from "../records.js";
import {
  type AllowedSigner,
  type SignatureChecker,
  type SignedCommit,
  keysOf,
  literalPrincipals,
  readRange,
  readSigners,
  signatureChecker,
  tagKey,
} from "./check-tip.js";
import { FetchProblem, type Remote, fetchInto, runRemote } from "./fetch-tip.js";
import type { ApprovalAnswer, ApprovalQuestion } from "./source-reader.js";

const mostTags = 20;
const mostTagBytes = 64 * 1024;
const longestMessage = 500;
const mostCommits = 500;
const approverName = /^(?!-)[\w.+@%=-]{1,200}$/u;

export function approvalRefs({ digest, stack }: Pick<ApprovalQuestion, "stack" | "digest">): string {
  return `refs/tags/edgewise/approve/${stack}/${digest}/`;
}

export async function listRefs(remote: Remote, patterns: readonly string[]) {
  const answer = await runRemote(remote, ["ls-remote", "--quiet", "--refs"], patterns);
  if (!answer.ok) throw new FetchProblem("unreachable", `the tags of ${remote.address.url} can't be listed`);
  const lines = answer.stdout.toString("utf8").split("\n").slice(0, -1);
  return lines.flatMap((line) => {
    const [, object, ref] = /^([0-9a-f]{40,64})\t(refs\/\S+)$/u.exec(line) ?? [];
    return object === undefined || ref === undefined ? [] : [{ object, ref }];
  });
}

type Judging = Readonly<{
  question: ApprovalQuestion;
  checker: SignatureChecker;
  signers: readonly AllowedSigner[];
  isSigned: boolean;
  commits: readonly SignedCommit[];
}>;

/**
 * Fetches the tags that approve a digest, and verifies each: annotated, with its own name in it, signed by the approver
 * that its name says, who stands behind none of the commits that are approved.
 */
export async function readApprovalTags(
  remote: Remote,
  question: ApprovalQuestion,
  signedBy: string | null,
): Promise<ApprovalAnswer> {
  const approvers = await readSigners(question.approvers);
  const prefix = approvalRefs(question);
  const names = literalPrincipals(approvers);
  // Named one by one, no number of other tags hides one that counts.
  const patterns = names === null ? [`${prefix}*`] : names.map((name) => `${prefix}${name}`);
  const listed = patterns.length === 0 ? [] : await listRefs(remote, patterns);
  const wanted = listed
    .filter(({ ref }) => ref.startsWith(prefix))
    .map(({ ref }) => ({ ref, approver: ref.slice(prefix.length) }))
    .filter(({ approver }) => approverName.test(approver) && keysOf(approvers, approver).size > 0)
    .slice(0, mostTags)
    .map((one, index) => ({ ...one, own: `refs/edgewise/approve/${index}` }));
  if (wanted.length === 0) return { approvals: [], problems: [] };
  const refspecs = wanted.map(({ own, ref }) => `+${ref}:${own}`);
  if (!(await fetchInto(remote, refspecs))) throw new FetchProblem("missing", `a ref of ${remote.address.url} is gone`);
  const checker = await signatureChecker(remote);
  const commits = await commitsOf(checker, question, signedBy);
  if ("problem" in commits) return { approvals: [], problems: [`no tag can approve this: ${commits.problem}`] };
  const signers = signedBy === null ? approvers : [...approvers, ...(await readSigners(signedBy))];
  const judging = { question, checker, signers, isSigned: signedBy !== null, ...commits };
  const approvals: Approval[] = [];
  const problems: string[] = [];
  for (const one of wanted) {
    const verdict = await verifyOne(judging, one);
    if (typeof verdict !== "string") approvals.push(verdict);
    else problems.push(`the tag ${visibleLine(one.ref.slice("refs/tags/".length))} ${verdict}`);
  }
  return { approvals, problems };
}

type FetchedTag = Readonly<{
  ref: string;
  own: string;
  approver: string;
}>;

async function verifyOne(judging: Judging, { approver, own, ref }: FetchedTag): Promise<Approval | string> {
  const { checker, question } = judging;
  const { clone } = checker;
  const [object = ""] = linesOf(await runGit(clone, ["rev-parse", "--verify", "--quiet", own]));
  const [type = ""] = linesOf(await runGit(clone, ["cat-file", "-t", object]));
  if (type !== "tag") return "is not annotated: make it with `git tag -s`";
  const [size = ""] = linesOf(await runGit(clone, ["cat-file", "-s", object]));
  if (Number(size) > mostTagBytes) return "is too large";
  const text = (await runGit(clone, ["cat-file", "tag", object])).stdout.toString("utf8");
  const header = /^object [0-9a-f]{40,64}\ntype [a-z]+\ntag ([^\n]+)\ntagger [^\n]+\n\n/u.exec(text);
  if (header === null) return "is not a tag that git made";
  if (`refs/tags/${header[1] ?? ""}` !== ref) return "was made under another name";
  const key = await tagKey(checker, object, question.approvers, approver);
  if (key === null) return `is not signed by ${approver} with a key in ${question.approvers} that is valid today`;
  const conflict = ownCommit(judging, approver, key);
  if (conflict !== null) return conflict;
  const [body = ""] = text.slice(header[0].length).split("-----BEGIN SSH SIGNATURE-----", 1);
  const message = visibleLine(body.trim().replaceAll(/\s+/gu, " ")).slice(0, longestMessage);
  return { tag: object, digest: question.digest, approver, message };
}

async function commitsOf(
  checker: SignatureChecker,
  { approvers, directory, since, tip }: ApprovalQuestion,
  signedBy: string | null,
): Promise<{ readonly commits: readonly SignedCommit[] } | { readonly problem: string }> {
  const paths = directory === null || directory === "" ? [] : [directory];
  const commits = await readRange({ ...checker, since, tip, paths }, signedBy ?? approvers, mostCommits);
  const last = "the stack since it was last in sync";
  const how = "Apply it with `edgewise apply`, or revert and commit it again";
  if (commits === null) return { problem: `more than ${mostCommits} commits touch ${last}. ${how}` };
  const unsigned = signedBy === null ? undefined : commits.find(({ signer }) => signer === null);
  if (unsigned === undefined) return { commits };
  const what = `commit ${unsigned.commit.slice(0, 12)}, which touches ${last}, is not signed by anyone in`;
  return { problem: `${what} ${signedBy ?? ""}. ${how}, signed` };
}

function ownCommit({ commits, isSigned, signers }: Judging, approver: string, tagged: string): string | null {
  const keys = keysOf(signers, approver);
  const own = commits.find(
    ({ emails, key, signer }) =>
      signer === approver ||
      (key !== null && (key === tagged || keys.has(key))) ||
      (isSigned && emails.some((email) => email.toLowerCase() === approver.toLowerCase())),
  );
  if (own === undefined) return null;
  const behind = isSigned ? "wrote or signed" : "signed";
  return `is of who ${behind} commit ${own.commit.slice(0, 12)}: somebody else has to approve it`;
}
