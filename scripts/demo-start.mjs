// What both demos begin with: the program is built, and a signal ends everything that they started.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { cli, root } from "./sandbox.mjs";

/** Whether dist/ is missing or older than a source file. */
function needsBuild() {
  if (!existsSync(cli)) return true;
  const built = statSync(cli).mtimeMs;
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  return sources.some((name) => statSync(join(root, "src", name)).mtimeMs > built);
}

/** Ends this process at a signal, in a way that lets what it started be ended, and builds the program if it is old. */
export function startDemo() {
  /** @type {readonly (readonly [NodeJS.Signals, number])[]} */
  const signals = [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ];
  for (const [signal, code] of signals) process.once(signal, () => process.exit(code));
  if (!needsBuild()) return;
  const { status } = spawnSync(process.execPath, [join(root, "scripts", "build.mjs")], { stdio: "inherit" });
  if (status !== 0) process.exit(1);
}
