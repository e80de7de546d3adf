import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";

/**
 * Null when the directory is not the top of a Git work tree: an unpacked archive may lie inside of another repository.
 * @param {string} root
 * @returns {string | null}
 */
export function checkedOutCommit(root) {
  const top = git(root, "rev-parse", "--show-toplevel");
  if (top.status !== 0 || realpathSync(top.stdout.trim()) !== realpathSync(root)) return null;
  const head = git(root, "rev-parse", "--verify", "HEAD");
  return head.status === 0 ? head.stdout.trim() : null;
}

/** What a build is made from. A change of a test or a page is none of the program. */
const builtFrom = ["src", "schemas", "scripts", "package.json", "package-lock.json", "tsconfig.json"];

/**
 * Null without such a commit.
 * @param {string} root
 * @returns {boolean | null}
 */
export function hasUncommittedChanges(root) {
  if (checkedOutCommit(root) === null) return null;
  const { status, stdout } = git(root, "status", "--porcelain", "--untracked-files=all", "--", ...builtFrom);
  return status === 0 ? stdout !== "" : null;
}

/** @param {string} cwd @param {readonly string[]} args */
function git(cwd, ...args) {
  const { GIT_DIR: _dir, GIT_WORK_TREE: _tree, GIT_INDEX_FILE: _index, ...env } = process.env;
  return spawnSync("git", ["--no-optional-locks", ...args], { cwd, env, encoding: "utf8" });
}
