// npm run demo: the whole cycle against a local sandbox. Leaves nothing running and no files.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { steps } from "./demo-steps.mjs";
import { cli, root } from "./sandbox.mjs";
import { openSession } from "./session.mjs";

for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
]) {
  process.once(signal, () => process.exit(code)); // the session closes itself on exit
}

/** Whether dist/ is missing or older than a source file. */
function needsBuild() {
  if (!existsSync(cli)) return true;
  const built = statSync(cli).mtimeMs;
  const sources = readdirSync(join(root, "src"), { recursive: true });
  return sources.some((name) => statSync(join(root, "src", name)).mtimeMs > built);
}

if (needsBuild()) {
  const { status } = spawnSync(process.execPath, [join(root, "scripts", "build.mjs")], { stdio: "inherit" });
  if (status !== 0) process.exit(1);
}

const session = await openSession({ color: process.stdout.isTTY === true });
let failed = 0;
try {
  for (const step of steps) {
    console.log(`\n# ${step.title}`);
    const { command, code, output } = await step.run(session);
    console.log(`$ ${command}\n${output}`.trimEnd());
    if (code !== 0) console.log(`(exit code ${code})`);
    if (code === step.exit) continue;
    console.log(`FAILED: exit code ${step.exit} was expected`);
    failed += 1;
    break; // later steps need this one
  }
} finally {
  session.close();
}
if (failed > 0) process.exitCode = 1;
else console.log("\ndemo: every step went as expected");
