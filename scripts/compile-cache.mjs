// Inside of the built programs: where Node may keep compiled code.
import { existsSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { Module } from "node:module";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { cwd, env, getuid } from "node:process";

/**
 * From Node 22.1 on: keeps compiled code in the user's cache directory, which saves a tenth of most commands' time. Whoever
 * can write there decides what runs, so it must be the user's own, and outside of every repository.
 * @param {string} program the directory that the program is in
 */
export function keepCompiled(program) {
  if (Module.enableCompileCache === undefined || env.NODE_COMPILE_CACHE) return;
  try {
    const named = env.XDG_CACHE_HOME || join(homedir(), ".cache");
    const directory = realpathSync(named);
    if (!isAbsolute(named) || !isOwn(directory) || isWorkedIn(directory, program)) return;
    const kept = join(directory, "edgewise");
    mkdirSync(kept, { recursive: true, mode: 0o700 });
    if (isOwn(kept)) Module.enableCompileCache(kept);
  } catch {
    // Without the directory nothing is kept.
  }
}

/** @param {string} directory */
function isOwn(directory) {
  const { uid, mode } = statSync(directory);
  return uid === getuid?.() && (mode & 0o022) === 0;
}

/** Whether a directory is in a Git work tree, or below where the program is or runs. */
function isWorkedIn(directory, program) {
  const around = [cwd(), basename(program) === ".edgewise" ? dirname(program) : program];
  for (let above = directory; above !== dirname(above); above = dirname(above)) {
    if (existsSync(join(above, ".git")) || around.includes(above)) return true;
  }
  return false;
}
