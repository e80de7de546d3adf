import { EdgewiseError } from "../errors.js";
import { runGit } from "./run-git.js";

/** What `--base REF` stands for. Full commit ids. */
export interface Base {
  readonly commit: string;
  /** Where this branch left it: what is compared with. */
  readonly mergeBase: string;
}

/**
 * Finds the merge base of HEAD and a ref (design, "Difference", three ways with Git).
 * @param cwd a directory of the work tree
 * @throws EdgewiseError `git`: not a repository, no such ref, or no merge base (most often a shallow clone)
 */
export async function resolveBase(cwd: string, ref: string): Promise<Base> {
  if (ref === "" || ref.startsWith("-") || /[\s\0]/u.test(ref)) {
    throw new EdgewiseError("git", `${JSON.stringify(ref)} is no name of a commit or branch`, {
      remedy: "Give --base a branch, a tag or a commit, like origin/main.",
    });
  }
  const inside = await runGit(cwd, ["rev-parse", "--is-inside-work-tree"]);
  if (!inside.ok || inside.stdout.toString("utf8").trim() !== "true") throw notRepository(cwd, inside.stderr);

  const commit = await commitOf(cwd, ref);
  if (commit === null) {
    throw new EdgewiseError("git", `git knows no commit or branch "${ref}" here`, {
      remedy: `Fetch it first: git fetch origin ${ref.replace(/^origin\//u, "")}${await shallowHint(cwd)}`,
    });
  }
  if ((await commitOf(cwd, "HEAD")) === null) {
    throw new EdgewiseError("git", "this repository has no commit yet", {
      remedy: "Commit first, or leave --base out.",
    });
  }
  const found = await runGit(cwd, ["merge-base", "HEAD", commit]);
  const mergeBase = found.stdout.toString("utf8").trim().split("\n")[0] ?? "";
  if (!found.ok || mergeBase === "") {
    const shallow = await isShallow(cwd);
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

async function commitOf(cwd: string, ref: string): Promise<string | null> {
  const { ok, stdout } = await runGit(cwd, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`]);
  const commit = stdout.toString("utf8").trim();
  return ok && /^[0-9a-f]{40,64}$/u.test(commit) ? commit : null;
}

async function isShallow(cwd: string): Promise<boolean> {
  const { stdout } = await runGit(cwd, ["rev-parse", "--is-shallow-repository"]);
  return stdout.toString("utf8").trim() === "true";
}

async function shallowHint(cwd: string): Promise<string> {
  return (await isShallow(cwd))
    ? " (this clone is shallow: fetch-depth: 0 in the checkout step fetches everything)"
    : "";
}

function notRepository(cwd: string, stderr: string): EdgewiseError {
  if (/dubious ownership/u.test(stderr)) {
    return new EdgewiseError("git", `git does not trust the repository of ${cwd}: it belongs to another user`, {
      remedy: `Run git config --global --add safe.directory ${cwd}`,
    });
  }
  return new EdgewiseError("git", `${cwd} is not in a git work tree`, {
    remedy: "Run this inside of the repository, or leave --base out.",
  });
}
