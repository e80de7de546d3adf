// Runs the tests on other versions of Node, which npm brings and the script keeps in node_modules/.cache:
//   npm run test:node -- 24                     the newest 24 there is
//   npm run test:node -- 20.19.0 22 24 26       several, one after the other
//   npm run test:node -- 24 -- test/slow/cli         only some tests
//   npm run test:node -- --write 22 24 26       also writes what came out into docs/dev/node-versions.md
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const page = join(root, "docs", "dev", "node-versions.md");
const kept = join(root, "node_modules", ".cache", "node-versions");
const lowest = `${/\d+\.\d+/.exec(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).engines.node)[0]}.0`;
const platform = `${process.platform}-${process.arch}`;

const words = process.argv.slice(2);
const end = words.includes("--") ? words.indexOf("--") : words.length;
const tests = words.slice(end + 1);
const versions = words.slice(0, end).filter((word) => word !== "--write");
const write = words.slice(0, end).includes("--write");
if (versions.length === 0 || !versions.every((version) => /^\d+(\.\d+){0,2}$/.test(version))) {
  console.error("usage: npm run test:node -- [--write] VERSION… [-- TESTS…]\nA version is like 24 or 20.19.0.");
  process.exit(1);
}
if (write && tests.length > 0) {
  console.error("--write is for whole runs: leave the tests out.");
  process.exit(1);
}

/** The newest version that the registry has for this platform. */
function newest(version) {
  const found = execFileSync("npm", ["view", `node-${platform}@${version}`, "version", "--json"], { encoding: "utf8" });
  const all = [JSON.parse(found)].flat();
  return all.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1);
}

/** The directory of a version's program; npm checks what it fetches against the registry's checksum. */
function fetchNode(exact) {
  const directory = join(kept, exact);
  const bin = join(directory, "package", "bin");
  if (existsSync(join(bin, "node"))) return bin;
  console.log(`fetching node-${platform}@${exact} (about 50 MB) …`);
  const part = `${directory}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  const packed = execFileSync("npm", ["pack", "--json", "--pack-destination", part, `node-${platform}@${exact}`]);
  const [{ filename }] = JSON.parse(packed.toString("utf8"));
  execFileSync("tar", ["-xzf", join(part, filename), "-C", part]);
  rmSync(join(part, filename));
  renameSync(part, directory);
  return bin;
}

let child = null;
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child?.kill(signal));

/** Runs a script with that Node, which is also the one that the tests' own processes find. */
async function run(bin, script, args) {
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ""}` };
  child = spawn(join(bin, "node"), [join(root, script), ...args], {
    cwd: root,
    env,
    stdio: ["inherit", "pipe", "inherit"],
  });
  let last = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    process.stdout.write(text);
    last = `${last}${text}`.slice(-2000);
  });
  const [code, signal] = await once(child, "close");
  child = null;
  return { ok: code === 0, signal, counts: /^\d+ passed, \d+ failed.*$/m.exec(last)?.[0] ?? "did not end" };
}

/** Puts the row of a version into the page's table, in the order of versions. */
function writeRow(exact, counts) {
  const text = readFileSync(page, "utf8");
  const [head, ruler, ...rows] = text.split("\n").filter((line) => line.startsWith("|"));
  const row = `| ${exact} | ${platform} | all | ${counts} | ${new Date().toISOString().slice(0, 10)} |`;
  const others = rows.filter((line) => lineOf(rowVersion(line)) !== lineOf(exact));
  const sorted = [...others, row].toSorted((a, b) =>
    rowVersion(a).localeCompare(rowVersion(b), "en", { numeric: true }),
  );
  const table = [head, ruler, ...rows].join("\n");
  writeFileSync(page, text.replace(table, [head, ruler, ...sorted].join("\n")));
}

const rowVersion = (line) => line.split("|")[1].trim();
/** What has one row: the lowest version that is supported, or the newest of a line. */
const lineOf = (version) => (version === lowest ? version : version.split(".")[0]);

const results = [];
for (const version of versions) {
  const exact = newest(version);
  const bin = fetchNode(exact);
  console.log(`\n== Node ${exact}`);
  const built = await run(bin, "scripts/build.mjs", []);
  const result = built.ok ? await run(bin, "node_modules/vitest/vitest.mjs", ["run", ...tests]) : built;
  results.push({ exact, ...result });
  if (result.signal !== null) break;
  if (write) writeRow(exact, result.counts);
}
// The build keeps compiled code, which only the Node that made it can use.
spawnSync(process.execPath, [join(root, "scripts", "build.mjs")], { stdio: "inherit" });
console.log("");
for (const { exact, counts, ok } of results) console.log(`Node ${exact}: ${counts}${ok ? "" : " (failed)"}`);
process.exitCode = results.length === versions.length && results.every(({ ok }) => ok) ? 0 : 1;
