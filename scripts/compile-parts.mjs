import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { cli, plainEnvironment, root, startSandbox } from "./sandbox.mjs";

/**
 * Plans once with the built program, and keeps what V8 compiled for it in dist/bin/compiled: the next start needn't compile
 * that again. scripts/bin-loader.mjs reads it. It is of use only to this version of V8, and differs from build to build, so
 * it is no part of the package.
 * @param {string} bin dist/bin
 */
export async function compileParts(bin) {
  const to = join(bin, "compiled", `${process.versions.v8}-${process.arch}`);
  const sandbox = await startSandbox();
  mkdirSync(to, { recursive: true });
  try {
    const child = spawn(process.execPath, ["--require", join(root, "scripts", "keep-scripts.cjs"), cli, "plan"], {
      cwd: join(root, "examples", "quickstart"),
      env: { ...plainEnvironment(), ...sandbox.env, KEEP_SCRIPTS_IN: to },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`plan ended with ${code} while its code was compiled`);
  } finally {
    sandbox.stop();
  }
}
