// A sandbox in its own process.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { path } from "./paths.mjs";

/**
 * Starts a sandbox.
 * @returns the environment that commands need to reach it, and functions that count its requests so far and end it
 */
export async function startService({ data, latency }) {
  const args = [path("bench/cases/service.mjs"), String(latency), ...(data === undefined ? [] : [data])];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  const [line] = await once(lines, "line");
  const { apiKey, baseUrl } = JSON.parse(line);
  return {
    env: { EDGEWISE_API_KEY: apiKey, EDGEWISE_BASE_URL: baseUrl },
    requests: async () => {
      child.stdin.write("\n");
      const [count] = await once(lines, "line");
      return Number(count);
    },
    close: async () => {
      const exit = once(child, "exit");
      child.kill("SIGTERM");
      await exit;
    },
  };
}

/**
 * Starts a sandbox for each data file, all of them in one other process.
 * @returns their environments, and a function that ends them
 */
export async function startServices(files) {
  const args = [path("bench/cases/services.mjs"), ...files];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return {
    environments: JSON.parse(line).map(({ apiKey, baseUrl }) => ({
      EDGEWISE_API_KEY: apiKey,
      EDGEWISE_BASE_URL: baseUrl,
    })),
    close: async () => {
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}
