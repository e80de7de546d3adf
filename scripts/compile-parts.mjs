import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { cli, plainEnvironment, root, startSandbox } from "./sandbox.mjs";

/** Those of the example that need no secret. */
const manifests = ["api", "maintenance", "office-only", "tcp-eu"].flatMap((name) => ["-f", `edge/${name}.yaml`]);

/**
 * Applies once with the built program, and keeps what V8 compiled for it in dist/bin/compiled: the next start needn't
 * compile that again. An apply plans creates, makes them, and plans again without a change, so there is most of what every
 * command does. scripts/bin-loader.mjs reads it. It is of use only to this version of V8, and differs from build to build,
 * so it is no part of the package.
 * @param {string} bin dist/bin
 */
export async function compileParts(bin) {
  const to = join(bin, "compiled", `${process.versions.v8}-${process.arch}`);
  const sandbox = await startSandbox();
  mkdirSync(to, { recursive: true });
  try {
    const keeping = ["--require", join(root, "scripts", "keep-scripts.cjs")];
    const { status, stderr } = spawnSync(process.execPath, [...keeping, cli, "apply", "--auto-approve", ...manifests], {
      cwd: join(root, "examples", "quickstart"),
      env: { ...plainEnvironment(), ...sandbox.env, KEEP_SCRIPTS_IN: to },
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`apply ended with ${status} while its code was compiled:\n${stderr}`);
  } finally {
    sandbox.stop();
  }
}
