import { EdgewiseError } from "../errors.js";
import { runGit, type Repository } from "./run-git.js";
import { shellWord } from "./shell-word.js";

/**
 * The commit that somebody's name for it stands for, or null when there is none. A name of several things is refused
 * unless all are one commit: git prefers a tag, and whoever may push tags could call one `origin/main`.
 * @param ref a branch, a tag, a commit id, or one of these with `~2`, `^`, `@{1}`…
 * @throws EdgewiseError `git`
 */
export async function resolveRef(repository: Repository, ref: string): Promise<string | null> {
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
export async function resolveCommits(
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
