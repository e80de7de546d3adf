import { linesOf, repositoryRun, runGit } from "../../git/run-git.js";
import type { Approval } from "../records.js";
import { visibleLine } from "../../text/visible.js";
import type { ApprovalAnswer, ApprovalQuestion } from "./approval-reader.js";
import { type ApproverFile, everyKeyOf, literalPrincipals, signersFor } from "./approver-file.js";
import { type SignedCommit, readRange } from "./commit-signers.js";
import { type FetchNeeds, fetchEnvironment, listArguments } from "./fetch-environment.js";
import { type FetchBounds, FetchProblem, fetchRefs } from "./fetch-tip.js";
import { runToEnd } from "./run-to-end.js";
import { type SignatureTools, signatureTools } from "./signed-run.js";
import { type TagSignature, verifyTag } from "./verify-tag.js";

/** So many tags of one digest are fetched and verified: as many people as anybody would ask. */
const mostTags = 20;

/** Larger tags say more than anybody reads, in bytes. */
const mostTagBytes = 64 * 1024;

/** So many characters of what an approver wrote are kept. */
const longestMessage = 500;

/** A ref of the remote, and the object that it named when it was listed. */
interface ListedTag {
  readonly ref: string;
  readonly object: string;
}

/** What all tags that approve a digest begin with. */
export function approvalRefs({ digest, stack }: Pick<ApprovalQuestion, "stack" | "digest">): string {
  return `refs/tags/edgewise/approve/${stack}/${digest}/`;
}

/**
 * Lists refs of a remote by what they begin with, or by their names. Only these are sent; of the list, the beginning counts.
 * @throws FetchProblem
 */
export async function listRefs(
  needs: FetchNeeds,
  patterns: readonly string[],
  bounds: FetchBounds,
): Promise<readonly ListedTag[]> {
  const environment = await fetchEnvironment(needs);
  const answer = await runToEnd({ ...repositoryRun(needs.clone, listArguments(needs, patterns)), environment }, bounds);
  if (!answer.ok) throw new FetchProblem("unreachable", `the tags of ${needs.address.url} can't be listed`);
  return answer.stdout
    .toString("utf8")
    .split("\n")
    .slice(0, -1)
    .flatMap((line) => {
      const [, object, ref] = /^([0-9a-f]{40,64})\t(refs\/\S+)$/u.exec(line) ?? [];
      return object === undefined || ref === undefined ? [] : [{ object, ref }];
    });
}

/** What the verification of tags needs. */
export interface TagNeeds {
  readonly needs: FetchNeeds;
  readonly bounds: FetchBounds;
  readonly question: ApprovalQuestion;
  readonly approvers: ApproverFile;
  /** The allowed signers of commits, and their file; null = anybody may. */
  readonly signedBy: { readonly file: string; readonly signers: ApproverFile } | null;
}

/**
 * Fetches the tags that approve a digest, and verifies each: annotated, with its own name in it, signed by the approver
 * that its name says, who stands behind none of the commits that are approved.
 * @throws FetchProblem, EdgewiseError `git`
 */
export async function readApprovalTags(tags: TagNeeds): Promise<ApprovalAnswer> {
  const { approvers, bounds, needs, question } = tags;
  const prefix = approvalRefs(question);
  const names = literalPrincipals(approvers);
  // Named one by one, no number of other tags hides one that counts.
  const patterns = names === null ? [`${prefix}*`] : names.map((name) => `${prefix}${name}`);
  const listed = patterns.length === 0 ? [] : await listRefs(needs, patterns, bounds);
  const problems: string[] = [];
  const found = listed.filter(({ ref }) => ref.startsWith(prefix) && isApprover(ref.slice(prefix.length)));
  const wanted = found.filter(({ ref }) => signersFor(approvers, ref.slice(prefix.length)) !== null).slice(0, mostTags);
  if (wanted.length === 0) return { approvals: [], problems };
  const own = (index: number): string => `refs/edgewise/approve/${index}`;
  await fetchRefs(
    needs,
    wanted.map(({ ref }, index) => `+${ref}:${own(index)}`),
    bounds,
  );
  const tools = await signatureTools(needs);
  const range = await rangeOf(tags, tools);
  if ("problem" in range) return { approvals: [], problems: [`no tag can approve this: ${range.problem}`] };
  const approvals: Approval[] = [];
  for (const [index, { ref }] of wanted.entries()) {
    const one = { own: own(index), ref, approver: ref.slice(prefix.length), commits: range.commits };
    const verdict = await verifyOne(tags, tools, one);
    if ("problem" in verdict)
      problems.push(`the tag ${visibleLine(ref.slice("refs/tags/".length))} ${verdict.problem}`);
    else approvals.push(verdict);
  }
  return { approvals, problems };
}

