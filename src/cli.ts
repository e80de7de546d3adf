#!/usr/bin/env node
import { mkdirSync, statSync } from "node:fs";
import Module from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { version } from "./core/version.js";
import { evaluatorName } from "./policies/plan-policy.js";

/** The oldest Node that all dependencies support. */
const oldest = "20.19.0";

// Nothing else is imported up front: `--version` and the error about an old Node must work without the rest.
const args = process.argv.slice(2);
const { node } = process.versions;
if (node.localeCompare(oldest, "en", { numeric: true }) < 0) {
  process.stderr.write(
    `error: edgewise needs Node ${oldest} or newer, but this is Node ${node}. Install a newer version.\n`,
  );
  process.exitCode = 1;
} else if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) {
  process.stdout.write(`${version}\n`);
} else if (args[0] === evaluatorName && process.send !== undefined) {
  await import("./policies/policy-process.js");
} else {
  keepCompiledCode();
  const { main } = await import("./commands/run.js");
  await main(args);
}

/** For Node 22.1 and newer. Whoever can write to the directory decides what runs: it must be the user's own. */
function keepCompiledCode(): void {
  const { enableCompileCache } = Module as { readonly enableCompileCache?: (directory: string) => void };
  if (enableCompileCache === undefined || process.env["NODE_COMPILE_CACHE"]) return;
  try {
    const directory = join(homedir(), ".cache", "edgewise");
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const { mode, uid } = statSync(directory);
    if (uid === process.getuid?.() && (mode & 0o022) === 0) enableCompileCache(directory);
  } catch {}
}
