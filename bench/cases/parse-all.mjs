// Parses the same files with the YAML library alone, on one thread; prints the milliseconds.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";

const folder = join(process.argv[2], "edge");
const from = performance.now();
let count = 0;
for (const file of readdirSync(folder)) count += parseAllDocuments(readFileSync(join(folder, file), "utf8")).length;
console.log(JSON.stringify({ ms: performance.now() - from, count }));
