// Inside of dist/edgewise.mjs: compiles a part of the program when it is first needed. scripts/single-file.mjs puts the
// texts into the constant `edgewiseParts`.
import { existsSync, mkdirSync, realpathSync, statSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { cwd, env, getuid } from "node:process";
import { fileURLToPath } from "node:url";

const file = fileURLToPath(import.meta.url);
const builtin = createRequire(import.meta.url);
const loaded = new Map();

/** The exports of a part, as `require` would give them. @param {string} name */
export function loadPart(name) {
  if (loaded.size === 0) keepCompiled();
  const known = loaded.get(name);
  if (known !== undefined) return known.exports;
  const part = { exports: {} };
  loaded.set(name, part);
  // Node's own way to compile, because only this one keeps what it compiled. Stack traces show this name.
  const compiled = new Module(`${file}/${name}`);
  // eslint-disable-next-line no-underscore-dangle
  compiled._compile(
    `module.exports=(function(require,module,exports,edgewiseFile){${edgewiseParts[name]}\n})`,
    compiled.id,
  );
  compiled.exports(requireIn, part, part.exports, file);
  return part.exports;
}

/** @param {string} id */
function requireIn(id) {
  const name = `${id.replace(/^\.\//, "").replace(/\.js$/, "")}.js`;
  return Object.hasOwn(edgewiseParts, name) ? loadPart(name) : builtin(id);
}

/**
 * From Node 22.1 on: keeps compiled code in the user's cache directory, which saves a tenth of most commands' time. Whoever
 * can write there decides what runs, so it must be the user's own, and outside of every repository.
 */
function keepCompiled() {
  if (Module.enableCompileCache === undefined || env.NODE_COMPILE_CACHE) return;
  try {
    const named = env.XDG_CACHE_HOME || join(homedir(), ".cache");
    const directory = realpathSync(named);
    if (!isAbsolute(named) || !isOwn(directory) || isWorkedIn(directory)) return;
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

/** Whether a directory is in a Git work tree, or below where the program is or runs. @param {string} directory */
function isWorkedIn(directory) {
  const beside = dirname(file);
  const around = [cwd(), basename(beside) === ".edgewise" ? dirname(beside) : beside];
  for (let above = directory; above !== dirname(above); above = dirname(above)) {
    if (existsSync(join(above, ".git")) || around.includes(above)) return true;
  }
  return false;
}
