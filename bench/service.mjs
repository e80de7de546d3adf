// The service of a bench: a sandbox for each data file ("-" = an empty one), until it is ended.
//   service.mjs LATENCY DATA…
import { startSandbox } from "../dist/sandbox/start-sandbox.js";

const [latency, ...files] = process.argv.slice(2);
const sandboxes = await Promise.all(
  files.map((file) => startSandbox({ latencyMs: Number(latency), ...(file === "-" ? {} : { dataFile: file }) })),
);
console.log(JSON.stringify(sandboxes.map(({ apiKey, baseUrl }) => ({ apiKey, baseUrl }))));
process.on("SIGTERM", () => process.exit(0));
