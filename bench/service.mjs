// A sandbox in its own process.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { cli, path } from "./paths.mjs";

/** Starts a sandbox. @returns the environment that commands need to reach it, and a function that ends it */
export async function startService({ data, latency }) {
  const args = [cli, "sandbox", "-o", "json", "--latency", String(latency), "--page-size", "100"];
  if (data !== undefined) args.push("--data", data);
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const { apiKey, baseUrl } = JSON.parse(line);
  return {
    env: { EDGEWISE_API_KEY: apiKey, EDGEWISE_BASE_URL: baseUrl },
    close: async () => {
      child.kill("SIGTERM");
      await once(child, "exit");
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
