import { existsSync, mkdirSync, realpathSync, statSync } from "node:fs";
import Module from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/**
 * Lets Node 22.1 and newer keep compiled code in the user's cache directory. Whoever can write there decides what runs, so it
 * is the user's own, and in no repository.
 */
export function keepCompiledCode(): void {
  const { enableCompileCache } = Module as { readonly enableCompileCache?: (directory: string) => void };
  if (enableCompileCache === undefined || process.env["NODE_COMPILE_CACHE"]) return;
  try {
    const kept = join(homedir(), ".cache", "edgewise");
    mkdirSync(kept, { recursive: true, mode: 0o700 });
    const directory = realpathSync(kept);
    const { uid, mode } = statSync(directory);
    if (uid === process.getuid?.() && (mode & 0o022) === 0 && !isInRepository(directory)) enableCompileCache(directory);
  } catch {
    // Without the directory nothing is kept.
  }
}

function isInRepository(directory: string): boolean {
  for (let above = directory; above !== dirname(above); above = dirname(above))
    if (existsSync(join(above, ".git")) || above === process.cwd()) return true;
  return false;
}
