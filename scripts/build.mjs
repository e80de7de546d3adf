// Builds dist/ from src/: a file for each source file with tsc (the library, its types, what tests import), and from those
// the program, once as chunks (dist/bin, the package's) and once as one file (dist/edgewise.mjs, for repositories).
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { checkedOutCommit, hasUncommittedChanges } from "./checked-out-commit.mjs";
import { licensesOf } from "./licenses.mjs";
import { buildTables } from "./tables.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
const bin = join(dist, "bin");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/**
 * Modules of packages of which the program uses a part, by their places in node_modules: what it doesn't reach (fetch, mocks,
 * HTTP/2, proxies of SOCKS, metrics of the process) would be a quarter of it.
 */
const trimmed = {
  "undici/index.js": `const Dispatcher = require("./lib/dispatcher/dispatcher.js");
    Dispatcher.prototype.connect = require("./lib/api/api-connect.js");
    exports.Agent = require("./lib/dispatcher/agent.js");
    exports.EnvHttpProxyAgent = require("./lib/dispatcher/env-http-proxy-agent.js");`,
  "undici/lib/dispatcher/client-h2.js": `module.exports = () => { throw new Error("HTTP/2 is not supported"); };`,
  "undici/lib/dispatcher/socks5-proxy-agent.js": `module.exports = class { constructor() { throw new Error("SOCKS is not supported"); } };`,
  "undici/lib/llhttp/llhttp_simd-wasm.js": `module.exports = require("./llhttp-wasm.js");`,
  "undici/lib/web/fetch/body.js": `exports.extractBody = () => { throw new Error("bodies of forms are not supported"); };`,
  "prom-client/index.js": `exports.Registry = require("./lib/registry.js");
    exports.Counter = require("./lib/counter.js");
    exports.Gauge = require("./lib/gauge.js");
    exports.Histogram = require("./lib/histogram.js");`,
};

await buildTables();
const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
const { status } = spawnSync(process.execPath, [tsc, "-p", join(root, "tsconfig.json")], { stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);

// Nothing else in dist/ depends on when or where it was built.
const facts = { version, buildCommit: checkedOutCommit(root), buildModified: hasUncommittedChanges(root) };
const lines = Object.entries(facts).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`);
writeFileSync(join(dist, "core", "version.js"), lines.join(""));

// Outputs of removed source files could still be imported. dist/ is never emptied, because a running test may read it.
for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  if (!entry.isFile() || path.startsWith(bin + sep)) continue;
  const source = join(root, "src", relative(dist, path).replace(/(\.d)?\.(js|ts)$/, ""));
  if (path !== join(dist, "edgewise.mjs") && ![".ts", ".js"].some((extension) => existsSync(source + extension)))
    rmSync(path);
}

const chunks = await bundle("./edgewise.js", "../edgewise.mjs", {
  entryFileNames: "[name].js",
  chunkFileNames: "[name].js",
  codeSplitting: {
    groups: [
      // Node takes half a millisecond to find and link each file.
      { name: "shared", test: /[\\/]dist[\\/](?!serve[\\/])/, minShareCount: 3, priority: 1 },
      { name: "service", test: /[\\/]dist[\\/]serve[\\/]/, minShareCount: 3, priority: 1 },
    ],
  },
});
const [single] = await bundle("", "", { codeSplitting: false });
const places = new Set(single.moduleIds.map(placeOf));
for (const place of Object.keys(trimmed)) if (!places.has(place)) throw new Error(`the program has no ${place}`);
const shebang = "#!/usr/bin/env node\n";
if (!single.code.startsWith(shebang)) throw new Error("src/cli.ts must begin with #!/usr/bin/env node");
const licenses = licensesOf(root, single.moduleIds);
// `init --upgrade` reads the version in the second line.
const text = `${shebang}// edgewise ${version}\n${single.code.slice(shebang.length)}\n/*\n${licenses}*/\n`;
replace(join(dist, "edgewise.mjs"), text);

const made = new Map(chunks.map(({ fileName, code }) => [fileName, code]));
made.set("LICENSES.txt", licenses);
for (const [name, code] of made) replace(join(bin, name), code);
for (const name of readdirSync(bin)) if (!made.has(name)) rmSync(join(bin, name), { recursive: true });
for (const file of [join(bin, "edgewise.js"), join(dist, "cli.js"), join(dist, "edgewise.mjs")]) chmodSync(file, 0o755);

/**
 * The program with all packages, as readable ES modules.
 * @param {string} program where its start lies, as the chunk with own-files.js sees it
 * @param {string} singleFile where the program as one file lies
 * @param {import("rolldown").OutputOptions} output
 */
async function bundle(program, singleFile, output) {
  const built = await rolldown({
    input: { edgewise: join(dist, "cli.js") },
    platform: "node",
    // Client libraries in C and for other runtimes, which pg asks for and does without.
    external: ["pg-native", "pg-cloudflare"],
    plugins: [
      {
        name: "own-files",
        load: (/** @type {string} */ id) =>
          id === join(dist, "core", "own-files.js")
            ? `export const programFile = new URL("${program}", import.meta.url);\n` +
              `export const singleFile = new URL("${singleFile}", import.meta.url);\n`
            : (trimmed[placeOf(id)] ?? null),
      },
    ],
    checks: { ineffectiveDynamicImport: false },
  });
  const { output: chunks } = await built.generate({
    format: "esm",
    comments: { legal: false, annotation: false, jsdoc: false },
    // A module runs when it is first imported, also where it shares a file with others.
    strictExecutionOrder: true,
    ...output,
  });
  await built.close();
  return chunks.filter(({ type }) => type === "chunk");
}

function placeOf(id) {
  return id
    .split(/[\\/]node_modules[\\/]/)
    .at(-1)
    .replaceAll(sep, "/");
}

/** A running test may read the file, so it is replaced as a whole, and only when it differs. */
function replace(file, text) {
  if (existsSync(file) && readFileSync(file, "utf8") === text) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}.tmp`, text);
  renameSync(`${file}.${process.pid}.tmp`, file);
}
