// A bare repository, a clone of it whose owner signs with a new key, a sandbox, and an edgewise serve that follows the one
// into the other: for the demo of serve.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { cli, plainEnvironment, startSandbox } from "./sandbox.mjs";

/** The fleet: commits are carried out up to `routing`, edits by hand are put back up to `cosmetic`, Ann approves the rest. */
const fleet = (baseUrl, versionHeader) => `apiVersion: edgewise/v1
kind: Fleet
sources:
  edge: { git: ./edge.git, ref: main, poll: 1s }
accounts:
  main: { baseUrl: "${baseUrl}", versionHeader: ${versionHeader}, key: { file: key } }
stacks:
  shop: { source: edge, account: main, approvers: approvers }
defaults:
  interval: 3s
  apply: { commit: routing, drift: cosmetic }
http: { listen: "127.0.0.1:0" }
`;

/**
 * @typedef {{readonly event?: string, readonly message: string, readonly [member: string]: unknown}} LogLine
 * @param {(line: LogLine) => void} onLog gets each line of serve's log
 */
export async function openServeSession(onLog) {
  const directory = mkdtempSync(join(tmpdir(), "edgewise-demo-"));
  const removeFiles = () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  process.on("exit", removeFiles);
  const clone = join(directory, "clone");
  // Neither the settings of whoever runs this nor the repository of a hook that does.
  const own = Object.entries(plainEnvironment()).filter(([name]) => !name.startsWith("GIT_"));
  const env = { ...Object.fromEntries(own), HOME: directory, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

  /** @param {string} program @param {readonly string[]} args */
  const run = (program, args, cwd = clone) => {
    const { error, status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: "utf8" });
    if (error !== undefined) throw new Error(`${program} can't be run: ${error.message}`);
    if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}: ${stdout}${stderr}`);
    return `${stdout}${stderr}`;
  };
  /** @param {readonly string[]} args */
  const git = (...args) => run("git", args);

  run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "ann", "-f", join(directory, "ann")], directory);
  run("git", ["init", "-q", "--bare", "-b", "main", "edge.git"], directory);
  run("git", ["clone", "-q", "edge.git", "clone"], directory);
  git("symbolic-ref", "HEAD", "refs/heads/main");
  const settings = {
    "user.name": "Ann",
    "user.email": "ann@example.com",
    "gpg.format": "ssh",
    "user.signingKey": join(directory, "ann"),
  };
  for (const [name, value] of Object.entries(settings)) git("config", name, value);

  const sandbox = await startSandbox();
  writeFileSync(join(directory, "approvers"), `ann@example.com ${readFileSync(join(directory, "ann.pub"), "utf8")}`);
  writeFileSync(join(directory, "key"), sandbox.apiKey, { mode: 0o600 });
  writeFileSync(join(directory, "fleet.yaml"), fleet(sandbox.baseUrl, sandbox.env.EDGEWISE_VERSION_HEADER));

  /** Writes a file of the clone. @param {string} path @param {string} text */
  const write = (path, text) => {
    mkdirSync(dirname(join(clone, path)), { recursive: true });
    writeFileSync(join(clone, path), text);
  };

  /** Starts serve. `url` is where it answers; `stop` ends it with SIGTERM and gives its exit code; `kill` cuts it off. */
  const startServe = async () => {
    const args = ["serve", "fleet.yaml", "--state", "state", "--log-format", "json"];
    const child = spawn(process.execPath, [cli, ...args], { cwd: directory, env, stdio: ["ignore", "ignore", "pipe"] });
    const cutOff = () => child.kill("SIGKILL");
    process.prependListener("exit", cutOff); // before its files are removed
    /** @type {Promise<number | null>} */
    const ended = new Promise((done) => child.once("close", (code) => done(code)));
    /** @type {string} */
    const url = await new Promise((done, fail) => {
      void ended.then((code) => fail(new Error(`serve ended early with ${code}`)));
      createInterface({ input: child.stderr }).on("line", (line) => {
        /** @type {LogLine} */
        const read = JSON.parse(line);
        onLog(read);
        if (read.event === "serve-started") done(String(read["url"]).replace(/\/$/, ""));
      });
    });
    const stop = async () => {
      child.kill("SIGTERM");
      const code = await ended;
      process.off("exit", cutOff);
      return code;
    };
    const kill = async () => {
      cutOff();
      await ended;
    };
    return { url, stop, kill };
  };

  const close = () => {
    sandbox.stop();
    removeFiles();
    process.off("exit", removeFiles);
  };
  return { git, write, startServe, request: sandbox.request, close };
}
