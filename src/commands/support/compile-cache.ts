import { mkdirSync, statSync } from "node:fs";
import Module from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * Lets Node 22.1 and newer keep compiled code in the user's cache directory. Whoever can write there decides what runs, so it
 * must be the user's own.
 */
export function keepCompiledCode(): void {
  const { enableCompileCache } = Module as { readonly enableCompileCache?: (directory: string) => void };
  if (enableCompileCache === undefined || process.env["NODE_COMPILE_CACHE"]) return;
  try {
    const directory = join(homedir(), ".cache", "edgewise");
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const { mode, uid } = statSync(directory);
    if (uid === process.getuid?.() && (mode & 0o022) === 0) enableCompileCache(directory);
  } catch {
    // Without the directory nothing is kept.
  }
}
