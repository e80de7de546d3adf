// A sandbox and a temporary copy of examples/quickstart, for scripts that show the real program.
import { spawnSync } from "node:child_process";
import { closeSync, cpSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCertificate } from "./certificate.mjs";
import { cli, plainEnvironment, root, startSandbox } from "./sandbox.mjs";

/**
 * Starts a sandbox and copies the quickstart example, with a new certificate and key. `close` ends the sandbox and
 * removes the copy; so does the end of the process, however it ends.
 */
export async function openSession({ color = false } = {}) {
  const directory = mkdtempSync(join(tmpdir(), "edgewise-demo-"));
  const removeFiles = () => rmSync(directory, { recursive: true, force: true });
  process.on("exit", removeFiles);

  const config = join(directory, "quickstart");
  cpSync(join(root, "examples", "quickstart"), config, { recursive: true });
  // Fixed dates, because the output shows them and must be the same every day.
  const pair = await makeCertificate(["www.example.com"], new Date("2024-01-01T00:00:00Z"), 100);
  writeFileSync(join(config, "edge", "www.pem"), pair.certificate);

  const sandbox = await startSandbox();
  const env = {
    ...plainEnvironment(),
    ...sandbox.env,
    ...(color ? { FORCE_COLOR: "1" } : { NO_COLOR: "1" }),
    QUICKSTART_TLS_KEY: pair.key,
  };

  /** Runs one command line in the copy. stdout and stderr share one file, so that their order is kept. */
  const run = (...args) => {
    const log = join(directory, "log");
    const fd = openSync(log, "w");
    const { status, signal } = spawnSync(process.execPath, [cli, ...args], {
      cwd: config,
      env,
      stdio: ["ignore", fd, fd],
    });
    closeSync(fd);
    return { code: signal ?? status, output: readFileSync(log, "utf8") };
  };

  /** Changes a file of the copy; an error if it doesn't contain `from`. */
  const edit = (path, from, to) => {
    const file = join(config, path);
    const text = readFileSync(file, "utf8");
    if (!text.includes(from)) throw new Error(`${path} does not say ${from}`);
    writeFileSync(file, text.replace(from, to));
  };

  /** The text of a file of the copy. */
  const read = (path) => readFileSync(join(config, path), "utf8");

  const close = () => {
    sandbox.stop();
    removeFiles();
    process.off("exit", removeFiles);
  };
  return { run, edit, read, request: sandbox.request, close };
}
