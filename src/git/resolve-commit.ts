import { EdgewiseError } from "../core/errors.js";
import { shellWord } from "../core/text.js";
import { findRepository } from "./find-repository.js";
import { type GitAnswer, type GitHost, type Repository, gitFailure, linesOf, runGit } from "./run-git.js";

/** An ambiguous name is refused: anyone who may push tags could name one `origin/main`. */
export async function resolveCommit(repository: Repository, ref: string): Promise<string> {
  // Git would search messages (`:/text`) or the index.
  if (ref === "" || ref.startsWith("-") || /[\s\p{Cc}:]/u.test(ref))
    throw new EdgewiseError(
      "git",
      `${JSON.stringify(ref)} is not the name of a commit or branch`,
      "Name a branch, a tag or a commit, like origin/main.",
    );
  const name = ref.slice(0, /[~^]|@\{/u.exec(ref)?.index ?? ref.length);
  // A tag must not stand for a missing branch.
  const isMissing = name.startsWith("refs/") && !(await runGit(repository, ["show-ref", "--verify", name])).ok;
  const answer = isMissing ? null : await revParse(repository, ref);
  const [commit = "", another] = answer === null ? [] : linesOf(answer);
  if (answer === null || another !== undefined || !isId(commit)) {
    const fetch = (await isShallow(repository))
      ? "This clone is shallow: fetch the rest with `git fetch --unshallow`, or"
      : "Fetch it first: `git fetch --all --tags`, or";
    throw new EdgewiseError(
      "git",
      `git does not know a commit or branch "${ref}"`,
      `${fetch} set \`fetch-depth: 0\` in the checkout step. \`git branch --all\` lists the branches.`,
    );
  }
  // Git would take the oldest place that it knows.
  if (/^warning: log for .* only /imu.test(answer.stderr)) {
    const remedy = "This clone doesn't record where that was. Name a branch, a tag or a commit id.";
    throw gitFailure(`resolve ${ref}`, answer, remedy);
  }
  // HEAD and full ids are never looked up.
  if (/^warning: refname .* is ambiguous/mu.test(answer.stderr) && !["", "@", "HEAD"].includes(name) && !isId(name))
    throw new EdgewiseError(
      "git",
      `"${ref}" is ambiguous: a tag, a branch or a commit has the same name as another`,
      `Give the full name, like ${shellWord(`refs/remotes/${name}`)} or ${shellWord(`refs/heads/${name}`)}.`,
    );
  return commit;
}

async function revParse(repository: Repository, ref: string): Promise<GitAnswer> {
  return runGit(repository, ["rev-parse", "--verify", `${ref}^{commit}`]);
}

function isId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u.test(text);
}

type BaseOptions = Readonly<{
  from?: string | null;
  /** The commit itself is the base. */
  direct?: boolean;
}>;

/** What a change is compared with: the merge base of the commit and where the change is. */
export async function resolveBase(
  repository: Repository,
  ref: string,
  { direct = false, from = null }: BaseOptions = {},
): Promise<Readonly<{ commit: string; isMergeBase: boolean }>> {
  const commit = await resolveCommit(repository, ref);
  if (direct) return { commit, isMergeBase: false };
  const branch = from === null ? "HEAD" : from.slice(0, 12);
  const found = await runGit(repository, ["merge-base", from ?? "HEAD", commit]);
  if (!found.ok && found.exit !== 1)
    throw gitFailure(`find the merge base of ${branch} and "${ref}"`, found, "Fetch the whole history.");
  const [mergeBase = ""] = linesOf(found);
  // A roll-back goes to an ancestor, and takes back the difference.
  if (mergeBase !== "")
    return mergeBase === from ? { commit, isMergeBase: false } : { commit: mergeBase, isMergeBase: true };
  const shallow = await isShallow(repository);
  const why = shallow ? ": this clone is shallow" : "";
  throw new EdgewiseError(
    "git",
    `${branch} and "${ref}" have no common commit${why}`,
    shallow
      ? "Fetch the whole history: set fetch-depth: 0 in the checkout step, or run git fetch --unshallow."
      : "Name a branch that shares history with this one.",
  );
}

async function isShallow(repository: Repository): Promise<boolean> {
  return linesOf(await runGit(repository, ["rev-parse", "--is-shallow-repository"]))[0] === "true";
}

/** Null without Git or a usable repository. */
export async function headCommit(directory: string, host: GitHost): Promise<string | null> {
  try {
    const [commit = ""] = linesOf(await revParse(await findRepository(directory, host), "HEAD"));
    return isId(commit) ? commit : null;
  } catch (error) {
    if (error instanceof EdgewiseError) return null;
    throw error;
  }
}