/** What can be a principal and the last part of a ref. */
function isApprover(name: string): boolean {
  return /^[\w.+@%=-]{1,200}$/u.test(name) && !name.startsWith("-");
}

interface OneTag {
  /** Where it was fetched to. */
  readonly own: string;
  /** Its name at the remote. */
  readonly ref: string;
  readonly approver: string;
  /** What it would approve. */
  readonly commits: readonly SignedCommit[];
}

type Verdict = Approval | { readonly problem: string };

async function verifyOne(tags: TagNeeds, tools: SignatureTools, one: OneTag): Promise<Verdict> {
  const { approver, own, ref } = one;
  const { clone } = tags.needs;
  const [object = ""] = linesOf(await runGit(clone, ["rev-parse", "--verify", "--quiet", own]));
  const [type = ""] = linesOf(await runGit(clone, ["cat-file", "-t", object]));
  if (type !== "tag") return { problem: "is not annotated: make it with `git tag -s`" };
  const [size = ""] = linesOf(await runGit(clone, ["cat-file", "-s", object]));
  if (Number(size) > mostTagBytes) return { problem: "is too large" };
  const text = (await runGit(clone, ["cat-file", "tag", object])).stdout.toString("utf8");
  const content = tagContent(text);
  if (content === null) return { problem: "is not a tag that git made" };
  if (`refs/tags/${content.name}` !== ref) return { problem: "holds another name: it was made as another tag" };
  const signature = await verifyTag({ ...tags, clone, tools, object, approver });
  if (signature === null)
    return { problem: `is not signed by ${approver} with a key in ${tags.question.approvers} that is valid today` };
  const conflict = ownCommit(tags, one, signature);
  if (conflict !== null) return { problem: conflict };
  const message = visibleLine(content.message.trim().replaceAll(/\s+/gu, " ")).slice(0, longestMessage);
  return { tag: object, digest: tags.question.digest, approver, message };
}

/** More commits than this are not judged. Each signature takes a program's run. */
const mostCommits = 500;

/** The commits that a tag would approve, when all that must be signed are. */
async function rangeOf(
  { bounds, needs, question, signedBy }: TagNeeds,
  tools: SignatureTools,
): Promise<{ readonly commits: readonly SignedCommit[] } | { readonly problem: string }> {
  const { directory, since, tip } = question;
  const paths = directory === null || directory === "" ? [] : [directory];
  const range = { clone: needs.clone, bounds, tools, since, tip, paths };
  const commits = await readRange(range, signedBy?.file ?? question.approvers, mostCommits);
  const last = "the stack since it was last in sync";
  const how = "Apply it with `edgewise apply`, or revert it and, once the stack is synced, commit it again";
  if (commits === null) return { problem: `more than ${mostCommits} commits touch ${last}. ${how}` };
  const unsigned = signedBy === null ? undefined : commits.find(({ signer }) => signer === null);
  if (unsigned === undefined) return { commits };
  const what = `commit ${unsigned.commit.slice(0, 12)}, which touches ${last}, is not signed by anyone in`;
  return { problem: `${what} ${signedBy?.file ?? ""}. ${how}, signed` };
}

/** What approver and commits have in common that nobody may approve; null = nothing. */
function ownCommit({ approvers, signedBy }: TagNeeds, { approver, commits }: OneTag, signature: TagSignature) {
  const keys = everyKeyOf([approvers, ...(signedBy === null ? [] : [signedBy.signers])], approver);
  const isOwn = ({ emails, key, signer }: SignedCommit): boolean =>
    signer === approver ||
    (key !== null && (key === signature.key || keys.has(key))) ||
    // Where nobody has to sign, an address is whatever somebody wrote.
    (signedBy !== null && emails.some((email) => email.toLowerCase() === approver.toLowerCase()));
  const found = commits.find(isOwn);
  if (found === undefined) return null;
  const behind = signedBy === null ? "signed" : "wrote or signed";
  return `is signed by who ${behind} commit ${found.commit.slice(0, 12)}, which it would approve: somebody else has to`;
}

/** The parts of a tag object that count; null when it is not in the form in which git makes it. */
function tagContent(text: string): { readonly name: string; readonly message: string } | null {
  const header = /^object [0-9a-f]{40,64}\ntype [a-z]+\ntag ([^\n]+)\ntagger [^\n]+\n\n/u.exec(text);
  if (header === null) return null;
  const body = text.slice(header[0].length);
  const signature = body.indexOf("-----BEGIN SSH SIGNATURE-----");
  return { name: header[1] ?? "", message: signature === -1 ? body : body.slice(0, signature) };
}
