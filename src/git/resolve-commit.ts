import { EdgewiseError } from "../errors.js";
import { shellWord } from "../shell-word.js";
import { findRepository } from "./find-repository.js";
import type { GitHost } from "./git-program.js";
import { type Repository, runGit } from "./run-git.js";

/**
 * The commit that somebody's name for it stands for, or null when there is none. A name of several things is refused
 * unless all are one commit: git prefers a tag, and whoever may push tags could call one `origin/main`.
 * @param ref a branch, a tag, a commit id, or one of these with `~2`, `^`, `@{1}`…
 * @throws EdgewiseError `git`
 */
async function resolveRef(repository: Repository, ref: string): Promise<string | null> {
  // A colon is in no name; git would search messages (`:/text`) or the index for it.
  if (ref === "" || ref.startsWith("-") || /[\s\p{Cc}:]/u.test(ref)) {
    throw new EdgewiseError("git", `${JSON.stringify(ref)} is not the name of a commit or branch`, {
      remedy: "Give --base a branch, a tag or a commit, like origin/main.",
    });
  }
  const end = /[~^]|@\{/u.exec(ref)?.index ?? ref.length;
  const name = ref.slice(0, end);
  const full = await fullNames(repository, name);
  // A name that begins so is a full one: `refs/tags/refs/heads/main` must not stand in for a branch that is missing.
  if (full.length === 0 && name.startsWith("refs/")) return null;
  const ids = full.length === 0 ? [] : await abbreviated(repository, name);
  const meant = [ref, ...[...full, ...ids].map((one) => `${one}${ref.slice(end)}`)];
  const commits = await resolveCommits(repository, meant);
  if (new Set(commits).size > 1) {
    const others = [...ids, ...full];
    const names = others.length > 1 ? others : [name, ...others];
    throw new EdgewiseError("git", `"${ref}" is ambiguous: ${names.join(" and ")} are different commits`, {
      remedy: `Give the full name, like ${shellWord(names.at(-1) ?? name)}.`,
    });
  }
  return commits[0] ?? null;
}

/** The commits whose ids a name may be short for: whoever may push tags could call one like the short id of a commit. */
async function abbreviated(repository: Repository, name: string): Promise<readonly string[]> {
  if (!/^[0-9a-f]{4,63}$/u.test(name)) return [];
  const { ok, stdout } = await runGit(repository, ["rev-parse", `--disambiguate=${name}`]);
  const objects = ok
    ? stdout
        .toString("utf8")
        .split("\n")
        .filter((line) => line !== "")
    : [];
  return [...new Set(await resolveCommits(repository, objects.slice(0, 100)))].filter((id) => id !== null);
}

/** The branches and tags that git would look at for a name, in its order. A full id or HEAD never stands for them. */
async function fullNames(repository: Repository, name: string): Promise<readonly string[]> {
  // Those with a pattern's characters can't exist.
  if (["", "@", "HEAD"].includes(name) || isId(name) || /[*?[\\]/u.test(name)) return [];
  const short = [
    `refs/${name}`,
    `refs/tags/${name}`,
    `refs/heads/${name}`,
    `refs/remotes/${name}`,
    `refs/remotes/${name}/HEAD`,
  ];
  const candidates = name.startsWith("refs/") ? [name] : short;
  const { ok, stdout, stderr } = await runGit(repository, ["for-each-ref", "--format=%(refname)", ...candidates]);
  if (!ok) throw new EdgewiseError("git", `git can't list its branches: ${stderr}`);
  const present = new Set(stdout.toString("utf8").split("\n"));
  return candidates.filter((candidate) => present.has(candidate));
}

/**
 * The commits that revisions stand for; null where there is none. The revisions are git's input: none can be an option.
 * @throws EdgewiseError `git`
 */
async function resolveCommits(
  repository: Repository,
  revisions: readonly string[],
): Promise<readonly (string | null)[]> {
  const asked = revisions.map((revision) => `${revision}^{commit}\n`).join("");
  const { ok, stdout, stderr } = await runGit(repository, ["cat-file", "--batch-check=%(objectname)"], asked);
  if (!ok) throw new EdgewiseError("git", `git can't tell which commit ${revisions.join(", ")} is: ${stderr}`);
  const lines = stdout.toString("utf8").split("\n");
  return revisions.map((_, index) => {
    const line = lines[index] ?? "";
    return isId(line) ? line : null;
  });
}

function isId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u.test(text);
}

/** What `--base REF` stands for. Full commit ids. */
export interface Base {
  readonly commit: string;
  /** Where this branch left it: what is compared with. */
  readonly mergeBase: string;
}

/**
 * Finds the merge base of HEAD and a ref.
 * @throws EdgewiseError `git`: no such ref, more than one, or no merge base (most often a shallow clone)
 */
export async function resolveBase(repository: Repository, ref: string): Promise<Base> {
  const commit = await resolveRef(repository, ref);
  if (commit === null) {
    throw new EdgewiseError("git", `git knows no commit or branch "${ref}" here`, {
      remedy: `Fetch it first: git fetch origin ${shellWord(ref.replace(/^origin\//u, ""))}${await shallowHint(repository)}`,
    });
  }
  const [head] = await resolveCommits(repository, ["HEAD"]);
  if (head === undefined || head === null) {
    throw new EdgewiseError("git", "this repository has no commit yet", {
      remedy: "Commit first, or leave --base out.",
    });
  }
  const found = await runGit(repository, ["merge-base", head, commit]);
  const mergeBase = found.stdout.toString("utf8").trim().split("\n")[0] ?? "";
  // 1 = there is none
  if (!found.ok && found.exit !== 1) {
    throw new EdgewiseError("git", `git can't find the merge base of HEAD and "${ref}": ${found.stderr}`, {
      remedy: "Fetch the whole history.",
    });
  }
  if (mergeBase === "") {
    const shallow = await isShallow(repository);
    throw new EdgewiseError(
      "git",
      `HEAD and "${ref}" have no common commit here${shallow ? ": this clone is shallow" : ""}`,
      {
        remedy: shallow
          ? "Fetch the whole history: set fetch-depth: 0 in the checkout step, or run git fetch --unshallow."
          : "Give --base a branch that this one comes from.",
      },
    );
  }
  return { commit, mergeBase };
}

async function isShallow(repository: Repository): Promise<boolean> {
  const { stdout } = await runGit(repository, ["rev-parse", "--is-shallow-repository"]);
  return stdout.toString("utf8").trim() === "true";
}

async function shallowHint(repository: Repository): Promise<string> {
  return (await isShallow(repository))
    ? " (this clone is shallow: fetch-depth: 0 in the checkout step fetches everything)"
    : "";
}

/**
 * The full id of the commit that is checked out where a directory is. Null where there is no Git, no repository, or
 * one that may not be used: a plan can do without.
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
