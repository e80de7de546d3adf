#!/usr/bin/env node
// Generates docs/images/fleet.png, the picture of the status page in docs/serve.md: the real program, over a sandbox and
// a repository of its own.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { cli, plainEnvironment, root, startSandbox } from "./sandbox.mjs";
import { takePicture } from "./take-picture.mjs";

const directory = mkdtempSync(join(tmpdir(), "edgewise-picture-"));
const repository = join(directory, "edge");
const sandbox = await startSandbox();
let serve = null;

function write(path, text) {
  const file = join(directory, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o600 });
}

function git(...args) {
  const who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgSign=false"];
  const { status, stderr } = spawnSync("git", ["-C", repository, ...who, ...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}

function stack(name, statusCode) {
  write(
    `edge/${name}/edgewise.yaml`,
    `apiVersion: edgewise/v1\nkind: Config\nstack: ${name.replace("/", "-")}\nmanifests: [sorry.yaml]\n`,
  );
  const spec = `metadata:\n  name: sorry\nspec:\n  status_code: ${statusCode}\n  body: Back soon.\n`;
  write(`edge/${name}/sorry.yaml`, `apiVersion: edgewise/v1\nkind: HTTPResponseBackend\n${spec}`);
}

function commit(message) {
  git("add", "-A");
  git("commit", "-qm", message);
}

/** Waits until the stacks have these states. */
async function until(url, states) {
  let found = "";
  for (let tries = 0; tries < 150; tries += 1) {
    const { stacks } = await (await fetch(`${url}/api/stacks`)).json();
    found = stacks.map(({ state }) => state).join(" ");
    if (found === states) return;
    await pause(100);
  }
  throw new Error(`it is ${found}, not ${states}`);
}

try {
  mkdirSync(repository);
  git("init", "-q", "-b", "main");
  for (const name of ["prod", "staging", "tenants/acme", "tenants/globex", "tenants/initech"]) stack(name, 503);
  commit("Describe the stacks");
  write("key", sandbox.env.EDGEWISE_API_KEY);
  const own = (config) => `{source: edge, account: main, ${config}}`;
  write(
    "fleet.yaml",
    `apiVersion: edgewise/v1
kind: Fleet
sources:
  edge: {git: ./edge, poll: 1s}
accounts:
  main: {baseUrl: "${sandbox.env.EDGEWISE_BASE_URL}", key: {file: key}}
stacks:
  prod: ${own("config: prod/edgewise.yaml, apply: {commit: none}")}
  staging: ${own("config: staging/edgewise.yaml")}
  tenants: ${own('configs: "tenants/*/edgewise.yaml"')}
http: {listen: "127.0.0.1:0"}
`,
  );
  const options = { cwd: directory, env: plainEnvironment(), stdio: ["ignore", "ignore", "pipe"] };
  serve = spawn(process.execPath, [cli, "serve", "fleet.yaml", "--log-format", "json"], options);
  let log = "";
  serve.stderr.setEncoding("utf8").on("data", (text) => (log += text));
  while (!log.includes('"serve-started"')) await pause(50);
  const [, url] = /"url":"([^"]+)"/.exec(log);
  await until(url, "synced synced synced synced synced");
  // A change that must be approved, one that is wrong, and what is fine.
  stack("prod", 410);
  stack("tenants/acme", 9);
  stack("tenants/initech", 404);
  commit("Say goodbye");
  await until(url, "failed waiting synced synced synced");
  takePicture(`${url}/`, join(root, "docs", "images", "fleet.png"), "1080,590");
  console.log("docs/images/fleet.png");
} finally {
  serve?.kill("SIGTERM");
  sandbox.stop();
  rmSync(directory, { recursive: true, force: true });
}
