// Starts the built program's sandbox, for the demo, the documents and tests.
import { spawn } from "node:child_process";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
export const cli = join(root, "dist", "bin", "edgewise.js");

/** This process's environment without the variables of the caller's own edgewise, so that it is the same everywhere. */
export function plainEnvironment() {
  const personal = /^(EDGEWISE_|QUICKSTART_|NO_COLOR$|FORCE_COLOR$|https?_proxy$|no_proxy$)/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !personal.test(name)));
}

/**
 * A sandbox on a free port, in its own process, which ends with this one at the latest. `env` has the variables that
 * the program needs to reach it; `request` calls the API without edgewise.
 * @param {readonly string[]} flags
 */
export async function startSandbox(flags = []) {
  const child = spawn(process.execPath, [cli, "sandbox", "--port", "0", "-o", "json", ...flags], {
    env: plainEnvironment(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stop = () => {
    child.kill("SIGKILL");
    process.off("exit", stop);
  };
  process.on("exit", stop);

  /** @type {{baseUrl: string, apiKey: string, versionHeader: string}} */
  const { baseUrl, apiKey, versionHeader } = JSON.parse(await firstLine(child));

  /**
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   */
  const request = async (method, path, body) => {
    const headers = { authorization: `Bearer ${apiKey}`, [versionHeader]: "2" };
    const response = await fetch(
      `${baseUrl}${path}`,
      body === undefined
        ? { method, headers }
        : { method, headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body) },
    );
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? null : JSON.parse(text);
  };

  return {
    baseUrl,
    apiKey,
    env: { EDGEWISE_API_KEY: apiKey, EDGEWISE_BASE_URL: baseUrl, EDGEWISE_VERSION_HEADER: versionHeader },
    request,
    stop,
  };
}

/**
 * The first line that a process prints; an error if the process ends before it.
 * @param {import("node:child_process").ChildProcessByStdio<null, import("node:stream").Readable, null>} child
 * @returns {Promise<string>}
 */
function firstLine(child) {
  return new Promise((done, fail) => {
    createInterface({ input: child.stdout }).once("line", done);
    child.once("error", fail);
    child.once("exit", (code, signal) => fail(new Error(`the sandbox ended early (${signal ?? code})`)));
  });
}
