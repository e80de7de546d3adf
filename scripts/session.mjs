// A sandbox and a temporary copy of examples/quickstart, for everything that shows or tests the real program.
import { spawn, spawnSync } from "node:child_process";
import { closeSync, cpSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { makeCertificate } from "./certificate.mjs";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
export const cli = join(root, "dist", "cli.js");

/** The environment without what the caller's own edgewise uses, so that a session is the same everywhere. */
function cleanEnvironment() {
  const mine = /^(EDGEWISE_|QUICKSTART_|NO_COLOR$|FORCE_COLOR$|HTTPS?_PROXY$|https?_proxy$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !mine.test(name)));
}

/**
 * Starts a sandbox on a free port and copies the quickstart example, with a fresh certificate and key.
 * `close` ends the one and removes the other; it also runs when the process exits for any other reason.
 */
export async function openSession({ color = false } = {}) {
  const directory = mkdtempSync(join(tmpdir(), "edgewise-"));
  const config = join(directory, "quickstart");
  cpSync(join(root, "examples", "quickstart"), config, { recursive: true });
  // Fixed dates: the output tells them, and it is to be the same on every day.
  const pair = await makeCertificate(["www.example.com"], new Date("2024-01-01T00:00:00Z"), 100);
  writeFileSync(join(config, "edge", "www.pem"), pair.certificate);

  const plain = cleanEnvironment();
  const sandbox = spawn(process.execPath, [cli, "sandbox", "--port", "0", "-o", "json"], {
    env: plain,
    cwd: directory,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const close = () => {
    sandbox.kill("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
    process.off("exit", close);
  };
  process.on("exit", close);

  const address = JSON.parse(await firstLine(sandbox));
  const env = {
    ...plain,
    ...(color ? { FORCE_COLOR: "1" } : { NO_COLOR: "1" }),
    EDGEWISE_API_KEY: address.apiKey,
    EDGEWISE_BASE_URL: address.baseUrl,
    EDGEWISE_VERSION_HEADER: address.versionHeader,
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
    return { code: signal === null ? status : signal, output: readFileSync(log, "utf8") };
  };

  /** One request to the sandbox, as somebody with a key and no edgewise would make it. */
  const request = async (method, path, body) => {
    const response = await fetch(`${address.baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${address.apiKey}`,
        [address.versionHeader]: "2",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? null : JSON.parse(text);
  };

  return { config, env, baseUrl: address.baseUrl, run, request, close };
}

/** The first line that a process prints; an error when it ends before. */
function firstLine(child) {
  return new Promise((done, fail) => {
    createInterface({ input: child.stdout }).once("line", done);
    child.once("error", fail);
    child.once("exit", (code, signal) => fail(new Error(`the sandbox ended early (${signal ?? code})`)));
  });
}
