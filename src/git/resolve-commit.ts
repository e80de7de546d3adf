import { EdgewiseError } from "../core/errors.js";
import { shellWord } from "../core/shell-word.js";
import { findRepository } from "./find-repository.js";
import type { GitHost } from "./git-program.js";
import { type Repository, gitFailure, linesOf, runGit } from "./run-git.js";

/**
 * The full id of the commit that a ref names. An ambiguous name is refused unless all its meanings are one commit: git
 * prefers tags, and anyone who may push tags could name one `origin/main`.
 * @param ref a branch, a tag, a commit id, or one of these with `~2`, `^`, `@{1}`…
 * @throws EdgewiseError `git`
 */
export async function resolveCommit(repository: Repository, ref: string): Promise<string> {
  // No name contains a colon: git would search messages (`:/text`) or the index for it.
  if (ref === "" || ref.startsWith("-") || /[\s\p{Cc}:]/u.test(ref)) {
    throw new EdgewiseError("git", `${JSON.stringify(ref)} is not the name of a commit or branch`, {
      remedy: "Name a branch, a tag or a commit, like origin/main.",
    });
  }
  // Git would take the last commit of a range, or one that the range leaves out.
  if (/\.\.|^\^|\^[@!-]/u.test(withoutBraces(ref))) {
    throw new EdgewiseError("git", `${JSON.stringify(ref)} names a range, not a commit`, {
      remedy: "Name one commit: a branch, a tag or an id, like origin/main.",
    });
  }
  // What it starts from, without `~2`, `^` or `@{1}`; "" = HEAD.
  const name = ref.slice(0, /[~^]|@\{/u.exec(ref)?.index ?? ref.length);
  const full = await fullNames(repository, name);
  // A name that starts with `refs/` is complete: `refs/tags/refs/heads/main` must not stand in for a missing branch.
  if (full.length === 0 && name.startsWith("refs/")) throw await unknownRef(repository, ref);
  const ids = full.length === 0 ? [] : await abbreviated(repository, name);
  const meant = [...full, ...ids].map((one) => one + ref.slice(name.length));
  const commits = await resolveCommits(repository, [ref, ...meant]);
  if (new Set(commits).size > 1) {
    const others = [...ids, ...full];
    const names = others.length > 1 ? others : [name, ...others];
    throw new EdgewiseError("git", `"${ref}" is ambiguous: ${names.join(" and ")} are different commits`, {
      remedy: `Give the full name, like ${shellWord(names.at(-1) ?? name)}.`,
    });
  }
  const [commit] = commits;
  if (commit === undefined || commit === null) throw await unknownRef(repository, ref);
  return commit;
}

async function unknownRef(repository: Repository, ref: string): Promise<EdgewiseError> {
  const fetch = (await isShallow(repository))
    ? "This clone is shallow: fetch the rest with `git fetch --unshallow`, or"
    : "Fetch it first: `git fetch --all --tags`, or";
  return new EdgewiseError("git", `git does not know a commit or branch "${ref}"`, {
    remedy: `${fetch} set \`fetch-depth: 0\` in the checkout step. \`git branch --all\` lists the branches.`,
  });
}

/** Dates and messages stand in braces, and may hold anything: `main@{2 days ago}`. */
function withoutBraces(ref: string): string {
  const [start = "", ...groups] = ref.split("{");
  return start + groups.map((group) => group.slice(group.indexOf("}") + 1)).join("");
}

/** The commits whose ids a name may abbreviate: anyone who may push tags could name one like the short id of a commit. */
async function abbreviated(repository: Repository, name: string): Promise<readonly string[]> {
  if (!/^[0-9a-f]{4,63}$/u.test(name)) return [];
  const answer = await runGit(repository, ["rev-parse", `--disambiguate=${name}`]);
  const objects = answer.ok ? linesOf(answer) : [];
  return [...new Set(await resolveCommits(repository, objects.slice(0, 100)))].filter((id) => id !== null);
}

/** The branches and tags that git would try for a name, in its order. A full id or HEAD never means one of them. */
async function fullNames(repository: Repository, name: string): Promise<readonly string[]> {
  // No ref has a name with these pattern characters.
  if (["", "@", "HEAD"].includes(name) || isId(name) || /[*?[\\]/u.test(name)) return [];
  const short = ["", "tags/", "heads/", "remotes/"].map((kind) => `refs/${kind}${name}`);
  const candidates = name.startsWith("refs/") ? [name] : [...short, `refs/remotes/${name}/HEAD`];
  const answer = await runGit(repository, ["for-each-ref", "--format=%(refname)", ...candidates]);
  if (!answer.ok) throw gitFailure("list its branches", answer);
  const present = new Set(linesOf(answer));
  return candidates.filter((candidate) => present.has(candidate));
}

/**
 * The commits that revisions name; null where there is none. The revisions are git's input, so none can be an option.
 * @throws EdgewiseError `git`
 */
async function resolveCommits(
  repository: Repository,
  revisions: readonly string[],
): Promise<readonly (string | null)[]> {
  const input = revisions.map((revision) => `${revision}^{commit}\n`).join("");
  const answer = await runGit(repository, ["cat-file", "--batch-check=%(objectname)"], input);
  // A place that is older than git's record is resolved to the oldest one, with a warning: that could be any commit.
  if (!answer.ok || /^warning: log for .* only /imu.test(answer.stderr)) {
    const remedy = revisions.some((revision) => revision.includes("@{"))
      ? "This clone doesn't record where that was. Name a branch, a tag or a commit id."
      : undefined;
    throw gitFailure(`resolve ${revisions[0] ?? ""}`, answer, remedy);
  }
  const lines = linesOf(answer);
  return revisions.map((_, index) => {
    const line = lines[index] ?? "";
    return isId(line) ? line : null;
  });
}

function isId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u.test(text);
}

/** The commits that `--base REF` names. Full ids. */
export interface Base {
  readonly commit: string;
  /** Where the current branch left it: the commit to compare with. */
  readonly mergeBase: string;
}

/**
 * Finds the merge base of HEAD and a ref.
 * @param from another commit instead of HEAD, by its full id
 * @throws EdgewiseError `git`: no such ref, an ambiguous one, or no merge base (most often in a shallow clone)
 */
export async function resolveBase(repository: Repository, ref: string, from: string | null = null): Promise<Base> {
  const commit = await resolveCommit(repository, ref);
  const branch = from === null ? "HEAD" : from.slice(0, 12);
  const found = await runGit(repository, ["merge-base", from ?? "HEAD", commit]);
  // Exit code 1 = there is none.
  if (!found.ok && found.exit !== 1)
    throw gitFailure(`find the merge base of ${branch} and "${ref}"`, found, "Fetch the whole history.");
  const mergeBase = linesOf(found)[0] ?? "";
  if (mergeBase !== "") return { commit, mergeBase };
  const shallow = await isShallow(repository);
  const why = shallow ? ": this clone is shallow" : "";
  throw new EdgewiseError("git", `${branch} and "${ref}" have no common commit${why}`, {
    remedy: shallow
      ? "Fetch the whole history: set fetch-depth: 0 in the checkout step, or run git fetch --unshallow."
      : "Give --base a branch that shares history with this one.",
  });
}

async function isShallow(repository: Repository): Promise<boolean> {
  return linesOf(await runGit(repository, ["rev-parse", "--is-shallow-repository"]))[0] === "true";
}

/**
 * The full id of the commit that is checked out in the work tree of a directory. Null without Git or a usable
 * repository: a plan doesn't need one.
 */
export async function headCommit(directory: string, host: GitHost): Promise<string | null> {
  try {
    const [commit = null] = await resolveCommits(await findRepository(directory, host), ["HEAD"]);
    return commit;
  } catch (error) {
    if (error instanceof EdgewiseError) return null;
    throw error;
  }
}
