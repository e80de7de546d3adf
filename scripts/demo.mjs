// npm run demo: the whole cycle against a local sandbox. Leaves nothing running and no files.
import { startDemo } from "./demo-start.mjs";
import { steps } from "./demo-steps.mjs";
import { openSession } from "./session.mjs";

startDemo();
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
