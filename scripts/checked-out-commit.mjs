import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";

/**
 * The full id of the commit that is checked out in a directory. Null when the directory is not the top of a Git work
 * tree: an unpacked archive may lie inside of somebody else's repository, whose commits say nothing about it.
 * @param {string} root
 * @returns {string | null}
 */
export function checkedOutCommit(root) {
  const { GIT_DIR: _dir, GIT_WORK_TREE: _tree, ...env } = process.env;
  const git = (...args) => spawnSync("git", args, { cwd: root, env, encoding: "utf8" });
  const top = git("rev-parse", "--show-toplevel");
  if (top.status !== 0 || realpathSync(top.stdout.trim()) !== realpathSync(root)) return null;
  const head = git("rev-parse", "--verify", "HEAD");
  return head.status === 0 ? head.stdout.trim() : null;
}
