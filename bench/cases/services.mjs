// A sandbox for each data file, in one process, until it is ended. Prints their addresses and keys.
import { startSandbox } from "../../dist/sandbox/start-sandbox.js";

const sandboxes = await Promise.all(process.argv.slice(2).map((dataFile) => startSandbox({ dataFile, pageSize: 100 })));
console.log(JSON.stringify(sandboxes.map(({ apiKey, baseUrl }) => ({ apiKey, baseUrl }))));
process.on("SIGTERM", () => process.exit(0));
