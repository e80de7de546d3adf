import { linesOf, runGit } from "../../git/run-git.js";
import { visibleLine } from "../../core/visible.js";
import type { Approval } from "../records.js";
import { type SignatureChecker, keysOf, readRange, readSigners, signatureChecker, tagKey } from "./check-tip.js";
import { FetchProblem, type Remote, fetchInto, keptBytes, runRemote } from "./fetch-tip.js";
import type { ApprovalAnswer, ApprovalQuestion } from "./source-reader.js";

const mostTags = 20;
const mostNames = 200;
const mostTagBytes = 64 * 1024;
const longestMessage = 500;
const mostCommits = 500;
const approverName = /^(?!-)[\w.+@%=-]{1,200}$/u;

export function approvalRefs({ digest, stack }: Pick<ApprovalQuestion, "stack" | "digest">): string {
  return `refs/tags/edgewise/approve/${stack}/${digest}/`;
}

export async function listRefs(remote: Remote, patterns: readonly string[]) {
  const { ok, stdout } = await runRemote(remote, ["ls-remote", "--quiet", "--refs"], patterns);
  if (!ok) throw new FetchProblem("unreachable", `the tags of ${remote.address.url} can't be listed`);
  if (stdout.length >= keptBytes)
    throw new FetchProblem("too-large", `${remote.address.url} has too many tags like ${patterns[0] ?? ""}`);
  return stdout
    .toString("utf8")
    .split("\n")
    .flatMap((line) => {
      const [, object, ref] = /^([0-9a-f]{40,64})\t(refs\/\S+)$/u.exec(line) ?? [];
      return object === undefined || ref === undefined ? [] : [{ object, ref }];
    });
}

/** An approver stands behind none of the commits that are approved. */
export async function readApprovalTags(
  remote: Remote,
  question: ApprovalQuestion,
  signedBy: string | null,
): Promise<ApprovalAnswer> {
  const approvers = await readSigners(question.approvers);
  const prefix = approvalRefs(question);
  const names = approvers.flatMap(({ principals }) => principals);
  const isNamed = names.length > 0 && names.length <= mostNames && names.every((name) => approverName.test(name));
  // Named one by one, no number of other tags hides one that counts.
  const wanted = (await listRefs(remote, isNamed ? names.map((name) => prefix + name) : [`${prefix}*`]))
    .filter(({ ref }) => ref.startsWith(prefix))
    .map(({ ref }, index) => ({ ref, approver: ref.slice(prefix.length), own: `refs/edgewise/approve/${index}` }))
    .filter(({ approver }) => approverName.test(approver) && keysOf(approvers, approver).size > 0)
    .slice(0, mostTags);
  if (wanted.length === 0) return { approvals: [], problems: [] };
  const refspecs = wanted.map(({ own, ref }) => `+${ref}:${own}`);
  if (!(await fetchInto(remote, refspecs))) throw new FetchProblem("missing", `a ref of ${remote.address.url} is gone`);
  const checker = await signatureChecker(remote);
  const { commits, problem } = await commitsOf(checker, question, signedBy);
  if (problem !== null) return { approvals: [], problems: [`no tag can approve this: ${problem}`] };
  const signers = signedBy === null ? approvers : [...approvers, ...(await readSigners(signedBy))];
  const approvals: Approval[] = [];
  const problems: string[] = [];
  for (const { approver, own, ref } of wanted) {
    const verdict = await verifyTag(checker, question, { approver, own, ref });
    if (typeof verdict === "string") {
      problems.push(`the tag ${visibleLine(ref.slice("refs/tags/".length))} ${verdict}`);
      continue;
    }
    const { key, ...approval } = verdict;
    const keys = keysOf(signers, approver).add(key);
    const commit = commits.find(
      (one) =>
        one.signer === approver ||
        (one.key !== null && keys.has(one.key)) ||
        (signedBy !== null && one.emails.some((email) => email.toLowerCase() === approver.toLowerCase())),
    );
    if (commit === undefined) approvals.push(approval);
    else {
      const behind = signedBy === null ? "signed" : "wrote or signed";
      const why = `is of who ${behind} commit ${commit.commit.slice(0, 12)}: somebody else has to approve it`;
      problems.push(`the tag ${visibleLine(ref.slice("refs/tags/".length))} ${why}`);
    }
  }
  return { approvals, problems };
}

type FetchedTag = Readonly<{ ref: string; own: string; approver: string }>;

const signatureBegins = "-----BEGIN SSH SIGNATURE-----";

async function verifyTag(
  checker: SignatureChecker,
  { approvers, digest }: ApprovalQuestion,
  { approver, own, ref }: FetchedTag,
): Promise<(Approval & Readonly<{ key: string }>) | string> {
  const { clone } = checker;
  const format = "--format=%(objectname) %(objecttype) %(objectsize)";
  const [line = ""] = linesOf(await runGit(clone, ["for-each-ref", format, own]));
  const [tag = "", type = "", size = ""] = line.split(" ");
  if (type !== "tag") return "is not annotated: make it with `git tag -s`";
  if (Number(size) > mostTagBytes) return "is too large";
  const content = (await runGit(clone, ["cat-file", "tag", tag])).stdout;
  const end = content.includes(signatureBegins) ? content.indexOf(signatureBegins) : content.length;
  const signed = content.subarray(0, end);
  const text = signed.toString("utf8");
  const header = /^object [0-9a-f]{40,64}\ntype [a-z]+\ntag ([^\n]+)\ntagger [^\n]+\n\n/u.exec(text);
  if (header === null) return "is not a tag that git made";
  if (`refs/tags/${header[1] ?? ""}` !== ref) return "was made under another name";
  const key = await tagKey(checker, { signed, signature: content.subarray(end) }, approvers, approver);
  if (key === null) return `is not signed by ${approver} with a key in ${approvers} that is valid today`;
  const message = visibleLine(text.slice(header[0].length).trim().replaceAll(/\s+/gu, " ")).slice(0, longestMessage);
  return { tag, digest, approver, message, key };
}

async function commitsOf(
  checker: SignatureChecker,
  { approvers, directory, since, tip }: ApprovalQuestion,
  signedBy: string | null,
) {
  const paths = directory === null || directory === "" ? [] : [directory];
  const commits = await readRange({ ...checker, since, tip, paths }, signedBy ?? approvers, mostCommits);
  const last = "the stack since it was last in sync";
  const how = "Apply it with `edgewise apply`, or revert and commit it again";
  if (commits === null) return { commits: [], problem: `more than ${mostCommits} commits touch ${last}. ${how}` };
  const unsigned = signedBy === null ? undefined : commits.find(({ signer }) => signer === null);
  if (unsigned === undefined) return { commits, problem: null };
  const what = `commit ${unsigned.commit.slice(0, 12)}, which touches ${last}, is not signed by anyone in`;
  return { commits: [], problem: `${what} ${signedBy ?? ""}. ${how}, signed` };
}
