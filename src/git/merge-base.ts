import { EdgewiseError } from "../errors.js";
import { resolveCommits, resolveRef } from "./resolve-ref.js";
import { runGit, type Repository } from "./run-git.js";
import { shellWord } from "./shell-word.js";

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
