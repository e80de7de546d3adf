// A sandbox, until it is ended. Prints its address and key, and for each line on stdin the number of requests so far.
//   service.mjs LATENCY [DATA]
import { createInterface } from "node:readline";
import { startSandbox } from "../../dist/sandbox/start-sandbox.js";

const [latency, dataFile] = process.argv.slice(2);
const data = dataFile === undefined ? {} : { dataFile };
const sandbox = await startSandbox({ ...data, pageSize: 100, latencyMs: Number(latency) });
const { apiKey, baseUrl } = sandbox;
console.log(JSON.stringify({ apiKey, baseUrl }));
const end = () => void sandbox.close().then(() => process.exit(0));
const lines = createInterface({ input: process.stdin });
lines.on("line", () => console.log(String(sandbox.requests().total)));
// Whoever started it is gone.
lines.on("close", end);
process.on("SIGTERM", end);
